// Keys of attributes cut to fewer bits, so that a model has a bounded number of attributes.
#pragma once

#include <cstdint>

namespace coppice {

// Keys cut to their last `bits` bits, so that there are at most 2^bits attributes, whatever the
// data; those that fall together share their weights. 0 bits: keys as they are. Weinberger et al.
// (2009), "Feature hashing for large scale multitask learning", ICML.
class KeyFold {
 public:
  KeyFold() = default;
  // Throws InvalidArgument for more than 32 bits.
  explicit KeyFold(unsigned bits);
  std::uint64_t operator()(std::uint64_t key) const noexcept { return key & mask_; }

 private:
  std::uint64_t mask_ = ~std::uint64_t{0};
};

}  // namespace coppice
