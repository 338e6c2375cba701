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
  std::string page;          // the HTML file, if there is to be one
  bool interval = false;
  bool tsv = false;
  std::optional<double> fail_under;
};

// The declarations of scoring_options(), --confusion, --errors, --report, --ci, --tsv and
// --fail-under.
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

// Scores, and all that is reported with them. It refers to the pairs and the options.
struct Evaluation {
  const LabelPairs& pairs;
  const ReportOptions& options;
  Scoring scoring;
  Scores scores;
  std::optional<ScoredModel> model{};

  std::string signature() const;
  // From a bootstrap over sentences, in percent.
  eval::Interval interval_of(Metric metric) const;
};
Evaluation evaluate(const LabelPairs& pairs, const ReportOptions& options,
                    std::optional<ScoredModel> model = std::nullopt);

// Prints a table, TSV or a JSON document. Returns kCheckFailed when the metric is below
// --fail-under.
ExitStatus report_scores(const Evaluation& report, Context& context);

// "ECE 0.031 (uncalibrated; try: coppice calibrate)"
std::string calibration_text(const ScoredModel& model);

// "F1 90.90 +- 0.52 (95 %, bootstrap n=1000, seed 1)"
std::string interval_text(Metric metric, const eval::Interval& interval,
                          const ScoringOptions& options);

}  // namespace coppice::cli
