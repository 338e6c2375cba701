// Arrays aligned to a cache line, for vector loads.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace coppice {

template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  CacheAligned() = default;
  template <class U>
  explicit(false) CacheAligned(const CacheAligned<U>& /*other*/) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t /*n*/) noexcept { ::operator delete(p, alignment); }
  template <class U>
  bool operator==(const CacheAligned<U>& /*other*/) const noexcept {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

}  // namespace coppice
