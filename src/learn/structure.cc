#include "coppice/learn/structure.h"

#include <utility>

#include "coppice/base/error.h"

namespace coppice::learn {

EdgeId ExampleBuilder::add_edge(NodeId head, std::span<const NodeId> tails,
                                std::span<const PartId> parts, const EdgeTarget& target) {
  const EdgeId edge = forest_.add_edge(head, tails);
  example_.forest.parts.add_edge(parts);
  PartTarget& tables = example_.target;
  tables.gold.push_back(target.is_gold ? 1 : 0);
  tables.counts.push_back(target.counts);
  tables.due.push_back(target.due);
  if (target.mistakes) tables.mistakes.push_back(*target.mistakes);
  tables.types.push_back(target.type);
  return edge;
}

void ExampleBuilder::finish(std::uint32_t num_gold) {
  const std::size_t mistakes = example_.target.mistakes.size();
  require(mistakes == 0 || mistakes == forest_.num_edges(), "mistakes of ", mistakes,
          " edges, of a forest of ", forest_.num_edges());
  example_.forest.forest = std::move(forest_).build();
  example_.target.num_gold = num_gold;
}

std::string Structure::name(std::size_t example) const { return concat("example ", example + 1); }

}  // namespace coppice::learn
