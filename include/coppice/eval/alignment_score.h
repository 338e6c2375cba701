// Scores of word alignments against hand-made ones, whose links are sure (S) or only possible (P,
// which holds S too); A are the links found.
//
//     precision = |A n P| / |A|,   recall = |A n S| / |S|,   F1 their harmonic mean
//     AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)                     alignment error rate, less is
//     better
//
// A share of nothing is 0; without any A and S there is no error.
// Och and Ney (2003), "A systematic comparison of various statistical alignment models".
#pragma once

#include <cstdint>
#include <span>

#include "coppice/text/pharaoh.h"

namespace coppice::eval {

struct AlignmentCounts {
  std::uint64_t sure = 0;
  std::uint64_t possible = 0;  // and not sure
  std::uint64_t found = 0;
  std::uint64_t found_sure = 0;
  std::uint64_t found_possible = 0;  // and not sure

  AlignmentCounts& operator+=(const AlignmentCounts& other) noexcept;

  double precision() const noexcept;
  double recall() const noexcept;
  double f1() const noexcept;
  double error_rate() const noexcept;
  // Links found that are not possible, and sure ones not found.
  std::uint64_t errors() const noexcept { return found + sure - 2 * found_sure - found_possible; }
};

// One pair of sentences. Requires sorted links without repetitions. Whether a link found is sure is
// not asked.
AlignmentCounts score_alignment(std::span<const text::AlignmentLink> gold,
                                std::span<const text::AlignmentLink> found);

}  // namespace coppice::eval
