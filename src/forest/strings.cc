#include "coppice/forest/strings.h"

#include "coppice/base/error.h"
#include "coppice/forest/derivation.h"

namespace coppice {

namespace {

bool has_each_tail_once(const Yield& yield, std::size_t num_tails) {
  std::vector<unsigned char> seen(num_tails, 0);
  std::size_t found = 0;
  for (const YieldItem& item : yield) {
    const auto* tail = std::get_if<TailId>(&item);
    if (tail == nullptr) continue;
    if (index(*tail) >= num_tails || seen[index(*tail)] != 0) return false;
    seen[index(*tail)] = 1;
    ++found;
  }
  return found == num_tails;
}

// A yield that is being written.
struct Writing {
  EdgeId edge;
  std::vector<std::size_t> children;  // positions in the derivation, one for each tail
  std::size_t next = 0;               // item
};

Writing writing_at(const DerivationTree& tree, std::span<const EdgeId> edges,
                   std::size_t position) {
  Writing writing{edges[position], {}};
  tree.for_each_child(position, [&](std::size_t child) { writing.children.push_back(child); });
  return writing;
}

}  // namespace

void check_yields(const Forest& forest, const EdgeMap<Yield>& yields) {
  require(yields.size() == forest.num_edges(), "yields: ", yields.size(),
          " yields for a forest of ", forest.num_edges(), " edges");
  for (EdgeId edge : forest.edges()) {
    const std::size_t num_tails = forest.tails(edge).size();
    require(has_each_tail_once(yields[edge], num_tails), "yields: edge ", index(edge),
            " does not have each of its ", num_tails, " tails once");
  }
}

std::vector<WordId> string_of(const Forest& forest, const EdgeMap<Yield>& yields,
                              std::span<const EdgeId> edges) {
  check_yields(forest, yields);
  const DerivationTree tree(forest, edges);
  std::vector<WordId> words;
  std::vector<Writing> open{writing_at(tree, edges, 0)};
  while (!open.empty()) {
    Writing& top = open.back();
    const Yield& yield = yields[top.edge];
    if (top.next == yield.size()) {
      open.pop_back();
      continue;
    }
    const YieldItem& item = yield[top.next++];
    if (const auto* word = std::get_if<WordId>(&item)) {
      words.push_back(*word);
    } else {
      open.push_back(writing_at(tree, edges, top.children[index(std::get<TailId>(item))]));
    }
  }
  return words;
}

}  // namespace coppice
