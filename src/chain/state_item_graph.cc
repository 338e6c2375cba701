// Lattices of items on chains of higher order, and on pruned ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "chain/item_graph.h"

namespace coppice::chain {

namespace {

// The node of a state with its bit; none where no path comes there.
using StateNodes = std::array<std::uint32_t, 2>;
constexpr std::uint32_t kUnreached = 0xffffffff;

class StateBuilding {
 public:
  StateBuilding(const StateItemGraphInput& input, const ItemRules& rules, const GoldItems* gold,
                double least)
      : input_(input),
        states_(input.states),
        rules_(rules),
        gold_(gold),
        least_(least),
        nodes_(input.states.num_nodes(), {kUnreached, kUnreached}) {
    graph_.paths.num_nodes = 1;
    nodes_[0] = {0, kUnreached};
  }

  ItemGraph build() && {
    for (std::size_t t = 0; t < states_.length(); ++t) {
      find_shift(t);
      for (std::size_t state = states_.node_begin[t]; state < states_.node_begin[t + 1]; ++state) {
        for (const bool matching : {false, true}) add_node(t, state, matching);
      }
      graph_.token_begin.push_back(static_cast<std::uint32_t>(graph_.steps.size()));
      graph_.cut = std::max(graph_.cut, left_out_);
    }
    add_root();
    graph_.token_begin.push_back(static_cast<std::uint32_t>(graph_.steps.size()));
    return std::move(graph_);
  }

 private:
  std::size_t last_label_of(std::size_t state) const {
    return state == 0 ? rules_.boundary() : last_label(states_.history[state]);
  }
  ItemStep step_to(std::size_t t, std::size_t state, bool matching, std::size_t next) const {
    if (gold_ == nullptr) return {};
    return item_step(rules_, *gold_, t, last_label_of(state), matching, next);
  }

  // The largest score of an edge, so that none is too large for its exponential.
  void find_shift(std::size_t t) {
    shift_ = -std::numeric_limits<double>::infinity();
    left_out_ = 0;
    for (std::size_t e = states_.first_edge(t); e < states_.first_edge(t + 1); ++e) {
      if (input_.posteriors[e] < least_) left_out_ += input_.posteriors[e];
      shift_ = std::max(shift_, input_.scores.of(states_, t, e));
    }
  }

  void add_node(std::size_t t, std::size_t state, bool matching) {
    const auto id = static_cast<std::uint32_t>(graph_.paths.num_nodes);
    const std::size_t before = graph_.steps.size();
    for (std::size_t e = states_.edge_begin[state]; e < states_.edge_begin[state + 1]; ++e) {
      if (input_.posteriors[e] >= least_) add_edges(t, e, id, matching);
    }
    if (graph_.steps.size() == before) return;
    ++graph_.paths.num_nodes;
    nodes_[state][matching ? 1 : 0] = id;
  }

  // From the tail without the bit and with it, as far as they lead to the head's bit.
  void add_edges(std::size_t t, std::size_t edge, std::uint32_t head, bool matching) {
    const std::size_t tail = states_.tail[edge], previous = last_label_of(tail);
    const double weight = std::exp(input_.scores.of(states_, t, edge) - shift_);
    if (!(weight > 0)) return;
    for (const bool bit : {false, true}) {
      const std::uint32_t from = nodes_[tail][bit ? 1 : 0];
      if (from == kUnreached) continue;
      const ItemStep step = step_to(t, tail, bit, states_.label[edge]);
      if (step.matching != matching) continue;
      add_step(from, head,
               {static_cast<std::uint32_t>(t), states_.label[edge],
                t == 0 ? kNoLabel : static_cast<std::uint16_t>(previous),
                static_cast<std::uint32_t>(edge)},
               step, weight);
    }
  }

  void add_root() {
    const auto root = static_cast<std::uint32_t>(graph_.paths.num_nodes++);
    const std::size_t length = states_.length();
    for (std::size_t state = states_.node_begin[length - 1]; state < states_.num_nodes(); ++state) {
      for (const bool bit : {false, true}) {
        const std::uint32_t from = nodes_[state][bit ? 1 : 0];
        if (from == kUnreached) continue;
        add_step(from, root, {}, step_to(length, state, bit, rules_.boundary()), 1);
      }
    }
  }

  void add_step(std::uint32_t from, std::uint32_t head, EdgeLabels labels, ItemStep step,
                double weight) {
    const auto number = static_cast<std::uint32_t>(graph_.steps.size());
    graph_.paths.edges.push_back({from, head, number, weight});
    graph_.steps.push_back({labels, step.n, step.d});
  }

  const StateItemGraphInput& input_;
  const LabelLattice& states_;
  const ItemRules& rules_;
  const GoldItems* gold_;
  double least_;
  ItemGraph graph_;
  std::vector<StateNodes> nodes_;  // by state
  double shift_ = 0, left_out_ = 0;
};

}  // namespace

ItemGraph build_item_graph(const StateItemGraphInput& input, const ItemRules& rules,
                           const GoldItems* gold, double least_posterior) {
  return StateBuilding(input, rules, gold, least_posterior).build();
}

}  // namespace coppice::chain
