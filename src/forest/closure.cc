#include "coppice/forest/closure.h"

#include <algorithm>
#include <string>

namespace coppice::detail {

namespace {

std::string describe(std::span<const NodeId> nodes) {
  constexpr std::size_t shown = 8;
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (std::size_t i = 0; i < std::min(nodes.size(), shown); ++i) {
    text += concat(i == 0 ? "" : ", ", index(nodes[i]));
  }
  return nodes.size() > shown ? text + ", ..." : text;
}

}  // namespace

void refuse_branching_cycle(const Hypergraph& graph, EdgeId edge,
                            std::span<const NodeId> component) {
  throw InvalidArgument(
      concat("closure: a branching cycle through ", describe(component), "; edge ", index(edge),
             " into node ", index(graph.head(edge)), " has two tails or more on it"),
      {.code = "E227",
       .help = "only cycles in which an edge has one tail on the cycle are summed"});
}

void refuse_divergence(std::span<const NodeId> component, const Error& reason) {
  throw InvalidArgument(concat("closure: cycle through ", describe(component), ": ", reason.what()),
                        {.code = "E228"});
}

}  // namespace coppice::detail
