#include "coppice/forest/conditionals.h"

#include <cmath>

#include "forest/conditional_sweep.h"

namespace coppice {

namespace detail {

void require_finite(std::span<const double> values, const char* what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values[i]), what, " of edge ", i, " is ", values[i],
            "; expected a finite number");
  }
}

void require_derivation(const WideFloat& total) {
  if (total == WideFloat()) {
    throw InvalidArgument("the forest has no derivation of positive weight", {.code = "E301"});
  }
}

void throw_bad_score(EdgeId edge, double score) {
  throw InvalidArgument(concat("score of edge ", index(edge), " is ", score,
                               "; expected at most 2^50, or -infinity"));
}

void descend(const Forest& forest, const EdgeMap<double>& centred, EdgeMap<double>& gradient) {
  struct Above {
    double uses = 0;
    double pull = 0;
  };
  NodeMap<Above> above(forest.num_nodes(), Above{});
  above[forest.root()].uses = 1;
  for (std::size_t i = index(forest.root()) + 1; i-- > 0;) {
    const Above here = above[static_cast<NodeId>(i)];
    for (EdgeId edge : forest.incoming(static_cast<NodeId>(i))) {
      if (here.uses == 0) {
        gradient[edge] = 0;
        continue;
      }
      const double uses = here.uses * gradient[edge];
      const double pull = here.pull * gradient[edge] + here.uses * centred[edge];
      gradient[edge] = pull;
      for (NodeId tail : forest.tails(edge)) {
        above[tail].uses += uses;
        above[tail].pull += pull;
      }
    }
  }
}

}  // namespace detail

EdgeConditionals edge_conditionals(const Forest& forest, const EdgeMap<double>& scores,
                                   double scale) {
  EdgeMap<double> probability(forest.num_edges(), 0.0);
  const auto total =
      detail::sweep_conditionals(forest, scores, scale, [&](const detail::NodeEdges& at) {
        for (std::size_t i = 0; i < at.size(); ++i) probability[at.edges[i]] = at.conditional(i);
      });
  detail::require_derivation(total);
  return {log(total), std::move(probability)};
}

NodeMap<double> expected_uses(const Forest& forest, const EdgeMap<double>& conditionals) {
  detail::require_entries(forest, conditionals.size(), "conditionals");
  NodeMap<double> uses(forest.num_nodes(), 0.0);
  if (forest.empty()) return uses;
  uses[forest.root()] = 1;
  for (std::size_t i = index(forest.root()) + 1; i-- > 0;) {
    const double here = uses[static_cast<NodeId>(i)];
    if (here == 0) continue;
    for (EdgeId edge : forest.incoming(static_cast<NodeId>(i))) {
      for (NodeId tail : forest.tails(edge)) uses[tail] += here * conditionals[edge];
    }
  }
  return uses;
}

}  // namespace coppice
