// Dense integer ids that do not mix: a NodeId cannot index a table of edges.
//
// An id type is a scoped enumeration over uint32_t whose values run from 0 to n - 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace coppice {

// So many things have ids; what counts them refuses more.
inline constexpr std::size_t kMaxIds = std::numeric_limits<std::uint32_t>::max();

template <class T>
concept Id = std::is_enum_v<T> && std::is_same_v<std::underlying_type_t<T>, std::uint32_t>;

template <Id I>
constexpr std::size_t index(I id) noexcept {
  return static_cast<std::size_t>(id);
}

// The half-open range of ids [first, last), for range-for.
template <Id I>
class IdRange {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = I;

    constexpr Iterator() noexcept = default;
    constexpr explicit Iterator(std::uint32_t at) noexcept : at_(at) {}
    constexpr I operator*() const noexcept { return static_cast<I>(at_); }
    constexpr Iterator& operator++() noexcept { return ++at_, *this; }
    constexpr Iterator operator++(int) noexcept { return Iterator(at_++); }
    constexpr bool operator==(const Iterator&) const noexcept = default;

   private:
    std::uint32_t at_ = 0;
  };

  constexpr explicit IdRange(std::size_t n) noexcept : last_(static_cast<std::uint32_t>(n)) {}
  constexpr IdRange(std::uint32_t first, std::uint32_t last) noexcept
      : first_(first), last_(last) {}

  constexpr Iterator begin() const noexcept { return Iterator(first_); }
  constexpr Iterator end() const noexcept { return Iterator(last_); }
  constexpr std::size_t size() const noexcept { return last_ - first_; }
  constexpr bool empty() const noexcept { return first_ == last_; }

  // Requires i < size().
  constexpr I operator[](std::size_t i) const noexcept { return static_cast<I>(first_ + i); }

 private:
  std::uint32_t first_ = 0;
  std::uint32_t last_;
};

// A vector indexed by one id type. T must not be bool: std::vector<bool> holds no bool objects.
template <Id I, class T>
class IdMap {
  static_assert(!std::is_same_v<T, bool>, "use unsigned char: vector<bool> is not contiguous");

 public:
  IdMap() = default;
  IdMap(std::size_t n, const T& value) : values_(n, value) {}
  explicit IdMap(std::vector<T> values) : values_(std::move(values)) {}

  T& operator[](I id) { return values_[index(id)]; }
  const T& operator[](I id) const { return values_[index(id)]; }
  std::size_t size() const noexcept { return values_.size(); }
  std::span<const T> values() const noexcept { return values_; }
  std::span<T> values() noexcept { return values_; }
  void push_back(T value) { values_.push_back(std::move(value)); }

  bool operator==(const IdMap&) const = default;

 private:
  std::vector<T> values_;
};

}  // namespace coppice
