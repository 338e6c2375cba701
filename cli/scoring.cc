#include "cli/scoring.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/globals.h"
#include "cli/human.h"
#include "coppice/eval/signature.h"

namespace coppice::cli {

namespace {

constexpr std::size_t kModelDigits = 16;  // of its identity, as training tells it

text::Scheme detected_scheme(const LabelPairs& pairs) {
  text::SchemeDetector of_gold;
  text::SchemeDetector of_predicted;
  bool all_outside = true;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto labels = pairs.gold(i);
    of_gold.add(labels);
    of_predicted.add(pairs.predicted(i));
    all_outside = all_outside && std::ranges::all_of(labels, [](auto l) { return l == "O"; });
  }
  return all_outside ? of_predicted.scheme() : of_gold.scheme();
}

Metric metric_of(const std::string& metric, bool by_span) {
  if (metric == "f1") return Metric::kF1;
  if (metric == "precision") return Metric::kPrecision;
  if (metric == "recall") return Metric::kRecall;
  if (metric == "macro-f1") return Metric::kMacroF1;
  if (metric == "accuracy") return Metric::kAccuracy;
  return by_span ? Metric::kF1 : Metric::kAccuracy;
}

using CountsByLabel = std::map<std::string, eval::Counts, std::less<>>;

eval::Counts& counts_of(CountsByLabel& by_label, std::string_view label) {
  const auto found = by_label.find(label);
  return found != by_label.end() ? found->second : by_label[std::string(label)];
}

CountsByLabel token_counts(const std::vector<std::string_view>& gold,
                           const std::vector<std::string_view>& predicted) {
  CountsByLabel by_label;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    ++counts_of(by_label, gold[i]).gold;
    ++counts_of(by_label, predicted[i]).predicted;
    if (gold[i] == predicted[i]) ++counts_of(by_label, gold[i]).correct;
  }
  return by_label;
}

// The counts of one sentence.
CountsByLabel label_counts(const LabelPairs& pairs, std::size_t sentence, const Scoring& scoring) {
  const auto gold = pairs.gold(sentence);
  const auto predicted = pairs.predicted(sentence);
  if (!scoring.by_span()) return token_counts(gold, predicted);
  eval::SpanScorer scorer(scoring.match, scoring.scheme);
  scorer.add(gold, predicted);
  return scorer.by_type();
}

std::uint64_t num_correct_tokens(const LabelPairs& pairs, std::size_t sentence) {
  const auto gold = pairs.gold(sentence);
  const auto predicted = pairs.predicted(sentence);
  std::uint64_t correct = 0;
  for (std::size_t i = 0; i < gold.size(); ++i) correct += gold[i] == predicted[i] ? 1 : 0;
  return correct;
}

eval::Averages macro_of(const CountsByLabel& by_label) {
  eval::Averages macro;
  if (by_label.empty()) return macro;
  const auto share = 1.0 / static_cast<double>(by_label.size());
  for (const auto& [label, counts] : by_label) {
    macro.precision += share * counts.precision();
    macro.recall += share * counts.recall();
    macro.f1 += share * counts.f1();
  }
  return macro;
}

eval::Counts counts_from(std::span<const double> numbers) {
  return {.gold = static_cast<std::uint64_t>(numbers[0]),
          .predicted = static_cast<std::uint64_t>(numbers[1]),
          .correct = static_cast<std::uint64_t>(numbers[2])};
}

void append(std::vector<double>& numbers, const eval::Counts& counts) {
  numbers.push_back(static_cast<double>(counts.gold));
  numbers.push_back(static_cast<double>(counts.predicted));
  numbers.push_back(static_cast<double>(counts.correct));
}

constexpr std::size_t kCountsALabel = 3;

double macro_f1_of_totals(std::span<const double> totals) {
  double sum = 0;
  double labels = 0;
  for (std::size_t i = 0; i + kCountsALabel <= totals.size(); i += kCountsALabel) {
    const eval::Counts counts = counts_from(totals.subspan(i, kCountsALabel));
    if (counts.gold + counts.predicted == 0) continue;
    sum += counts.f1();
    labels += 1;
  }
  return labels == 0 ? 0 : percent(sum / labels);
}

}  // namespace

std::vector<Option> scoring_options(ScoringOptions& options) {
  return {
      {.name = "scheme",
       .value = &options.scheme,
       .choices = {"auto", "iob1", "iob2", "bioes", "bilou", "none"},
       .help = "how labels spell spans; none scores token by token"},
      {.name = "match",
       .value = &options.match,
       .choices = {"conlleval", "strict"},
       .help = "what labels that break the scheme mean: repaired as conlleval does, or no span"},
      {.name = "metric",
       .value = &options.metric,
       .choices = {"auto", "f1", "precision", "recall", "macro-f1", "accuracy"},
       .help = "the score that is tested; auto is F1 for spans, accuracy for tokens"},
      {.name = "resamples",
       .value = &options.resamples,
       .metavar = "N",
       .help = "how often sentences are drawn for intervals and tests",
       .advanced = true,
       .min = 1,
       .max = 1e7},
      {.name = "seed",
       .value = &options.seed,
       .metavar = "N",
       .help = "seed of the draws",
       .advanced = true}};
}

const char* name(Metric metric) noexcept {
  switch (metric) {
    case Metric::kF1:
      return "F1";
    case Metric::kPrecision:
      return "precision";
    case Metric::kRecall:
      return "recall";
    case Metric::kMacroF1:
      return "macro F1";
    default:
      return "accuracy";
  }
}

