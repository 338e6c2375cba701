#include "coppice/learn/derivation_list.h"

#include <utility>

#include "coppice/base/error.h"

namespace coppice::learn {

namespace {

Forest one_edge_each(std::size_t derivations) {
  ForestBuilder builder;
  const NodeId root = builder.add_node();
  for (std::size_t i = 0; i < derivations; ++i) builder.add_edge(root, {});
  return std::move(builder).build();
}

template <class Value>
EdgeMap<Value> sums_of(const std::vector<Derivation>& derivations, const EdgeMap<Value>& values) {
  EdgeMap<Value> totals(derivations.size(), Value{});
  for (std::size_t i = 0; i < derivations.size(); ++i) {
    Value& total = totals[static_cast<EdgeId>(i)];
    for (EdgeId edge : derivations[i].edges) {
      require(index(edge) < values.size(), "derivation list: a table of ", values.size(),
              " entries for a derivation with an edge ", index(edge));
      total = total + values[edge];
    }
  }
  return totals;
}

}  // namespace

DerivationList::DerivationList(std::vector<Derivation> listed)
    : derivations(std::move(listed)), forest(one_edge_each(derivations.size())) {}

EdgeMap<double> DerivationList::sums(const EdgeMap<double>& values) const {
  return sums_of(derivations, values);
}

EdgeMap<Counts> DerivationList::sums(const EdgeMap<Counts>& counts) const {
  return sums_of(derivations, counts);
}

EdgeGradient DerivationList::spread(const EdgeGradient& gradient, std::size_t num_edges) const {
  EdgeGradient result{gradient.value, EdgeMap<double>(num_edges, 0.0)};
  for (EdgeId listed : forest.edges()) {
    for (EdgeId edge : derivations[index(listed)].edges) {
      require(index(edge) < num_edges, "derivation list: ", num_edges,
              " edges for a derivation with an edge ", index(edge));
      result.gradient[edge] += gradient.gradient[listed];
    }
  }
  return result;
}

}  // namespace coppice::learn
