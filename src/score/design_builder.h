// Collects a design matrix token by token: attributes by their keys, numbered in the order of their
// first occurrence.
//
// What a token has twice (from a bag, or because hashing made two attributes one) it has once, with
// the sum of the values. Attributes that occur too seldom are left out when all tokens are in.
//
// Cost of an attribute: one probe of a dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "score/design.h"
#include "score/dictionary.h"

namespace coppice {

class DesignBuilder {
 public:
  explicit DesignBuilder(KeyFold fold = {}) : fold_(fold) {}

  // An attribute of the token at hand. `group` is kept for its first occurrence.
  void add(std::uint64_t key, double value, std::uint32_t group);
  // Throws InvalidArgument past 2^32 - 1 occurrences.
  void end_token();

  struct Result {
    DesignMatrix design;
    std::vector<std::uint64_t> keys;  // of the attributes, folded
    std::vector<std::uint32_t> groups;
  };
  // Without attributes that occur less than `min_count` times.
  Result build(std::size_t min_count) &&;

 private:
  KeyFold fold_;
  AttributeDictionary dictionary_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> last_entry_;  // by attribute: its last entry in the matrix
  DesignMatrix design_;
  bool has_values_ = false;
};

}  // namespace coppice
