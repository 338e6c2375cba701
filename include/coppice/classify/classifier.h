// A trained classifier: one model file, and what can be asked of it.
//
//     const Classifier classifier = Classifier::open("spam.cop");
//     classifier.features().encode(line.features, bins);
//     classifier.probabilities(bins, p, scratch);
//
// Two classes: p(second) = 1 / (1 + exp(-h)). More: one against the rest, p(k) proportional to
// 1 / (1 + exp(-h_k)). The file has the models of the whole path of lambdas (l1_boosting.h); the
// one in use is that of one point of each class's path, chosen on development data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/trees/feature_table.h"
#include "coppice/trees/l1_boosting.h"
#include "coppice/trees/predictor.h"

namespace coppice::classify {

// The learner of one output: of the second of two classes, or of one class against the rest.
struct OutputPath {
  std::uint16_t positive = 1;  // the class whose score it is
  std::vector<trees::PathPoint> points;
  std::size_t chosen = 0;
};

// Writes a model: trees of all outputs, in the order of `paths`. Features that no tree asks for
// are left out. `card` is a JSON object for people, and no part of the model's identity.
ModelWriter write_classifier(const trees::FeatureTable& features,
                             const std::vector<std::string>& labels,
                             std::span<const OutputPath> paths,
                             std::span<const trees::Ensemble* const> trees,
                             const std::string& card);

// A question with its answer, as a person reads it: "money", "not money", "caps > 0.5".
struct Condition {
  std::string text;
  bool negated = false;  // "not money"
};

// A conjunction and what it adds to the score of its output.
struct CompoundFeature {
  std::size_t output = 0;
  std::vector<Condition> conditions;  // from the root; none for the constant
  double weight = 0;
};

class Classifier {
 public:
  // Throws ModelError (E401..E406) when the file is no classifier or is damaged.
  static Classifier open(const std::string& path);
  explicit Classifier(ModelFile file);

  const ModelFile& file() const noexcept { return *file_; }
  const std::vector<std::string>& labels() const noexcept { return labels_; }
  const trees::FeatureTable& features() const noexcept { return *features_; }
  const std::vector<OutputPath>& paths() const noexcept { return paths_; }

  // Uses the last point of each path whose lambda is not below `lambda`, instead of
  // the ones that were chosen in training.
  void choose_lambda(double lambda);

  // Writes p(class) of every class, which sum to 1.
  void probabilities(std::span<const std::uint32_t> bins, std::span<double> p,
                     trees::Predictor::Scratch& scratch) const;

  // The compound features of the chosen points, equal ones added up, largest |weight| first.
  std::vector<CompoundFeature> compound_features() const;

 private:
  void compile();
  bool fits(std::size_t output) const;  // its path, to the labels and trees
  trees::EnsembleView trees_of(std::size_t output) const;

  std::shared_ptr<const ModelFile> file_;
  std::vector<std::string> labels_;
  std::vector<OutputPath> paths_;
  std::shared_ptr<const trees::FeatureTable> features_;
  trees::EnsembleView trees_;
  std::shared_ptr<const trees::Ensemble> used_;
  trees::Predictor predictor_;
};

}  // namespace coppice::classify
