// One's own semiring in 15 lines: the derivation whose worst edge is best.
//
// A semiring is a struct of static functions over a plain value. Give it the four operations, say
// whether plus picks one of its arguments and whether times commutes, and every algorithm that
// asks for no more works with it.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "coppice/forest/best.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/outside.h"

// (max, min, -inf, +inf): a chain is as strong as its weakest link, and we may choose the chain.
struct Bottleneck {
  using Value = double;
  static constexpr bool is_selective = true;    // so there is a best derivation
  static constexpr bool is_commutative = true;  // so there are outside weights

  static Value zero() { return -std::numeric_limits<double>::infinity(); }
  static Value one() { return std::numeric_limits<double>::infinity(); }
  static Value plus(Value a, Value b) { return std::max(a, b); }
  static Value times(Value a, Value b) { return std::min(a, b); }
};
static_assert(coppice::SelectiveSemiring<Bottleneck>);

int main() {
  // Two ways to join two parts, one of which can be made in two ways.
  coppice::ForestBuilder builder;
  const auto left = builder.add_node();
  builder.add_edge(left, {});  // edge 0
  builder.add_edge(left, {});  // edge 1
  const auto right = builder.add_node();
  builder.add_edge(right, {});  // edge 2
  const auto root = builder.add_node();
  builder.add_edge(root, {left, right});  // edge 3
  builder.add_edge(root, {right, left});  // edge 4
  const coppice::Forest forest = std::move(builder).build();
  const coppice::EdgeMap<double> strength{{3.0, 5.0, 4.0, 2.0, 9.0}};

  const auto inside = coppice::inside<Bottleneck>(forest, strength);
  const auto outside = coppice::outside<Bottleneck>(forest, strength, inside);
  std::printf("the strongest derivation holds %g\n", inside[root]);
  std::printf("what surrounds the left part holds %g\n", outside[left]);

  const auto best = coppice::best_derivation<Bottleneck>(forest, strength);
  std::printf("its edges:");
  for (const coppice::EdgeId edge : best->edges) std::printf(" %zu", coppice::index(edge));
  std::printf("\n");
}
