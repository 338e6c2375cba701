// Attributes to dense numbers: the keys of text/extractor.h, counted while data is read.
//
// A key is the 64-bit hash of an attribute's name; two names collide with probability 2^-64 a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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

class AttributeDictionary {
 public:
  AttributeDictionary();
  ~AttributeDictionary();
  AttributeDictionary(AttributeDictionary&&) noexcept;
  AttributeDictionary& operator=(AttributeDictionary&&) noexcept;

  // The number of `key`, a new one when it has none yet; counts the occurrence.
  // Throws InvalidArgument past 2^32 - 1 attributes. Cost: one probe.
  std::uint32_t add(std::uint64_t key);

  std::size_t size() const noexcept;
  // Keys and numbers of occurrences, by attribute.
  const std::vector<std::uint64_t>& keys() const noexcept;
  const std::vector<std::uint32_t>& counts() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice
