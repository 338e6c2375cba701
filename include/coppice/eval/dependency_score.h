// Precision, recall and F1 of predicate-argument dependencies, and accuracy of supertags.
//
// Labelled: the tuples (functor, its category, slot, argument). Unlabelled: the ordered pairs
// (functor, argument). Both count as sets. A sentence without an analysis counts in coverage; its
// dependencies are left out of `labelled` and `unlabelled`, as is usual for parsers of categorial
// grammar, and count as missing in the two `_of_all`.
//
// Clark & Hockenmaier (2002), "Evaluating a Wide-Coverage CCG Parser".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "coppice/eval/span_score.h"
#include "coppice/text/parg.h"

namespace coppice::eval {

class DependencyScorer {
 public:
  void add(std::span<const text::PargDependency> gold,
           std::span<const text::PargDependency> predicted);
  // The same for a sentence without an analysis.
  void add_failure(std::span<const text::PargDependency> gold);
  // Throws InvalidArgument when the two differ in length.
  void add_supertags(std::span<const std::string_view> gold,
                     std::span<const std::string_view> predicted);

  const Counts& labelled() const noexcept { return labelled_; }
  const Counts& unlabelled() const noexcept { return unlabelled_; }
  Counts labelled_of_all() const noexcept;
  Counts unlabelled_of_all() const noexcept;

  std::uint64_t sentences() const noexcept { return sentences_; }
  std::uint64_t analysed() const noexcept { return analysed_; }
  // Sentences whose labelled dependencies are all right, and no more.
  std::uint64_t exact() const noexcept { return exact_; }
  std::uint64_t supertags() const noexcept { return supertags_; }
  std::uint64_t correct_supertags() const noexcept { return correct_supertags_; }
  // In [0, 1]; 0 when there is nothing to count.
  double coverage() const noexcept;
  double supertag_accuracy() const noexcept;

 private:
  Counts labelled_;
  Counts unlabelled_;
  std::uint64_t missing_labelled_ = 0;  // in sentences without an analysis
  std::uint64_t missing_unlabelled_ = 0;
  std::uint64_t sentences_ = 0;
  std::uint64_t analysed_ = 0;
  std::uint64_t exact_ = 0;
  std::uint64_t supertags_ = 0;
  std::uint64_t correct_supertags_ = 0;
};

}  // namespace coppice::eval
