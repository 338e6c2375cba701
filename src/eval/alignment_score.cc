#include "coppice/eval/alignment_score.h"

namespace coppice::eval {

namespace {

double share_of(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) noexcept {
  sure += other.sure;
  possible += other.possible;
  found += other.found;
  found_sure += other.found_sure;
  found_possible += other.found_possible;
  return *this;
}

double AlignmentCounts::precision() const noexcept {
  return share_of(found_sure + found_possible, found);
}

double AlignmentCounts::recall() const noexcept { return share_of(found_sure, sure); }

double AlignmentCounts::f1() const noexcept {
  const double p = precision(), r = recall();
  return p + r == 0 ? 0 : 2 * p * r / (p + r);
}

double AlignmentCounts::error_rate() const noexcept {
  if (found + sure == 0) return 0;
  return 1 - share_of(2 * found_sure + found_possible, found + sure);
}

AlignmentCounts score_alignment(std::span<const text::AlignmentLink> gold,
                                std::span<const text::AlignmentLink> found) {
  AlignmentCounts counts;
  for (const text::AlignmentLink& link : gold) ++(link.is_sure ? counts.sure : counts.possible);
  counts.found = found.size();
  for (std::size_t g = 0, f = 0; g < gold.size() && f < found.size();) {
    if (gold[g].same_words(found[f])) {
      ++(gold[g].is_sure ? counts.found_sure : counts.found_possible);
      ++g, ++f;
    } else {
      ++(text::comes_before(gold[g], found[f]) ? g : f);
    }
  }
  return counts;
}

}  // namespace coppice::eval
