// Weights of labels in training, for labels that are rare or matter more.
//
// With a weight c(y) for each label, a sentence x with the labels y counts
//
//     weight(x)  *  mean over its tokens t of c(y_t)
//
// times in the objective, where weight(x) is its own (`# weight = 2`). Everything else stays as it
// was: the objective is convex, and a sentence's probability is still that of a chain. (To weigh
// tokens one by one is not a likelihood of sequences any more.) A token that may have several
// labels counts with their mean, one of which nothing is known with 1.
//
//     balanced:  c(y) = N / (L n(y))     for n(y) tokens of label y, N in all, L labels:
//                                        c is 1 on average over the tokens
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::chain {
struct Dataset;  // of src/chain/dataset.h
}  // namespace coppice::chain

namespace coppice::tag {

class ClassWeights {
 public:
  ClassWeights() = default;  // 1 for every label
  // "balanced", or "LABEL=WEIGHT,...", where a LABEL may be a pattern (constraints.h); of two
  // that match a label, the last one decides. The label ends at the first '=' after its first
  // character, so that "," and "=" are labels too.
  // Throws InvalidArgument (E127) for anything else, and for weights that are negative or not
  // finite.
  static ClassWeights parse(std::string_view text);

  bool empty() const noexcept { return !balanced_ && rules_.empty(); }

  // c(y) for each label. Throws InvalidArgument (E127) when a pattern matches none of them.
  std::vector<double> of(const std::vector<std::string>& labels, const chain::Dataset& data) const;

  // Multiplies the weights of the sentences. Throws as of(), and when no sentence is left with a
  // weight above 0.
  void apply(const std::vector<std::string>& labels, chain::Dataset& data) const;

 private:
  bool balanced_ = false;
  std::vector<std::pair<std::string, double>> rules_;
};

}  // namespace coppice::tag
