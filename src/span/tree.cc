#include "coppice/span/tree.h"

#include <iterator>

#include "coppice/base/error.h"
#include "coppice/text/brackets.h"

namespace coppice::span {

Tree tree(const Grammar& grammar, const ParseResult& parsed, std::span<const EdgeId> derivation) {
  const Forest& forest = parsed.forest;
  require(!forest.empty(), "tree: the forest is empty");
  Tree tree;
  std::vector<NodeId> open{forest.root()};
  for (EdgeId edge : derivation) {
    require(!open.empty(), "tree: edges after the end of the derivation");
    const NodeId node = open.back();
    open.pop_back();
    const auto incoming = forest.incoming(node);
    require(!incoming.empty() && edge >= incoming[0] &&
                index(edge) - index(incoming[0]) < incoming.size(),
            "tree: edge ", index(edge), " does not go into node ", index(node));
    const NodeInfo& info = parsed.nodes[node];
    if (info.kind != NodeKind::kPrefix) {
      const RuleId rule = parsed.rules[edge];
      const std::size_t children = rule == kNoRule ? 0 : grammar.right(rule).size();
      tree.vertices.push_back(
          {info.symbol, info.begin, info.end, static_cast<std::uint32_t>(children), rule, node});
    }
    const auto tails = forest.tails(edge);
    open.insert(open.end(), std::make_reverse_iterator(tails.end()),
                std::make_reverse_iterator(tails.begin()));
  }
  require(open.empty(), "tree: the derivation lacks an edge into node ",
          open.empty() ? 0 : index(open.back()));
  return tree;
}

std::string brackets(const Grammar& grammar, const Tree& tree) {
  std::string text;
  text::BracketWriter writer(text);
  std::vector<std::uint32_t> missing;  // children still to come, of each open bracket
  for (const Tree::Vertex& vertex : tree.vertices) {
    if (!missing.empty()) --missing.back();
    if (vertex.num_children > 0) {
      writer.open(grammar.name(vertex.symbol));
      missing.push_back(vertex.num_children);
      continue;
    }
    writer.word(grammar.name(vertex.symbol));
    for (; !missing.empty() && missing.back() == 0; missing.pop_back()) writer.close();
  }
  return text;
}

}  // namespace coppice::span
