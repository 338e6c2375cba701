#include "coppice/classify/classifier_training.h"

#include <algorithm>

#include "coppice/base/error.h"

namespace coppice::classify {

ClassifierTraining::ClassifierTraining(const trees::FeatureTable& features,
                                       std::vector<std::string> labels,
                                       const trees::ExampleView& train,
                                       const trees::ExampleView& development,
                                       const trees::L1Options& options)
    : features_(features), labels_(std::move(labels)) {
  require(labels_.size() >= 2, "all examples have the same label; a classifier needs two");
  for (std::size_t k = labels_.size() == 2 ? 1 : 0; k < labels_.size(); ++k) {
    const auto positive = static_cast<std::uint16_t>(k);
    boosters_.push_back(boosters_.empty() ? trees::L1Booster(features.schema(), train, development,
                                                             positive, options)
                                          : boosters_.front().for_class(positive));
  }
  done_.assign(boosters_.size(), 0);
}

bool ClassifierTraining::step(const Threads& threads) {
  std::vector<unsigned char> best(boosters_.size(), 1);
  threads.for_chunks(boosters_.size(), [&](std::size_t k, unsigned) {
    if (done_[k] != 0) return;
    trees::L1Booster& booster = boosters_[k];
    const std::size_t points = booster.path().size();
    bool more = true;
    while (more && booster.path().size() == points) more = booster.step(threads);
    done_[k] = !more;
    best[k] = booster.best_point() + 1 == booster.path().size();
  });
  moved_best_ = std::ranges::all_of(best, [](unsigned char one) { return one != 0; });
  return std::ranges::any_of(done_, [](unsigned char one) { return one == 0; });
}

TrainingSummary ClassifierTraining::summary() const {
  TrainingSummary summary;
  for (const trees::L1Booster& booster : boosters_) {
    if (booster.path().empty()) continue;
    const trees::PathPoint& point = booster.path().back();
    const bool first = summary.lambda == 0;
    summary.lambda = first ? point.lambda : std::min(summary.lambda, point.lambda);
    summary.trees += point.trees;
    summary.features += point.features;
    summary.objective += point.objective;
    summary.loss += point.loss;
    if (point.development_loss) {
      summary.development_loss = summary.development_loss.value_or(0) + *point.development_loss;
    }
  }
  summary.best = moved_best_;
  return summary;
}

std::vector<OutputPath> ClassifierTraining::paths() const {
  std::vector<OutputPath> paths;
  paths.reserve(boosters_.size());
  for (std::size_t k = 0; k < boosters_.size(); ++k) {
    paths.push_back({static_cast<std::uint16_t>(boosters_.size() == 1 ? 1 : k), boosters_[k].path(),
                     boosters_[k].best_point()});
  }
  return paths;
}

ModelWriter ClassifierTraining::model(const std::string& card) const {
  std::vector<const trees::Ensemble*> trees;
  trees.reserve(boosters_.size());
  for (const trees::L1Booster& booster : boosters_) trees.push_back(&booster.trees());
  return write_classifier(features_, labels_, paths(), trees, card);
}

}  // namespace coppice::classify
