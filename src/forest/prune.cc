#include "coppice/forest/prune.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/best.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/outside.h"
#include "coppice/semiring/boolean.h"
#include "coppice/semiring/selective.h"

namespace coppice {

namespace {

using Flags = EdgeMap<unsigned char>;

// Top-down: calls visit(edge, node) for the edges into every node that the root reaches, where an
// edge leads to its tails if visit returns true.
template <class Visit>
void sweep_down(const Forest& forest, Visit visit) {
  if (forest.empty()) return;
  NodeMap<unsigned char> reached(forest.num_nodes(), 0);
  reached[forest.root()] = 1;
  for (std::size_t i = forest.num_nodes(); i-- > 0;) {
    const auto node = static_cast<NodeId>(i);
    if (!reached[node]) continue;
    for (EdgeId edge : forest.incoming(node)) {
      if (!visit(edge, node)) continue;
      for (NodeId tail : forest.tails(edge)) reached[tail] = 1;
    }
  }
}

void keep_best_derivation(const Forest& forest, const EdgeMap<double>& scores, Flags& kept) {
  const auto best = best_edges<MaxPlusSemiring>(forest, scores);
  sweep_down(forest, [&](EdgeId edge, NodeId node) {
    if (best.edge[node] != edge) return false;
    kept[edge] = 1;
    return true;
  });
}

void keep_at_least(const EdgeMap<double>& values, double limit, Flags& kept) {
  std::transform(values.values().begin(), values.values().end(), kept.values().begin(),
                 [limit](double value) -> unsigned char { return value >= limit; });
}

}  // namespace

Flags useful_edges(const Forest& forest, const Flags& kept) {
  const auto productive = inside<BooleanSemiring>(forest, kept);
  Flags useful(forest.num_edges(), 0);
  sweep_down(forest, [&](EdgeId edge, NodeId) {
    const auto tails = forest.tails(edge);
    useful[edge] = kept[edge] && std::all_of(tails.begin(), tails.end(),
                                             [&](NodeId tail) { return productive[tail] != 0; });
    return useful[edge] != 0;
  });
  return useful;
}

Flags useful_edges(const Forest& forest) {
  return useful_edges(forest, Flags(forest.num_edges(), 1));
}

PrunedForest keep_edges(const Forest& forest, const Flags& kept) {
  const Flags useful = useful_edges(forest, kept);
  PrunedForest pruned;
  ForestBuilder builder;
  NodeMap<NodeId> new_node(forest.num_nodes(), NodeId{});
  std::vector<NodeId> tails;
  for (NodeId node : forest.nodes()) {
    bool added = false;
    for (EdgeId edge : forest.incoming(node)) {
      if (!useful[edge]) continue;
      if (!std::exchange(added, true)) {
        new_node[node] = builder.add_node();
        pruned.node_of.push_back(node);
      }
      tails.clear();
      for (NodeId tail : forest.tails(edge)) tails.push_back(new_node[tail]);
      builder.add_edge(new_node[node], tails);
      pruned.edge_of.push_back(edge);
    }
  }
  pruned.forest = std::move(builder).build();  // the root reaches all, so it came last
  return pruned;
}

EdgeMap<double> max_marginals(const Forest& forest, const EdgeMap<double>& scores) {
  using S = MaxPlusSemiring;
  const auto inner = inside<S>(forest, scores);
  const auto outer = outside<S>(forest, scores, inner);
  EdgeMap<double> through(forest.num_edges(), S::zero());
  for (NodeId node : forest.nodes()) {
    for (EdgeId edge : forest.incoming(node)) {
      through[edge] = S::times(outer[node], scores[edge]);
      for (NodeId tail : forest.tails(edge)) through[edge] = S::times(through[edge], inner[tail]);
    }
  }
  return through;
}

PrunedForest prune_by_max_marginal(const Forest& forest, const EdgeMap<double>& scores,
                                   double beam) {
  require(beam >= 0, "prune: a beam of ", beam, "; expected 0 or more");
  const EdgeMap<double> through = max_marginals(forest, scores);
  double best = MaxPlusSemiring::zero();
  for (double score : through.values()) best = std::max(best, score);
  if (best == MaxPlusSemiring::zero()) return {};
  Flags kept(forest.num_edges(), 0);
  // An edge in no derivation stays out of an infinite beam too.
  keep_at_least(through, std::max(best - beam, std::numeric_limits<double>::lowest()), kept);
  keep_best_derivation(forest, scores, kept);
  return keep_edges(forest, kept);
}

PrunedForest prune_by_marginal(const Forest& forest, const EdgeMap<double>& scores,
                               const EdgeMap<double>& marginals, double threshold) {
  require(threshold >= 0 && threshold <= 1, "prune: a threshold of ", threshold,
          "; expected a probability");
  require(marginals.size() == forest.num_edges(), "prune: ", marginals.size(),
          " marginals for a forest of ", forest.num_edges(), " edges");
  Flags kept(forest.num_edges(), 0);
  keep_at_least(marginals, threshold, kept);
  keep_best_derivation(forest, scores, kept);
  return keep_edges(forest, kept);
}

ForestRecord restrict_record(const ForestRecord& record, PrunedForest pruned) {
  ForestRecord result = make_record(std::move(pruned.forest));
  result.id = record.id;
  result.tokens = record.tokens;
  result.meta = record.meta;
  if (record.has_spans()) result.spans = NodeMap<TokenSpan>(result.forest.num_nodes(), {});
  for (NodeId node : result.forest.nodes()) {
    const NodeId old = pruned.node_of[node];
    require(index(old) < record.forest.num_nodes(), "restrict: there is no node ", index(old));
    result.node_labels[node] = result.symbols.add(record.label(old));
    if (record.has_spans()) result.spans[node] = record.spans[old];
  }
  result.edge_values = EdgeValues();
  for (EdgeId edge : result.forest.edges()) {
    const EdgeId old = pruned.edge_of[edge];
    require(index(old) < record.forest.num_edges(), "restrict: there is no edge ", index(old));
    result.edge_labels[edge] = result.symbols.add(record.label(old));
    result.scores[edge] = record.scores[old];
    result.edge_values.begin_edge();
    const auto names = record.edge_values.names_of(old);
    const auto values = record.edge_values.values_of(old);
    for (std::size_t i = 0; i < names.size(); ++i) {
      result.edge_values.add(record.edge_values.names[names[i]], values[i]);
    }
  }
  return result;
}

}  // namespace coppice
