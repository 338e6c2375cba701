// What training minimises, for one example: a value, and its derivative by the score of every edge.
//
// Let p(y) be the distribution that scores give to a forest's derivations, G those that the
// annotation allows (one, where it is complete), l(y) >= 0 the loss of answering y.
//
//     likelihood      ln Z - ln Z_G                        d/ds_e = E_p[n_e] - E_G[n_e]
//     pseudo          a likelihood of labels one by one, which engines of chains have: a forest by
//                     itself has no positions, and is refused
//     softmax-margin  ln sum of e^{s(y) + tau l(y)} - ln Z_G          E_q[n_e] - E_G[n_e], q as p
//                                                                     with the loss added
//     risk            tau E_p[l]                                      tau Cov_p(l, n_e)
//     annealed risk   tau (E_r[l] - T H(r)), r proportional to e^{gamma s}
//                                                                     forest/risk.h
//     entropy         H(p), which asks for no annotation              forest/entropy.h
//     teacher         ln Z - E_t[s] = -E_t[ln p], t a teacher's distribution, of which
//                     only its expected counts of edges are asked     E_p[n_e] - E_t[n_e]
//     parts           each edge a yes or no of its own: the sum of -ln sigma(s_e) over gold edges
//                     and of -ln sigma(-s_e) over the others          sigma(s_e) - [e is gold]
//
// tau says how much the loss counts: in softmax-margin beside the scores, in the risks beside
// whatever penalty weights have. Softmax-margin is the risk or more, and likelihood
// where tau = 0; annealed risk with T = 0 and gamma = 1 is risk. Likelihood and softmax-margin are
// convex in the scores where G is one derivation; teacher and parts always; the others are not.
//
// A loss that adds over edges is a table; one of n-grams is a table of the forest that is split for
// it (ngram_loss.h); one of two counts is exact on the split forest. Scores,
// edge cases and errors: forest/edge_gradient.h; where G has no derivation of positive weight,
// InvalidArgument (E302). Cost: two sweeps each for Z and Z_G, two for the others.
// Gimpel and Smith (2010); Auli and Lopez (2011); Smith and Eisner (2006); Li and Eisner (2009).
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/risk.h"
#include "coppice/forest/split.h"

namespace coppice::learn {

enum class ObjectiveKind : unsigned char {
  kLikelihood,
  kPseudoLikelihood,
  kSoftmaxMargin,
  kRisk,
  kAnnealedRisk,
  kEntropy,
  kTeacher,
  kParts
};

// "likelihood", "pseudo", "softmax-margin", "risk", "annealed-risk", "entropy", "teacher", "parts".
std::string_view name(ObjectiveKind kind) noexcept;
std::optional<ObjectiveKind> objective_kind(std::string_view name) noexcept;

struct Objective {
  ObjectiveKind kind = ObjectiveKind::kLikelihood;
  double loss_scale = 1;            // tau; finite, at least 0
  AnnealedRiskOptions annealing{};  // T and gamma of annealed risk

  bool needs_gold() const noexcept {
    return kind == ObjectiveKind::kLikelihood || kind == ObjectiveKind::kSoftmaxMargin ||
           kind == ObjectiveKind::kParts;
  }
  bool needs_loss() const noexcept {
    return kind == ObjectiveKind::kSoftmaxMargin || kind == ObjectiveKind::kRisk ||
           kind == ObjectiveKind::kAnnealedRisk;
  }
};

// What an example says about the derivations of its forest. Only what the objective needs is read.
struct Target {
  EdgeMap<unsigned char> gold{};  // 1 for the edges that the annotation allows
  EdgeMap<double> losses{};       // of each edge; finite
  // How often the teacher uses each edge on average: its marginals, or the counts of its best
  // answer. Finite, at least 0.
  EdgeMap<double> teacher{};
};

// Throws InvalidArgument for the pseudo-likelihood, and (E302) also where a teacher, or gold in
// `parts`, uses an edge whose score is -inf.
EdgeGradient evaluate(const Objective& objective, const Forest& forest,
                      const EdgeMap<double>& scores, const Target& target);

// The same with a loss of the counts that `split` was made by. Scores, gold and the gradient are
// those of the old forest, of which `gold` is empty where the objective needs none. Refuses teacher
// and parts, which are of the old forest's edges.
EdgeGradient evaluate(const Objective& objective, const SplitForest& split,
                      const EdgeMap<double>& scores, const EdgeMap<unsigned char>& gold,
                      const std::function<double(Counts)>& loss);

// The same with a loss for each edge of the forest that was split, by whatever.
EdgeGradient evaluate(const Objective& objective, const RefinedForest& split,
                      const EdgeMap<double>& scores, const EdgeMap<unsigned char>& gold,
                      const EdgeMap<double>& losses);

// The same with a loss for each edge into the goal, in their order.
EdgeGradient evaluate(const Objective& objective, const SplitForest& split,
                      const EdgeMap<double>& scores, const EdgeMap<unsigned char>& gold,
                      std::span<const double> goal_losses);

}  // namespace coppice::learn
