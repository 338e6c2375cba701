// Sums of targets over the bins of a node's rows.
//
// A node's sums are kept as an ascending list of the bins that it has. One dense array for each
// worker takes the additions; since the bins of a child are among those of its parent, walking the
// parent's list yields both the child's list and, by subtraction, its sister's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/trees/grow.h"

namespace coppice::trees {

struct Sums {
  std::int64_t gradient = 0;
  std::int64_t curvature = 0;  // 0: no example

  Sums& operator+=(const Sums& other) noexcept {
    gradient += other.gradient;
    curvature += other.curvature;
    return *this;
  }
  friend Sums operator+(Sums a, const Sums& b) noexcept { return a += b; }
  friend Sums operator-(Sums a, const Sums& b) noexcept {
    return {a.gradient - b.gradient, a.curvature - b.curvature};
  }
};

struct BinSums {
  std::uint32_t bin = 0;
  Sums sums;
};

// Rows and states whose targets are summed.
struct NodeTargets {
  const Targets& targets;
  std::size_t num_states;
  std::span<const std::uint16_t> states;
  std::span<const Sums> row_sums{};  // by row, where they are known: what of() would find

  Sums of(std::uint32_t row) const noexcept {
    if (!row_sums.empty()) return row_sums[row];
    const std::size_t base = row * num_states;
    if (num_states == 1) {
      return {targets.gradient[base], targets.curvature.empty() ? 1 : targets.curvature[base]};
    }
    Sums sums;
    for (const std::uint16_t state : states) sums.gradient += targets.gradient[base + state];
    sums.curvature = static_cast<std::int64_t>(states.size());
    if (!targets.curvature.empty()) {
      sums.curvature = 0;
      for (const std::uint16_t state : states) sums.curvature += targets.curvature[base + state];
    }
    return sums;
  }
};

class Histogram {
 public:
  Histogram(const BinMatrix& matrix, std::size_t num_bins) : matrix_(matrix), num_bins_(num_bins) {}

  // Adds the rows to the dense sums.
  void add(std::span<const std::uint32_t> rows, const NodeTargets& targets, const Threads& threads);

  // The bins that were added to, ascending. Clears the dense sums.
  std::vector<BinSums> take(const Threads& threads);
  // The same when these rows were added, and nothing else: without a look at all bins when they are
  // few.
  std::vector<BinSums> take(std::span<const std::uint32_t> rows, const Threads& threads);

  // The same, of a child of the node with the list `parent`, which becomes its sister's.
  std::vector<BinSums> take_from(std::vector<BinSums>& parent, const Threads& threads);

 private:
  std::size_t entries_of(std::size_t rows) const noexcept {  // about
    return rows * (1 + matrix_.bins.size() / std::max<std::size_t>(1, matrix_.size()));
  }
  std::vector<BinSums> take_in_one_pass(std::vector<BinSums>& parent);

  const BinMatrix& matrix_;
  std::size_t num_bins_;
  std::vector<std::vector<Sums>> dense_;  // by worker; empty until needed
};

}  // namespace coppice::trees
