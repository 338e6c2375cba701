// What training minimises, as users name it: the same words for every structure.
//
//     objective       likelihood, pseudo, softmax-margin, risk, annealed-risk, teacher, parts
//     loss            hamming, cost-matrix                     costs of labels
//                     dec-precision, dec-recall, dec-f1        costs of wrong and missed items
//                     precision, recall, f1, fbeta:B           exact measures, of examples or of
//                                                              the corpus
//
// An item is what the structure counts: a span of labels, a labelled segment, a bracket, a
// dependency. Objectives that are not smooth at a model that knows nothing, or cost much there,
// begin where the likelihood has brought the weights: their stochastic passes minimise the
// likelihood. Risks, which are not convex, begin at its optimum (learn/staged_objective.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/learn/annealing.h"
#include "coppice/learn/measure.h"
#include "coppice/learn/objective.h"

namespace coppice::learn {

enum class LossName : unsigned char {
  kHamming,
  kCostMatrix,
  kDecPrecision,
  kDecRecall,
  kDecF1,
  kPrecision,
  kRecall,
  kF
};

// What answering `answer` costs where `gold` is right.
struct LabelCost {
  std::string gold;
  std::string answer;
  double cost = 1;
};

// Costs of items of one type, or of all where the type is empty.
struct ItemCost {
  std::string type;
  ErrorCosts costs{};
};

struct TrainingObjective {
  ObjectiveKind goal = ObjectiveKind::kLikelihood;
  LossName loss = LossName::kHamming;
  double beta = 1;                // of F
  double loss_scale = 1;          // tau, a factor of the loss
  bool of_corpus = false;         // measures: of the corpus instead of its examples
  std::vector<ItemCost> costs{};  // later ones win; a type without costs has 1 and 1
  std::vector<LabelCost> matrix{};
  AnnealingSchedule annealing{};
  double entropy_weight = 0;  // of examples without annotation

  bool has_loss() const noexcept { return goal == ObjectiveKind::kSoftmaxMargin || is_risk(); }
  bool is_measure() const noexcept { return loss >= LossName::kPrecision; }
  bool is_risk() const noexcept {
    return goal == ObjectiveKind::kRisk || goal == ObjectiveKind::kAnnealedRisk;
  }
  // Whether stochastic passes minimise the likelihood in place of the objective.
  bool starts_from_likelihood() const noexcept;
  // Requires is_measure().
  Measure measure() const noexcept;
  // Throws InvalidArgument for combinations that make no sense.
  void check() const;
};

// A cost matrix from text: a line `gold answer cost` each, `#` begins a comment. Pairs that are not
// there cost 1. Throws ParseError (E217) with file and line.
std::vector<LabelCost> parse_cost_matrix(std::string_view text, const std::string& file);

// "fn=5,fp=1", or with a type "Disease:fn=5,fp=2". Throws InvalidArgument (E116).
std::vector<ItemCost> parse_costs(std::string_view text);

}  // namespace coppice::learn
