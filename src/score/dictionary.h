// Attributes to dense numbers: the keys of text/extractor.h, counted while data is read.
//
// A key is the 64-bit hash of an attribute's name; two names collide with probability 2^-64 a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "coppice/score/key_fold.h"

namespace coppice {

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
