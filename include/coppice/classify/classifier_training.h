// The whole training of a classifier: examples in, a model out.
//
//     ClassifierTraining training(features, labels, train, development, options);
//     while (training.step(threads)) report(training.summary());
//     training.model(card).write("spam.cop", Overwrite::kRefuse);
//
// Two classes have one learner, more have one each, against the rest. The learners are independent;
// each walks its own path of lambdas and has its own best point on it.
#pragma once

#include <string>
#include <vector>

#include "coppice/classify/classifier.h"

namespace coppice::classify {

// Where all learners together are.
struct TrainingSummary {
  double lambda = 0;  // of the learner that is farthest down its path
  std::size_t trees = 0;
  std::size_t features = 0;
  double objective = 0;
  double loss = 0;  // summed over learners, as is the next
  std::optional<double> development_loss{};
  bool best = false;  // whether each learner that moved found its best development loss so far
};

class ClassifierTraining {
 public:
  // What the arguments show must outlive this. Throws InvalidArgument for fewer than two labels,
  // and as L1Booster does. An empty development view: the ends of the paths are taken.
  ClassifierTraining(const trees::FeatureTable& features, std::vector<std::string> labels,
                     const trees::ExampleView& train, const trees::ExampleView& development,
                     const trees::L1Options& options);

  // Takes every learner to the next point of its path, in parallel; false when all are done.
  bool step(const Threads& threads);

  TrainingSummary summary() const;
  std::vector<OutputPath> paths() const;
  ModelWriter model(const std::string& card) const;

 private:
  const trees::FeatureTable& features_;
  std::vector<std::string> labels_;
  std::vector<trees::L1Booster> boosters_;
  std::vector<unsigned char> done_;
  bool moved_best_ = false;
};

}  // namespace coppice::classify
