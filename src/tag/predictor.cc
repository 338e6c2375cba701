#include "coppice/tag/predictor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/base/usage_error.h"
#include "coppice/text/reader.h"
#include "coppice/text/spans.h"

namespace coppice::tag {

std::size_t posteriors_wanted(const std::string& value, std::size_t labels) {
  if (value == "none") return 0;
  if (value == "all") return labels;
  std::size_t wanted = 0;
  const bool is_top =
      value.starts_with("top") && value.size() > 3 &&
      std::all_of(value.begin() + 3, value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_top && value.size() < 8) wanted = std::stoul(value.substr(3));
  if (wanted == 0) {
    throw UsageError(
        concat("--posteriors is \"", value, "\"; expected none, all or topN, such as top3"),
        {.code = "E003"});
  }
  return std::min(wanted, labels);
}

std::vector<Option> prediction_options(PredictionOptions& options) {
  std::vector<Option> all{
      {.name = "decode",
       .value = &options.decode,
       .choices = {"viterbi", "posterior", "min-risk"},
       .help = "the best sequence, the best label at each token by itself, or the answer of "
               "the least expected --loss"},
      {.name = "posteriors",
       .value = &options.posteriors,
       .metavar = "none|topN|all",
       .help = "probabilities of labels at each token, of spans and of the sequence"},
      {.name = "kbest",
       .value = &options.kbest,
       .metavar = "N",
       .help = "the N most probable label sequences, each with its log probability",
       .max = 1e6},
      {.name = "sample",
       .value = &options.samples,
       .metavar = "N",
       .help = "N label sequences drawn by their probability",
       .max = 1e6},
      {.name = "seed", .value = &options.seed, .metavar = "N", .help = "seed of --sample"}};
  for (Option& option : learn::loss_options(options.loss)) all.push_back(std::move(option));
  return all;
}

Predictor::Predictor(const Tagger& tagger, const PredictionOptions& options)
    : tagger_(tagger),
      options_(options),
      top_(posteriors_wanted(options.posteriors, tagger.num_labels())),
      session_(tagger),
      order_(tagger.num_labels()) {
  const learn::LossOptions& loss = options.loss;
  if (options.decode == "min-risk") {
    min_risk_.emplace(tagger, learn::training_loss(loss));
  } else if (!loss.loss.empty() || !loss.costs.empty() || !loss.cost_matrix.empty()) {
    throw UsageError("--loss, --cost and --cost-matrix go with --decode min-risk",
                     {.code = "E003"});
  }
}

void Predictor::write_as(text::Format format) {
  wants_spans_ = format == text::Format::kJsonl && tagger_.config().scheme != text::Scheme::kRaw;
  const auto refuse = [&](const char* option) {
    throw UsageError(concat(option, " goes with --out jsonl or --out columns: ",
                            text::to_string(format), " has no place for what it asks for"),
                     {.code = "E006"});
  };
  if (format == text::Format::kJsonl || format == text::Format::kColumns) return;
  if (top_ > 0) refuse("--posteriors");
  if (options_.kbest > 0) refuse("--kbest");
  if (options_.samples > 0) refuse("--sample");
}

const text::Prediction& Predictor::predict(const text::Sentence& sentence, FeatureCells& cells,
                                           std::uint64_t ordinal) {
  session_.read(sentence, cells);
  decode(sentence);
  if (wants_spans_) add_spans();
  if (top_ > 0) add_posteriors();
  if (options_.kbest > 0) prediction_.kbest = named(session_.k_best(options_.kbest));
  if (options_.samples > 0) {
    Random random(options_.seed, ordinal);
    prediction_.samples = named(session_.samples(options_.samples, random));
  }
  return prediction_;
}

void Predictor::decode(const text::Sentence& sentence) {
  bool is_possible = true;
  if (options_.decode != "viterbi") {
    if (min_risk_) {
      min_risk_->decode(session_, labels_);
    } else {
      session_.posterior_labels(labels_);
    }
    is_possible = !std::isinf(session_.log_partition());
  } else {
    is_possible = !std::isinf(session_.best_labels(labels_));
  }
  if (!is_possible) {
    throw ParseError("the constraints on labels leave no sequence for this sentence",
                     {.code = "E340", .where = sentence.where()});
  }
  prediction_.labels.clear();
  for (const std::uint16_t label : labels_) prediction_.labels.push_back(tagger_.label(label));
}

void Predictor::add_spans() {
  prediction_.spans =
      text::spans_of(prediction_.labels, tagger_.config().scheme, text::Reading::kLenient);
  prediction_.span_probabilities.clear();
  if (top_ == 0) return;
  for (const text::LabelledSpan& span : *prediction_.spans) {
    prediction_.span_probabilities.push_back(session_.span_probability(span));
  }
}

void Predictor::add_posteriors() {
  prediction_.posteriors.resize(session_.length());
  for (std::size_t t = 0; t < session_.length(); ++t) {
    const auto row = session_.posteriors(t);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto top = order_.begin() + static_cast<std::ptrdiff_t>(top_);
    std::partial_sort(order_.begin(), top, order_.end(), [&](std::size_t a, std::size_t b) {
      return row[a] != row[b] ? row[a] > row[b] : a < b;
    });
    prediction_.posteriors[t].clear();
    for (std::size_t i = 0; i < top_; ++i) {
      prediction_.posteriors[t].push_back({tagger_.label(order_[i]), row[order_[i]]});
    }
  }
  prediction_.log_probability = session_.log_probability(labels_);
}

std::vector<text::LabelSequence> Predictor::named(
    const std::vector<LabelSequence>& sequences) const {
  std::vector<text::LabelSequence> all;
  for (const LabelSequence& sequence : sequences) {
    text::LabelSequence& one =
        all.emplace_back(text::LabelSequence{.log_probability = sequence.log_probability});
    for (const std::uint16_t label : sequence.labels) one.labels.push_back(tagger_.label(label));
  }
  return all;
}

}  // namespace coppice::tag