std::string Scoring::description() const {
  if (!by_span()) return "tokens";
  return fmt::format("spans, scheme {}{}, match {}", text::to_string(scheme),
                     is_detected ? " (detected)" : "", eval::name(match));
}

Scoring decide_scoring(const ScoringOptions& options, const LabelPairs& pairs) {
  Scoring scoring;
  scoring.is_detected = options.scheme == "auto";
  if (scoring.is_detected)
    scoring.scheme = detected_scheme(pairs);
  else if (options.scheme != "none")
    scoring.scheme = text::parse_scheme(options.scheme);
  if (options.match == "strict") scoring.match = eval::Match::kStrict;
  scoring.metric = metric_of(options.metric, scoring.by_span());
  return scoring;
}

double Scores::accuracy() const noexcept {
  return tokens == 0 ? 0 : static_cast<double>(correct_tokens) / static_cast<double>(tokens);
}

Scores score(const LabelPairs& pairs, const Scoring& scoring) {
  Scores scores;
  scores.tokens = pairs.num_tokens();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const auto& [label, counts] : label_counts(pairs, i, scoring)) {
      counts_of(scores.by_label, label) += counts;
      scores.total += counts;
    }
    const std::uint64_t correct = num_correct_tokens(pairs, i);
    scores.correct_tokens += correct;
    if (correct == pairs.gold(i).size()) ++scores.correct_sentences;
  }
  scores.macro = macro_of(scores.by_label);
  return scores;
}

double value_of(const Scores& scores, Metric metric) {
  switch (metric) {
    case Metric::kF1:
      return percent(scores.total.f1());
    case Metric::kPrecision:
      return percent(scores.total.precision());
    case Metric::kRecall:
      return percent(scores.total.recall());
    case Metric::kMacroF1:
      return percent(scores.macro.f1);
    default:
      return percent(scores.accuracy());
  }
}

eval::SentenceCounts sentence_counts(const LabelPairs& pairs, const Scoring& scoring,
                                     const std::vector<std::string>& labels) {
  const bool is_macro = scoring.metric == Metric::kMacroF1;
  const bool is_accuracy = scoring.metric == Metric::kAccuracy;
  eval::SentenceCounts all(is_accuracy ? 2 : kCountsALabel * (is_macro ? labels.size() : 1));
  std::vector<double> numbers;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    numbers.clear();
    if (is_accuracy) {
      numbers.push_back(static_cast<double>(pairs.gold(i).size()));
      numbers.push_back(static_cast<double>(num_correct_tokens(pairs, i)));
    } else {
      CountsByLabel by_label = label_counts(pairs, i, scoring);
      eval::Counts total;
      for (const auto& [label, counts] : by_label) total += counts;
      if (is_macro)
        for (const std::string& label : labels) append(numbers, by_label[label]);
      else
        append(numbers, total);
    }
    all.add(numbers);
  }
  return all;
}

eval::Metric percent_of_totals(Metric metric) {
  switch (metric) {
    case Metric::kF1:
      return [](std::span<const double> totals) { return percent(counts_from(totals).f1()); };
    case Metric::kPrecision:
      return
          [](std::span<const double> totals) { return percent(counts_from(totals).precision()); };
    case Metric::kRecall:
      return [](std::span<const double> totals) { return percent(counts_from(totals).recall()); };
    case Metric::kMacroF1:
      return macro_f1_of_totals;
    default:
      return [](std::span<const double> totals) {
        return totals[0] == 0 ? 0 : percent(totals[1] / totals[0]);
      };
  }
}

eval::ResamplingOptions resampling(const ScoringOptions& options) {
  return {.resamples = options.resamples, .seed = options.seed};
}

eval::Confusion confusion(const LabelPairs& pairs, const Scoring& scoring) {
  eval::Confusion table;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto gold = pairs.gold(i);
    const auto predicted = pairs.predicted(i);
    if (!scoring.by_span()) {
      for (std::size_t k = 0; k < gold.size(); ++k) table.add(gold[k], predicted[k]);
      continue;
    }
    const auto scheme = scoring.scheme;
    std::map<std::pair<std::size_t, std::size_t>, std::string_view> unmatched;
    for (const auto& span : eval::spans_of(predicted, scoring.match, scheme))
      unmatched[{span.begin, span.end}] = span.type;
    for (const auto& span : eval::spans_of(gold, scoring.match, scheme)) {
      const auto found = unmatched.find({span.begin, span.end});
      table.add(span.type, found == unmatched.end() ? "-" : found->second);
      if (found != unmatched.end()) unmatched.erase(found);
    }
    for (const auto& [bounds, type] : unmatched) table.add("-", type);
  }
  return table;
}

std::vector<eval::SpanError> all_span_errors(const LabelPairs& pairs, const Scoring& scoring) {
  std::vector<eval::SpanError> errors;
  const auto scheme = scoring.scheme;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto gold = eval::spans_of(pairs.gold(i), scoring.match, scheme);
    const auto predicted = eval::spans_of(pairs.predicted(i), scoring.match, scheme);
    for (const eval::SpanError& error : eval::span_errors(i, gold, predicted))
      errors.push_back(error);
  }
  return errors;
}

std::string signature(const LabelPairs& pairs, const Scoring& scoring, std::string_view model) {
  eval::Signature line;
  line.add("task", "tag");
  if (scoring.by_span()) {
    line.add("match", eval::name(scoring.match));
    line.add("scheme", eval::name(scoring.scheme));
  }
  line.add("level", scoring.by_span() ? "span" : "token");
  line.add("data", pairs.data_digest());
  if (!model.empty()) line.add("model", model.substr(0, kModelDigits));
  line.add("coppice", version_text());
  return line.text();
}

}  // namespace coppice::cli
