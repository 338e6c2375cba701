#include <algorithm>
#include <cmath>
#include <utility>

#include "tag/left_side.h"
#include "tag/session_state.h"
#include "tag/tagger_state.h"

namespace coppice::tag {

Explainer::LeftSide Explainer::left_side(std::size_t token, std::uint16_t label) {
  const chain::EdgeShape shape = tagger_.state().shape();
  LeftSide side{.label = label, .q = std::vector<double>(shape.states, 0.0)};
  side.has_label = token > 0 && shape.has_pairs();
  if (!side.has_label) {
    side.q[shape.state_after(token, 0)] = 1;
    return side;
  }
  const auto edges = session_.state().tempered_edges();
  const auto forward = session_.state().messages().forward(token - 1);
  std::vector<double> pair(shape.labels);
  for (std::size_t u = 0; u < shape.labels; ++u) {
    pair[u] = static_cast<double>(edges[shape.place(token, u, label)]);
  }
  side.split = split_context(pair, {forward.begin(), forward.end()});
  std::copy(side.split.q.begin(), side.split.q.end(), side.q.begin());
  for (std::size_t u = 0; u < shape.labels; ++u) {
    if (side.q[u] <= 0) continue;
    side.transition +=
        side.q[u] * static_cast<double>(tagger_.state().tempered_transitions().score(u, label));
  }
  return side;
}

void Explainer::add_edge_features(Explanation& result) {
  LeftSide label = left_side(result.token, result.label);
  LeftSide other = left_side(result.token, result.other);
  other.sign = -1;
  if (label.has_label) {
    result.left = {.exists = true,
                   .label = static_cast<std::uint16_t>(label.split.best),
                   .transition = label.transition - other.transition,
                   .beyond = label.split.rest - other.split.rest};
    if (tagger_.state().pairs() != nullptr) add_pair_features(result, label, other);
  }
  if (tagger_.trees() != nullptr) {
    add_tree_features(result, label);
    add_tree_features(result, other);
  }
}

// A weight counts by how probable the label before is.
void Explainer::add_pair_features(Explanation& result, const LeftSide& label,
                                  const LeftSide& other) {
  const auto& [potential, pairs] = *tagger_.state().pairs();
  const text::AttributeList& list = attributes_.transitions;
  std::vector<LinearPotential::Entry> row;
  for (std::size_t k = list.offsets[result.token]; k < list.offsets[result.token + 1]; ++k) {
    const FrozenLinear::Slot* slot = potential.find(list.keys[k]);
    if (slot == nullptr) continue;
    potential.read(*slot, row);
    double weight = 0;
    for (const LinearPotential::Entry& entry : row) {
      const auto [previous, next] = pairs[entry.label];
      if (next == label.label) weight += label.q[previous] * static_cast<double>(entry.weight);
      if (next == other.label) weight -= other.q[previous] * static_cast<double>(entry.weight);
    }
    if (weight == 0) continue;
    const float value = list.values.empty() ? 1.0f : list.values[k];
    result.features.push_back({*extractor_.name(list.templates[k], cells_, result.token), value,
                               weight, 0, value * weight / tagger_.config().temperature});
  }
}

ContextContribution Explainer::right_edge_context(const Explanation& result) {
  const chain::EdgeShape shape = tagger_.state().shape();
  const std::size_t next = result.token + 1;
  if (next == session_.length() || !shape.has_pairs()) return {};
  const auto edges = session_.state().tempered_edges();
  const auto backward = session_.state().messages().backward(next);
  std::vector<double> means(shape.labels, 0.0), rest(shape.labels);
  for (std::size_t v = 0; v < shape.labels; ++v) {
    std::size_t possible = 0;
    for (std::size_t u = 0; u < shape.labels; ++u) {
      const auto score = static_cast<double>(edges[shape.place(next, u, v)]);
      if (std::isinf(score)) continue;
      means[v] += score;
      ++possible;
    }
    if (possible > 0) means[v] /= static_cast<double>(possible);
    rest[v] = backward[v] + means[v];
  }
  const auto side = [&](std::size_t y) {
    std::vector<double> pair(shape.labels);
    for (std::size_t v = 0; v < shape.labels; ++v) {
      pair[v] = static_cast<double>(edges[shape.place(next, y, v)]) - means[v];
    }
    return split_context(pair, rest);
  };
  return context_difference(side(result.label), side(result.other));
}

}  // namespace coppice::tag
