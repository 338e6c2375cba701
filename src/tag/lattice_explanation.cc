#include <algorithm>
#include <cmath>
#include <optional>

#include "chain/forbidden.h"
#include "chain/lattice_messages.h"
#include "chain/messages.h"
#include "coppice/tag/explanation.h"
#include "tag/left_side.h"
#include "tag/session_state.h"
#include "tag/tagger_state.h"

namespace coppice::tag {

namespace {

// What one side of a token says for one of its labels.
struct LatticeSide {
  double sum = 0;                   // in all
  double sequences = 0;             // of it, the mean score of label sequences that reach the token
  double trees = 0;                 // and the mean of what the token's trees score
  std::size_t neighbour = 0;        // the most probable label there
  std::vector<double> histories{};  // by what trees see of the labels there: its probability
};

struct ExplainedLattice {
  const chain::LatticeMessages& messages;
  chain::LatticeScores scores;
  std::optional<chain::LabelHistories> histories;  // of trees, where the model has some
  std::vector<double> shifted;  // by edge: what trees score, less the mean over labels before

  double trees(std::size_t edge) const { return histories ? scores.edges[edge] : 0; }
  // What trees make of the label that stands so far before the edge's own.
  double trees_at(std::size_t edge, std::size_t distance) const {
    return histories && distance <= histories->depth() ? shifted[edge] : 0;
  }

  // The score of the edge's label sequences that are at least so long.
  double sequences(std::size_t edge, std::size_t least) const {
    double sum = 0;
    std::size_t length = 2;
    for (const std::uint32_t part : messages.lattice().parts_of(edge)) {
      if (part != chain::LabelLattice::kNoPart && length >= least) sum += scores.parts[part];
      ++length;
    }
    return sum;
  }
};

// For each edge, its score less the mean of the edges with the same token and label.
std::vector<double> shifted_scores(const chain::LabelLattice& lattice,
                                   std::span<const float> scores, std::size_t num_labels) {
  std::vector<double> shifted(scores.begin(), scores.end());
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    std::vector<double> sum(num_labels, 0.0), count(num_labels, 0.0);
    const std::size_t begin = lattice.first_edge(t), end = lattice.first_edge(t + 1);
    for (std::size_t e = begin; e < end; ++e) {
      sum[lattice.label[e]] += shifted[e];
      ++count[lattice.label[e]];
    }
    for (std::size_t e = begin; e < end; ++e) {
      shifted[e] -= sum[lattice.label[e]] / count[lattice.label[e]];
    }
  }
  return shifted;
}

std::size_t most_probable(const std::vector<double>& labels) {
  return static_cast<std::size_t>(std::max_element(labels.begin(), labels.end()) - labels.begin());
}

// ln of the sum, over what may stand left, of exp(forward + sequences that end at the token + what
// trees score there).
LatticeSide left_of(const ExplainedLattice& input, std::size_t token, std::size_t label,
                    std::size_t num_labels) {
  const chain::LatticeMessages& messages = input.messages;
  const chain::LabelLattice& lattice = messages.lattice();
  std::vector<std::size_t> edges;
  std::vector<double> terms, labels(num_labels, 0.0);
  for (std::size_t e = lattice.first_edge(token); e < lattice.first_edge(token + 1); ++e) {
    if (lattice.label[e] != label) continue;
    edges.push_back(e);
    terms.push_back(messages.forward(lattice.tail[e]) + input.sequences(e, 2) + input.trees(e));
  }
  LatticeSide side{.sum = chain::log_sum(terms)};
  if (input.histories) side.histories.assign(input.histories->size(), 0.0);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double q = std::exp(terms[i] - side.sum);
    if (q <= 0) continue;
    const chain::LabelKey history = lattice.history[lattice.tail[edges[i]]];
    side.sequences += q * input.sequences(edges[i], 2);
    side.trees += q * input.trees(edges[i]);
    if (input.histories) side.histories[input.histories->number(history)] += q;
    if (token > 0) labels[chain::last_label(history)] += q;
  }
  side.neighbour = most_probable(labels);
  return side;
}

// The mean, given the label at the token, of the scores of label sequences that hold it and end
// later; the sum is not set.
LatticeSide right_of(const ExplainedLattice& input, std::size_t token, std::size_t label,
                     std::size_t num_labels) {
  const chain::LatticeMessages& messages = input.messages;
  const chain::LabelLattice& lattice = messages.lattice();
  const std::size_t last = std::min(token + lattice.order, lattice.length() - 1);
  const std::vector<double> forward = messages.forward_from(token, label, last);
  const double log_z = messages.log_posterior(token, label) + messages.log_partition();
  LatticeSide side;
  std::vector<double> labels(num_labels, 0.0);
  for (std::size_t t = token + 1; t <= last; ++t) {
    for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
      const double q = std::exp(forward[lattice.tail[e]] + messages.score(e) +
                                messages.backward(messages.head(e)) - log_z);
      if (!(q > 0)) continue;
      side.sequences += q * (input.sequences(e, t - token + 1) + input.trees_at(e, t - token));
      if (t == token + 1) labels[lattice.label[e]] += q;
    }
  }
  side.neighbour = most_probable(labels);
  return side;
}

}  // namespace

void Explainer::add_lattice_contexts(Explanation& result) {
  ExplainedLattice input{*lattice_messages_, session_.state().tempered_lattice_scores(), {}, {}};
  const std::size_t token = result.token, num_labels = tagger_.num_labels();
  if (tagger_.trees() != nullptr) {
    input.histories = tagger_.state().histories();
    input.shifted = shifted_scores(session_.state().lattice(), input.scores.edges, num_labels);
  }
  const auto scores = session_.state().tempered_scores(token);
  const auto side = [&](std::size_t label) {
    const LatticeSide left = left_of(input, token, label, num_labels);
    LatticeSide right = right_of(input, token, label, num_labels);
    const double whole =
        lattice_messages_->log_posterior(token, label) + lattice_messages_->log_partition();
    right.sum = whole - static_cast<double>(scores[label]) - left.sum;
    return std::pair(left, right);
  };
  const auto [left, right] = side(result.label);
  const auto [other_left, other_right] = side(result.other);
  const auto difference = [](const LatticeSide& label, const LatticeSide& other) {
    const double sequences = label.sequences - other.sequences;
    return ContextContribution{
        .exists = true,
        .label = static_cast<std::uint16_t>(label.neighbour),
        .transition = sequences,
        .beyond = label.sum - other.sum - sequences - (label.trees - other.trees)};
  };
  if (token > 0) result.left = difference(left, other_left);
  if (token + 1 < session_.length()) result.right = difference(right, other_right);
  if (tagger_.trees() == nullptr) return;
  add_tree_features(result, {.label = result.label, .has_label = token > 0, .q = left.histories});
  add_tree_features(
      result,
      {.label = result.other, .sign = -1, .has_label = token > 0, .q = other_left.histories});
}

}  // namespace coppice::tag
