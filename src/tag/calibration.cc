#include "coppice/tag/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::tag {

namespace {

constexpr double kLeastGoldProbability = 1e-10;
constexpr std::size_t kChunkSize = 64;  // sentences

std::size_t label_number(const Tagger& tagger, std::string_view label) {
  const auto& labels = tagger.config().labels;
  return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

}  // namespace

// What a chunk of sentences gives.
struct Calibration::Part {
  double loss = 0;  // a sum
  std::vector<eval::Prediction> predictions;
};

void add_predictions(const Tagger& tagger, TaggingSession& session,
                     std::span<const std::uint16_t> labels, std::span<const std::string_view> gold,
                     std::vector<eval::Prediction>& predictions) {
  for (std::size_t t = 0; t < labels.size(); ++t) {
    const double confidence = session.posteriors(t)[labels[t]];
    predictions.push_back({std::clamp(confidence, 0.0, 1.0), tagger.label(labels[t]) == gold[t]});
  }
}

Calibration::Calibration(const Tagger& tagger, FeatureCells columns, std::size_t label_column)
    : tagger_(tagger), columns_(std::move(columns)), label_column_(label_column) {}

void Calibration::add(const text::Sentence& sentence) {
  sentences_.push_back(sentence);
  num_tokens_ += sentence.num_tokens();
  for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
    const std::size_t label = label_number(tagger_, sentence.cell(t, label_column_));
    num_unknown_ += label == tagger_.num_labels() ? 1 : 0;
  }
}

Calibration::Part Calibration::run(const Tagger& tagger, std::size_t begin, std::size_t end) const {
  TaggingSession session(tagger);
  FeatureCells columns = columns_;
  std::vector<std::uint16_t> labels;
  std::vector<std::string_view> gold;
  Part part;
  for (std::size_t i = begin; i < end; ++i) {
    session.read(sentences_[i], columns);
    session.best_labels(labels);
    gold.clear();
    for (std::size_t t = 0; t < labels.size(); ++t) {
      gold.push_back(sentences_[i].cell(t, label_column_));
      const std::size_t label = label_number(tagger, gold.back());
      if (label == tagger.num_labels()) continue;
      part.loss -= std::log(std::max<double>(session.posteriors(t)[label], kLeastGoldProbability));
    }
    add_predictions(tagger, session, labels, gold, part.predictions);
  }
  return part;
}

CalibrationMeasures Calibration::measure(double temperature, const Threads& threads) const {
  const Tagger tagger = tagger_.at_temperature(temperature);
  std::vector<Part> parts((sentences_.size() + kChunkSize - 1) / kChunkSize);
  threads.for_chunks(parts.size(), [&](std::size_t chunk, unsigned) {
    const std::size_t begin = chunk * kChunkSize;
    parts[chunk] = run(tagger, begin, std::min(sentences_.size(), begin + kChunkSize));
  });
  Part whole;
  for (const Part& part : parts) {
    whole.loss += part.loss;
    whole.predictions.insert(whole.predictions.end(), part.predictions.begin(),
                             part.predictions.end());
  }
  const std::size_t known = std::max<std::size_t>(1, num_tokens_ - num_unknown_);
  CalibrationMeasures measures{.temperature = temperature,
                               .loss = whole.loss / static_cast<double>(known),
                               .brier = eval::brier_score(whole.predictions),
                               .bins = eval::reliability(whole.predictions)};
  measures.ece = eval::expected_calibration_error(measures.bins);
  return measures;
}

double Calibration::fit(const Threads& threads) const {
  require(num_tokens_ > num_unknown_, "no token has a label that the model knows");
  return eval::fit_temperature(
      [&](double temperature) { return measure(temperature, threads).loss; });
}

}  // namespace coppice::tag
