#include "cli/operating_curve.h"

#include <fmt/core.h>

#include <cmath>

#include "coppice/base/plot.h"

namespace coppice::cli {

namespace {

// Costs of a miss are powers of the square root of 2, from 1/64 to 64: an item is answered from a
// probability of 0.98 on at one end, and of 0.02 at the other.
constexpr int kStepsEachWay = 12;

double miss_cost(int step) { return std::pow(2.0, step / 2.0); }

learn::TrainingObjective loss_with(double miss) {
  learn::TrainingObjective loss;
  loss.loss = learn::LossName::kDecF1;
  loss.costs = {{.type = "", .costs = {.false_positive = 1, .false_negative = miss}}};
  return loss;
}

}  // namespace

OperatingCurve::OperatingCurve(const tag::Tagger& tagger) : tagger_(tagger) {
  for (int step = -kStepsEachWay; step <= kStepsEachWay; ++step) {
    decoders_.emplace_back(tagger, loss_with(miss_cost(step)));
    pairs_.emplace_back();
  }
}

void OperatingCurve::add(const text::Sentence& sentence, std::span<const std::string_view> gold,
                         tag::TaggingSession& session) {
  for (std::size_t k = 0; k < decoders_.size(); ++k) {
    decoders_[k].decode(session, labels_);
    names_.clear();
    for (const std::uint16_t label : labels_) names_.push_back(tagger_.label(label));
    pairs_[k].add(sentence, gold, names_);
  }
}

std::vector<OperatingPoint> OperatingCurve::points(const ScoringOptions& options) const {
  std::vector<OperatingPoint> points;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const Scores scores = score(pairs_[k], decide_scoring(options, pairs_[k]));
    points.push_back({miss_cost(static_cast<int>(k) - kStepsEachWay),
                      value_of(scores, Metric::kPrecision), value_of(scores, Metric::kRecall),
                      value_of(scores, Metric::kF1)});
  }
  return points;
}

std::string text_of(std::span<const OperatingPoint> points, std::string_view path) {
  if (path.ends_with(".svg")) {
    PlotSeries series{"precision", {}};
    for (const OperatingPoint& point : points) {
      series.points.push_back({point.recall, point.precision});
    }
    return line_plot({&series, 1}, {.title = "operating points",
                                    .x = {.label = "recall"},
                                    .y = {.label = "precision"},
                                    .width = 480,
                                    .height = 480});
  }
  std::string table = "cost\tprecision\trecall\tf1\n";
  for (const auto& [cost, precision, recall, f1] : points) {
    table += fmt::format("{:.4f}\t{:.2f}\t{:.2f}\t{:.2f}\n", cost, precision, recall, f1);
  }
  return table;
}

}  // namespace coppice::cli
