// Arrays for the tables of a model: in memory, or in a file without a name whose pages come and go,
// when they are larger than memory may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "coppice/lm/ngrams.h"
#include "lm/spill_file.h"

namespace coppice::lm {

// Bytes, all zero at first.
class PagedBytes {
 public:
  // In memory while the workspace has eight times as much. Throws IoError, std::bad_alloc.
  PagedBytes(std::uint64_t size, const Workspace& workspace);
  ~PagedBytes();
  PagedBytes(const PagedBytes&) = delete;
  PagedBytes& operator=(const PagedBytes&) = delete;

  std::byte* data() noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_;
  std::unique_ptr<SpillFile> file_{};
  std::byte* data_ = nullptr;
};

template <class T>
class PagedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PagedArray() = default;
  PagedArray(std::uint64_t size, const Workspace& workspace)
      : bytes_(std::make_shared<PagedBytes>(size * sizeof(T), workspace)) {}

  std::size_t size() const noexcept { return bytes_ ? bytes_->size() / sizeof(T) : 0; }
  T* data() noexcept { return bytes_ ? reinterpret_cast<T*>(bytes_->data()) : nullptr; }
  const T* data() const noexcept {
    return bytes_ ? reinterpret_cast<const T*>(bytes_->data()) : nullptr;
  }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  std::span<T> span() noexcept { return {data(), size()}; }
  std::span<const T> span() const noexcept { return {data(), size()}; }

  // What keeps the elements where they are.
  std::shared_ptr<const void> owner() const noexcept { return bytes_; }

 private:
  std::shared_ptr<PagedBytes> bytes_;  // copies of an array are the same array
};

}  // namespace coppice::lm
