// From counts of the longest n-grams to those that Kneser-Ney smoothing wants of every length.
//
//     a(x)  =  count of x                             if x is of the full length, or begins with
//     <s>
//              number of distinct words before x      otherwise
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/lm/discounts.h"
#include "coppice/lm/ngrams.h"
#include "lm/ngram_sorter.h"

namespace coppice::lm {

// A count, and whether the n-gram is left out of the model: its mass then goes to the backoff.
struct AdjustedCount {
  static constexpr std::uint64_t kPruned = std::uint64_t{1} << 63;

  std::uint64_t count;
  bool is_pruned;

  std::uint64_t packed() const noexcept { return count | (is_pruned ? kPruned : 0); }
  static AdjustedCount unpacked(std::uint64_t value) noexcept {
    return {value & ~kPruned, (value & kPruned) != 0};
  }
};

struct AdjustedCounts {
  struct OfLength {
    NgramSorter ngrams;  // in context order, with packed counts
    std::array<std::uint64_t, 4> counts_of_counts{};
    std::uint64_t num_ngrams = 0;
    std::uint64_t num_pruned = 0;
  };
  std::vector<OfLength> lengths;  // [n - 1] for n-grams of length n
};

// `counted` are n-grams of length `order` in suffix order with their counts; those that begin with
// <s> <s> only stand for the shorter ones in them. An n-gram of length n is pruned if its count is
// at most thresholds[n - 1]. Cost: one pass.
AdjustedCounts adjust_counts(const SortedNgrams& counted, unsigned order,
                             std::span<const std::uint64_t> thresholds, const Workspace& workspace);

}  // namespace coppice::lm
