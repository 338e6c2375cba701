// Precision against recall of one model, from answers that find more and more: minimum-risk
// decoding (tag/min_risk.h) with misses ever dearer than false alarms.
//
// Cost: a minimum-risk decoding of every sentence for each point.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/label_pairs.h"
#include "cli/scoring.h"
#include "coppice/tag/min_risk.h"
#include "coppice/tag/tagger.h"

namespace coppice::cli {

struct OperatingPoint {
  double cost = 1;  // of a missed item, where a wrong one costs 1
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

class OperatingCurve {
 public:
  // The tagger must outlive this.
  explicit OperatingCurve(const tag::Tagger& tagger);

  // `session` has read the sentence.
  void add(const text::Sentence& sentence, std::span<const std::string_view> gold,
           tag::TaggingSession& session);

  // By ascending cost, in percent. Requires a sentence.
  std::vector<OperatingPoint> points(const ScoringOptions& options) const;

 private:
  const tag::Tagger& tagger_;
  std::vector<tag::MinRiskDecoder> decoders_;
  std::vector<LabelPairs> pairs_;  // of each decoder
  std::vector<std::uint16_t> labels_;
  std::vector<std::string_view> names_;
};

// As SVG where the path ends in .svg, else as a table for `coppice plot`.
std::string text_of(std::span<const OperatingPoint> points, std::string_view path);

}  // namespace coppice::cli
