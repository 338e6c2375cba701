// How eval and compare score: at which level, by which rules, and with which measure.
//
// Labels of a span scheme (IOB1, IOB2, BIOES, BILOU) are scored as spans, others token by token.
// All scores are percentages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/label_pairs.h"
#include "coppice/eval/confusion.h"
#include "coppice/eval/errors.h"
#include "coppice/eval/significance.h"
#include "coppice/eval/span_score.h"
#include "coppice/text/spans.h"

namespace coppice::cli {

struct ScoringOptions {
  std::string scheme = "auto";
  std::string match = "conlleval";
  std::string metric = "auto";
  std::uint64_t resamples = 1000;
  std::uint64_t seed = 1;
};

// The declarations of --scheme, --match, --metric, --resamples and --seed.
std::vector<Option> scoring_options(ScoringOptions& options);

enum class Metric { kF1, kPrecision, kRecall, kMacroF1, kAccuracy };

// "F1", "precision", "recall", "macro F1", "accuracy".
const char* name(Metric metric) noexcept;

struct Scoring {
  text::Scheme scheme = text::Scheme::kRaw;  // kRaw: token by token
  bool is_detected = false;                  // the scheme
  eval::Match match = eval::Match::kConlleval;
  Metric metric = Metric::kF1;

  bool by_span() const noexcept { return scheme != text::Scheme::kRaw; }
  // "spans, scheme IOB2 (detected), matched as conlleval does"
  std::string description() const;
};

// Settles what "auto" means: the scheme of the gold labels (of the predicted ones when gold is all
// O), and F1 for spans, accuracy for tokens.
Scoring decide_scoring(const ScoringOptions& options, const LabelPairs& pairs);

struct Scores {
  std::map<std::string, eval::Counts, std::less<>> by_label;  // types of spans, or labels
  eval::Counts total;
  eval::Averages macro;
  std::uint64_t tokens = 0;
  std::uint64_t correct_tokens = 0;
  std::uint64_t correct_sentences = 0;

  double accuracy() const noexcept;
};

Scores score(const LabelPairs& pairs, const Scoring& scoring);

// The value of the chosen metric, in percent.
double value_of(const Scores& scores, Metric metric);

// The counts of each sentence that the metric is made of, and the metric as a function of their
// sums, for resampling. `labels` are those of kMacroF1: every label of every system.
eval::SentenceCounts sentence_counts(const LabelPairs& pairs, const Scoring& scoring,
                                     const std::vector<std::string>& labels);
eval::Metric percent_of_totals(Metric metric);

eval::ResamplingOptions resampling(const ScoringOptions& options);

// What was taken for what. For spans, a cell counts spans with equal bounds; those without such a
// partner are in the row or column "-".
eval::Confusion confusion(const LabelPairs& pairs, const Scoring& scoring);

// Requires by_span(). The spans point into the labels of `pairs`.
std::vector<eval::SpanError> all_span_errors(const LabelPairs& pairs, const Scoring& scoring);

// "task:tag|match:conlleval|scheme:iob2|level:span|data:9c1e...|model:5f0c...|coppice:0.1.0";
// without a model, its identity is empty.
std::string signature(const LabelPairs& pairs, const Scoring& scoring, std::string_view model = {});

}  // namespace coppice::cli
