// Why a token has its label and not another: an exact sum.
//
// Of two labels a and b at token t, with scores s at the model's temperature,
//
//     ln p(y_t = a) / p(y_t = b)  =  s[t][a] - s[t][b]                 what the features say
//                                  + L(a) - L(b)                        what the left context says
//                                  + R(a) - R(b)                        what the right context says
//
// where, with the forward and backward messages of chain/messages.h,
//
//     L(y) = ln sum over u of exp( forward[t-1][u] + T(u, y) ),    R(y) = backward[t][y].
//
// The features' part is a sum of weights, one a feature. Each context's part is split once more,
// without a remainder, by the identity ln sum exp(x_u) = E[x_u] + H for u distributed as exp(x_u):
// with q_y(u) = p(y_{t-1} = u | y_t = y, what stands left of t),
//
//     L(y) = E_q [T(u, y)]  +  ( E_q [forward[t-1][u]] + H(q_y) )
//
// that is, the score of the pair with the neighbour's label, averaged over what that label may be,
// and the rest: how well the tokens beyond bear a label that fits y. R(y) likewise. A pair that is
// forbidden has probability 0 under q and takes no part, so everything is finite unless a or b is
// impossible.
//
// In a chain of order 2 or 3, or a pruned one, sequences of labels that hold y_t and end at t
// belong to the left, with L(y) = ln sum over histories h of exp( forward[h] + scores of those
// sequences ), split as above; those that end later to the right, with R(y) all that is left of ln
// p(y_t = y). Their scores are averaged over p(sequence | y_t = y), the rest is R(y) less that
// mean. A label that pruning has left out has probability 0.
//
// Features that are conjoined with a pair of labels, and trees, score pairs of labels at tokens:
// F(t, u, y). L(y) = ln sum over u of exp( forward[t-1][u] + F(t, u, y) ) splits as above into
// E_q [F(t, u, y)] and the rest. Of the first, a feature with the weights w(u, y) has the share
// E_q [w(u, y)] times its value. What trees add is a sum over the trees of y of
//
//     mean at the root  +  sum over the questions on the path of  (mean after - mean before)
//
// averaged over q, which credits each tested feature with what its answer changed, without a
// remainder (means of nodes: trees/tree.h). What questions about the label before add counts as
// transition. To the right, the pair's score is counted against its mean over all labels that the
// token could have.
// (Such paths of means: Saabas 2014.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coppice/tag/encode.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/sentence.h"
#include "coppice/trees/draw.h"

namespace coppice::chain {
class LatticeMessages;
}  // namespace coppice::chain

namespace coppice::tag {

// What one feature adds to the log-odds.
struct FeatureContribution {
  std::string name;  // as templates name it, or as the data does
  float value = 1;
  double weight = 0;  // its weight for the label less that for the other (of pairs: the mean)
  double trees = 0;   // what questions about it add, of the label's trees less the other's
  double amount = 0;  // (value * weight + trees) / temperature
};

// What the tokens on one side add.
struct ContextContribution {
  bool exists = false;      // false at the sentence's end
  std::uint16_t label = 0;  // what the neighbour most probably has, given the token's label
  double transition = 0;    // the pair with the neighbour's label, and longer sequences
  double beyond = 0;        // the rest
};

struct Explanation {
  std::size_t token = 0;
  std::uint16_t label = 0;
  std::uint16_t other = 0;
  double label_probability = 0;
  double other_probability = 0;
  double log_odds = 0;  // the sum of all that follows
  // What trees add before they ask anything, of the label's less the other's.
  double base = 0;
  // The largest first. Features that add nothing to either label are left out. Of those that trees
  // ask for, "not a" is one that the token does not have, "no a" a value that it lacks.
  std::vector<FeatureContribution> features{};
  ContextContribution left{}, right{};
};

// Not for several threads at once.
class Explainer {
 public:
  // The tagger must outlive this.
  explicit Explainer(const Tagger& tagger);
  ~Explainer();

  // The labels of the sentence (Viterbi). `columns` as for TaggingSession.
  const std::vector<std::uint16_t>& read(const text::Sentence& sentence, FeatureCells& columns);

  // Of the sentence read last, which must still be there. `other`: the most probable label but
  // `label` without it. Nothing when one of the two labels is impossible at the token, and so has
  // no log-odds. Requires token < length, labels of the model, label != other.
  std::optional<Explanation> explain(std::size_t token, std::uint16_t label,
                                     std::optional<std::uint16_t> other = std::nullopt);

 private:
  double log_posterior(std::size_t token, std::size_t label);
  std::uint16_t runner_up(std::size_t token, std::size_t label);
  void add_features(Explanation& result);
  void add_feature(Explanation& result, std::string name, std::uint64_t key, float value);
  ContextContribution left_context(const Explanation& result);
  ContextContribution right_context(const Explanation& result);
  // The same for a tagger whose scores of pairs differ from token to token: what its trees and its
  // features of pairs say, with all that stands left; and what stands right.
  struct LeftSide;
  LeftSide left_side(std::size_t token, std::uint16_t label);
  void add_edge_features(Explanation& result);
  void add_pair_features(Explanation& result, const LeftSide& label, const LeftSide& other);
  void add_tree_features(Explanation& result, const LeftSide& side);
  ContextContribution right_edge_context(const Explanation& result);
  // The same for a tagger with lattices.
  void add_lattice_contexts(Explanation& result);

  const Tagger& tagger_;
  TaggingSession session_;
  text::Extractor extractor_;
  text::Attributes attributes_;
  const text::Sentence* sentence_ = nullptr;
  text::Cells cells_;
  std::vector<std::uint16_t> labels_;
  trees::FeatureNames tree_names_;
  std::unique_ptr<chain::LatticeMessages> lattice_messages_;  // of models with lattices
};

}  // namespace coppice::tag
