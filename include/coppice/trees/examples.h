// Examples as lists of bins: what the trees read, in memory or in a mapped file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/trees/schema.h"

namespace coppice::trees {

// A sparse table, stored by row; a view, so that the arrays may lie in a mapped file. Bins of a row
// ascend, and a row has at most one bin of each column.
struct BinMatrix {
  std::span<const std::uint32_t> begin;  // row i is bins[begin[i] .. begin[i + 1])
  std::span<const std::uint32_t> bins;

  std::size_t size() const noexcept { return begin.empty() ? 0 : begin.size() - 1; }
  std::span<const std::uint32_t> row(std::size_t i) const noexcept {
    return bins.subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

inline constexpr std::uint32_t kNoBin = 0xffffffffu;

// The bin of `range` that the row is in, or kNoBin. O(log row).
inline std::uint32_t find_bin(std::span<const std::uint32_t> row, BinRange range) noexcept {
  const auto at = std::lower_bound(row.begin(), row.end(), range.begin);
  return at != row.end() && *at < range.end ? *at : kNoBin;
}

// Labelled examples: rows with a class and an importance each.
struct ExampleView {
  BinMatrix rows;
  std::span<const std::uint16_t> classes;
  std::span<const float> importance;  // empty: 1 for all

  std::size_t size() const noexcept { return rows.size(); }
  float importance_of(std::size_t i) const noexcept {
    return importance.empty() ? 1.0f : importance[i];
  }
};

// The same, owned.
class ExampleTable {
 public:
  // Requires ascending bins. Throws InvalidArgument past 2^32 - 1 bins.
  void add(std::span<const std::uint32_t> bins, std::uint16_t label = 0, float importance = 1);
  std::size_t size() const noexcept { return classes_.size(); }
  ExampleView view() const noexcept;

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<std::uint32_t> bins_;
  std::vector<std::uint16_t> classes_;
  std::vector<float> importance_;  // empty while all are 1
};

}  // namespace coppice::trees
