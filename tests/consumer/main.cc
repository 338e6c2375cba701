#include <coppice/forest/inside.h>
#include <coppice/semiring/log.h>

#include <utility>

int main() {
  coppice::ForestBuilder builder;
  const auto leaf = builder.add_node();
  builder.add_edge(leaf, {});
  const auto forest = std::move(builder).build();
  const coppice::EdgeMap<double> scores(1, 0.0);
  return coppice::inside<coppice::LogSemiring>(forest, scores)[leaf] == 0 ? 0 : 1;
}
