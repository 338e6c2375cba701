// From names and numbers to the objective that a tagger is trained with.
//
//     objective       likelihood, pseudo, softmax-margin, risk, annealed-risk
//     loss            hamming, cost-matrix                     costs of labels
//                     dec-precision, dec-recall, dec-f1        costs of wrong and missed items
//                     precision, recall, f1, fbeta:B           exact measures, of sentences or of
//                                                              the corpus
//
// Objectives that are not smooth at a model that knows nothing, or cost much there, begin where
// the likelihood has brought the weights: their stochastic passes minimise the likelihood. Risks,
// which are not convex, begin at its optimum (chain/after_likelihood.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/chain/loss_objective.h"
#include "coppice/chain/objective.h"
#include "coppice/learn/annealing.h"
#include "coppice/learn/measure.h"
#include "coppice/text/spans.h"

namespace coppice::chain {

enum class TrainingGoal : unsigned char {
  kLikelihood,
  kPseudoLikelihood,
  kSoftmaxMargin,
  kRisk,
  kAnnealedRisk
};

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
  learn::ErrorCosts costs{};
};

struct TrainingObjective {
  TrainingGoal goal = TrainingGoal::kLikelihood;
  LossName loss = LossName::kHamming;
  double beta = 1;                // of F
  double loss_scale = 1;          // tau, a factor of the loss
  bool of_corpus = false;         // measures: of the corpus instead of its sentences
  std::vector<ItemCost> costs{};  // later ones win; a type without costs has 1 and 1
  std::vector<LabelCost> matrix{};
  learn::AnnealingSchedule annealing{};
  double entropy_weight = 0;  // of sentences without labels

  bool has_loss() const noexcept {
    return goal != TrainingGoal::kLikelihood && goal != TrainingGoal::kPseudoLikelihood;
  }
  bool is_measure() const noexcept { return loss >= LossName::kPrecision; }
  // Whether stochastic passes can follow the objective itself.
  bool starts_from_likelihood() const noexcept;
  bool is_risk() const noexcept {
    return goal == TrainingGoal::kRisk || goal == TrainingGoal::kAnnealedRisk;
  }
};

// A cost matrix from text: a line `gold answer cost` each, `#` begins a comment. Pairs that are not
// there cost 1. Throws ParseError (E217) with file and line.
std::vector<LabelCost> parse_cost_matrix(std::string_view text, const std::string& file);

// "fn=5,fp=1", or with a type "Disease:fn=5,fp=2". Throws InvalidArgument (E116).
std::vector<ItemCost> parse_costs(std::string_view text);

// The loss alone. Throws InvalidArgument for combinations that make no sense and for labels that do
// not exist.
ChainLoss chain_loss(const TrainingObjective& options, std::span<const std::string> labels,
                     text::Scheme scheme);

// Throws as chain_loss does.
std::unique_ptr<SentenceObjective> make_objective(const TrainingObjective& options,
                                                  std::span<const std::string> labels,
                                                  text::Scheme scheme);

}  // namespace coppice::chain
