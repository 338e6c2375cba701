// What eval prints, wherever the predictions come from.
#pragma once

#include <optional>

#include "cli/context.h"
#include "cli/scoring.h"

namespace coppice::cli {

struct ReportOptions {
  ScoringOptions scoring;
  bool confusion = false;
  std::uint64_t errors = 0;  // so many of each kind
  bool interval = false;
  bool tsv = false;
  std::optional<double> fail_under;
};

// The declarations of scoring_options(), --confusion, --errors, --ci, --tsv and --fail-under.
std::vector<Option> report_options(ReportOptions& options);

// What the pairs must keep for such a report.
LabelPairs::Keep needs(const ReportOptions& options);

// The model whose labels are scored, and how far its probabilities are from what they say
// (eval/calibration.h).
struct ScoredModel {
  std::string identity;
  double ece = 0;
  double temperature = 1;  // of the model; 1: it has not been calibrated
};

// Scores the pairs and prints the report: a table, TSV or a JSON document. Returns kCheckFailed
// when the metric is below --fail-under. Throws UsageError (E003) when --json and --tsv are both
// given.
ExitStatus report_scores(const LabelPairs& pairs, const ReportOptions& options, Context& context,
                         const std::optional<ScoredModel>& model = std::nullopt);

// "F1 90.90 +- 0.52 (95 %, bootstrap n=1000, seed 1)"
std::string interval_text(Metric metric, const eval::Interval& interval,
                          const ScoringOptions& options);

}  // namespace coppice::cli
