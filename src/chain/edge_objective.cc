#include "coppice/chain/edge_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "chain/forbidden.h"
#include "coppice/chain/likelihood.h"

namespace coppice::chain {

namespace {

// The scores with all labels forbidden that the annotation does not allow.
void restrict_to_gold(const EdgeExample& example, std::vector<float>& scores) {
  const EdgeShape& shape = example.shape;
  scores.assign(example.scores.begin(), example.scores.end());
  for (std::size_t t = 0; t < example.gold.length(); ++t) {
    for (std::size_t v = 0; v < shape.labels; ++v) {
      if (example.gold.allows(t, v)) continue;
      for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
        scores[shape.place(t, state, v)] = kForbidden;
      }
    }
  }
}

// The place of a token's gold pair. Requires a complete annotation.
std::size_t gold_place(const EdgeExample& example, std::size_t t) {
  const std::size_t previous = t > 0 ? example.gold.at(t - 1)[0] : 0;
  return example.shape.place(t, example.shape.state_after(t, previous), example.gold.at(t)[0]);
}

// The example for an objective of sentences, which may write to its scores. Where these are of a
// lattice's edges, the rows of labels are 0.
Example as_sentence(const EdgeExample& example, std::span<float> scores, const Transitions& none,
                    AlignedVector<float>& rows) {
  Example sentence{nullptr, none, example.gold};
  sentence.sentence = example.sentence;
  if (example.lattice == nullptr) {
    sentence.edge_shape = example.shape;
    sentence.edges = scores;
    return sentence;
  }
  rows.assign(example.gold.length() * none.stride(), 0.0f);
  sentence.scores = rows.data();
  sentence.lattice = example.lattice;
  sentence.lattice_edges = scores;
  return sentence;
}

double evaluate_sentence(const SentenceObjective& objective, const EdgeExample& example,
                         std::span<float> derivatives, EdgeObjectiveWorkspace& workspace) {
  std::copy(example.scores.begin(), example.scores.end(), derivatives.begin());
  const Transitions none(example.shape.labels);
  workspace.pairs.reset(none);
  return objective.evaluate(as_sentence(example, derivatives, none, workspace.rows),
                            workspace.pairs, workspace.sentence);
}

// Where a path of a lattice goes on: its edges by the node that they leave.
class Continuations {
 public:
  explicit Continuations(const LabelLattice& lattice)
      : lattice_(lattice),
        begin_(lattice.num_nodes() + 1, 0),
        edges_(lattice.num_edges()),
        head_(lattice.num_edges()) {
    for (const std::uint32_t node : lattice.tail) ++begin_[node + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t node = 0; node < lattice.num_nodes(); ++node) {
      for (std::uint32_t e = lattice.edge_begin[node]; e < lattice.edge_begin[node + 1]; ++e) {
        edges_[next[lattice.tail[e]]++] = e;
        head_[e] = node;
      }
    }
  }

  // Appends the edges from `node` on with these labels; false where the lattice lacks one.
  bool follow(std::uint32_t node, std::span<const std::uint16_t> labels,
              std::vector<std::uint32_t>& path) const {
    for (const std::uint16_t label : labels) {
      const auto first = edges_.begin() + begin_[node], last = edges_.begin() + begin_[node + 1];
      const auto found =
          std::find_if(first, last, [&](std::uint32_t e) { return lattice_.label[e] == label; });
      if (found == last) return false;
      path.push_back(*found);
      node = head_[*found];
    }
    return true;
  }

 private:
  const LabelLattice& lattice_;
  std::vector<std::uint32_t> begin_, edges_, head_;
};

// - ln p(y_t | all other labels) of one token: the label, and those after it that see it, on the
// path that leaves the gold one at `token`.
double token_pseudo_likelihood(const EdgeExample& example, const Continuations& onward,
                               std::span<const std::uint32_t> gold_path, std::size_t token,
                               std::span<float> derivatives) {
  const LabelLattice& lattice = *example.lattice;
  const std::size_t end = std::min(token + std::max(1u, lattice.order + 1), lattice.length());
  std::vector<std::uint16_t> labels;
  for (std::size_t t = token; t < end; ++t) labels.push_back(lattice.label[gold_path[t]]);
  const std::uint16_t gold = labels[0];
  struct Candidate {
    std::vector<std::uint32_t> path;
    double score = 0;
  };
  std::vector<Candidate> candidates;
  double largest = kLogZero, right = kLogZero;
  for (std::size_t v = 0; v < example.shape.labels; ++v) {
    Candidate one;
    labels[0] = static_cast<std::uint16_t>(v);
    if (!onward.follow(lattice.tail[gold_path[token]], labels, one.path)) continue;
    for (const std::uint32_t e : one.path) one.score += static_cast<double>(example.scores[e]);
    largest = std::max(largest, one.score);
    if (v == gold) right = one.score;
    candidates.push_back(std::move(one));
  }
  double sum = 0;
  for (Candidate& one : candidates) sum += one.score = std::exp(one.score - largest);
  for (const Candidate& one : candidates) {
    const bool is_gold = lattice.label[one.path[0]] == gold;
    const auto slope = static_cast<float>(one.score / sum - (is_gold ? 1 : 0));
    for (const std::uint32_t e : one.path) derivatives[e] += slope;
  }
  return largest + std::log(sum) - right;
}

double lattice_pseudo_likelihood(const EdgeExample& example, std::span<float> derivatives) {
  const LabelLattice& lattice = *example.lattice;
  std::fill(derivatives.begin(), derivatives.end(), 0.0f);
  std::vector<std::uint16_t> labels(lattice.length());
  for (std::size_t t = 0; t < labels.size(); ++t) labels[t] = example.gold.at(t)[0];
  const Continuations onward(lattice);
  std::vector<std::uint32_t> path;
  if (!onward.follow(0, labels, path)) return std::numeric_limits<double>::infinity();
  double value = 0;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    value += token_pseudo_likelihood(example, onward, path, t, derivatives);
  }
  return value;
}

}  // namespace

double edge_likelihood(const EdgeExample& example, std::span<float> derivatives,
                       EdgeWorkspace& workspace) {
  const EdgeShape& shape = example.shape;
  if (!example.gold.complete) {
    std::vector<float> right;
    restrict_to_gold(example, right);
    const double gold_z = edge_marginals(shape, right, right, workspace);
    const double log_z = edge_marginals(shape, example.scores, derivatives, workspace);
    for (std::size_t i = 0; i < derivatives.size(); ++i) derivatives[i] -= right[i];
    return log_z - gold_z;
  }
  double score = 0;
  for (std::size_t t = 0; t < example.gold.length(); ++t) {
    score += static_cast<double>(example.scores[gold_place(example, t)]);
  }
  const double log_z = edge_marginals(shape, example.scores, derivatives, workspace);
  for (std::size_t t = 0; t < example.gold.length(); ++t) {
    derivatives[gold_place(example, t)] -= 1;
  }
  return log_z - score;
}

double EdgeLikelihood::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                EdgeObjectiveWorkspace& workspace) const {
  if (example.lattice != nullptr) {
    return evaluate_sentence(Likelihood(), example, derivatives, workspace);
  }
  return edge_likelihood(example, derivatives, workspace.sentence.edges);
}

double EdgePseudoLikelihood::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                      EdgeObjectiveWorkspace& workspace) const {
  if (!example.gold.complete) return EdgeLikelihood().evaluate(example, derivatives, workspace);
  if (example.lattice != nullptr) return lattice_pseudo_likelihood(example, derivatives);
  const EdgeShape& shape = example.shape;
  const std::size_t length = example.gold.length();
  std::fill(derivatives.begin(), derivatives.end(), 0.0f);
  std::vector<double> p(shape.labels);
  double value = 0;
  for (std::size_t t = 0; t < length; ++t) {
    const std::size_t gold = example.gold.at(t)[0];
    const std::size_t state = shape.state_after(t, t > 0 ? example.gold.at(t - 1)[0] : 0);
    const bool is_followed = shape.has_pairs() && t + 1 < length;
    // Where a candidate v meets the token after: its pair (v, y_{t+1}).
    const auto onward = [&](std::size_t v) {
      return shape.place(t + 1, v, example.gold.at(t + 1)[0]);
    };
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < shape.labels; ++v) {
      p[v] = static_cast<double>(example.scores[shape.place(t, state, v)]);
      if (is_followed) p[v] += static_cast<double>(example.scores[onward(v)]);
      largest = std::max(largest, p[v]);
    }
    double sum = 0;
    const double gold_score = p[gold];
    for (double& one : p) sum += one = std::exp(one - largest);
    value += largest + std::log(sum) - gold_score;
    for (std::size_t v = 0; v < shape.labels; ++v) {
      const auto slope = static_cast<float>(p[v] / sum - (v == gold ? 1 : 0));
      derivatives[shape.place(t, state, v)] += slope;
      if (is_followed) derivatives[onward(v)] += slope;
    }
  }
  return value;
}

double SentenceEdgeObjective::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                       EdgeObjectiveWorkspace& workspace) const {
  return evaluate_sentence(*objective_, example, derivatives, workspace);
}

void SentenceEdgeObjective::look(const EdgeExample& example, EdgeObjectiveWorkspace& workspace) {
  workspace.scores.assign(example.scores.begin(), example.scores.end());
  const Transitions none(example.shape.labels);
  objective_->look(as_sentence(example, workspace.scores, none, workspace.rows),
                   workspace.sentence);
}

double ForestEdgeObjective::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                     EdgeObjectiveWorkspace& workspace) const {
  if (example.lattice != nullptr) {
    return evaluate_sentence(ForestObjective(function_), example, derivatives, workspace);
  }
  const ChainForest chain = edge_forest(example.shape, example.scores);
  learn::Target target;
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& parts = chain.parts[edge];
    const bool is_right = parts.label == kNoLabel || example.gold.allows(parts.token, parts.label);
    target.gold.push_back(is_right ? 1 : 0);
    target.losses.push_back(is_right ? 0 : 1);
  }
  const EdgeGradient result = function_(chain.forest, chain.scores, target);
  std::fill(derivatives.begin(), derivatives.end(), 0.0f);
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& parts = chain.parts[edge];
    if (parts.label == kNoLabel) continue;
    const std::size_t state = example.shape.state_after(parts.token, parts.previous);
    derivatives[example.shape.place(parts.token, state, parts.label)] +=
        static_cast<float>(result.gradient[edge]);
  }
  return result.value;
}

}  // namespace coppice::chain
