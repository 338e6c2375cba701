#include "forest/derivation_tree.h"

#include <algorithm>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::detail {

namespace {

class TreeMaker {
 public:
  explicit TreeMaker(const ForestRecord& record) : record_(record) {
    if (!record.forest.empty()) open_.push_back({record.forest.root(), 0, 0});
  }

  void add(EdgeId edge, std::size_t position) {
    const Forest& forest = record_.forest;
    require(index(edge) < forest.num_edges(), "derivation: edge ", index(edge), " of ",
            forest.num_edges(), " edges");
    require(!open_.empty(), "derivation: ", position + 1, " edges, but it is complete after ",
            position);
    const Open open = open_.back();
    require(forest.head(edge) == open.node, "derivation: edge ", index(edge), " at position ",
            position, " goes into node ", index(forest.head(edge)), ", expected node ",
            index(open.node));
    open_.pop_back();
    const auto tails = forest.tails(edge);
    if (position > 0 && !tails.empty() && record_.label(open.node).starts_with(kHelperMark)) {
      for (std::size_t i = tails.size(); i-- > 0;) {
        open_.push_back({tails[i], open.parent, open.depth});
      }
      return;
    }
    const std::size_t item = tree_.items.size();
    tree_.items.push_back({name(open.node, edge), false, open.parent, open.depth});
    for (std::size_t i = tails.size(); i-- > 0;) open_.push_back({tails[i], item, open.depth + 1});
    if (tails.empty()) add_tokens(open.node, item);
  }

  DrawnTree take() {
    require(open_.empty(), "derivation: it ends before node ",
            open_.empty() ? 0 : index(open_.back().node), " is derived");
    return std::move(tree_);
  }

 private:
  struct Open {
    NodeId node;
    std::size_t parent;
    std::size_t depth;
  };

  std::string name(NodeId node, EdgeId edge) const {
    if (!record_.label(node).empty()) return std::string(record_.label(node));
    if (!record_.label(edge).empty()) return std::string(record_.label(edge));
    return concat('#', index(node));
  }

  void add_tokens(NodeId node, std::size_t item) {
    if (!record_.tokens || !record_.has_spans()) return;
    const TokenSpan span = record_.spans[node];
    const std::size_t depth = tree_.items[item].depth + 1;
    if (span.end - span.begin == 1 && tree_.items[item].text == (*record_.tokens)[span.begin]) {
      tree_.items[item].is_token = true;
      return;
    }
    for (std::uint32_t i = span.begin; i < span.end; ++i) {
      tree_.items.push_back({(*record_.tokens)[i], true, item, depth});
    }
  }

  const ForestRecord& record_;
  DrawnTree tree_;
  std::vector<Open> open_;  // nodes still to be derived, the next one last
};

}  // namespace

std::vector<std::vector<std::size_t>> DrawnTree::children() const {
  std::vector<std::vector<std::size_t>> lists(items.size());
  for (std::size_t i = 1; i < items.size(); ++i) lists[items[i].parent].push_back(i);
  return lists;
}

DrawnTree make_tree(const ForestRecord& record, std::span<const EdgeId> derivation) {
  validate(record);
  TreeMaker maker(record);
  for (std::size_t i = 0; i < derivation.size(); ++i) maker.add(derivation[i], i);
  return maker.take();
}

DrawnTree cut(const DrawnTree& tree, std::size_t max_items) {
  std::vector<std::size_t> at_depth;
  for (const TreeItem& item : tree.items) {
    if (item.depth >= at_depth.size()) at_depth.resize(item.depth + 1, 0);
    ++at_depth[item.depth];
  }
  std::size_t levels = 0, kept = 0;
  while (levels < at_depth.size() && (levels == 0 || kept + at_depth[levels] <= max_items)) {
    kept += at_depth[levels++];
  }
  DrawnTree result;
  std::vector<std::size_t> new_index(tree.items.size(), 0);
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    if (tree.items[i].depth >= levels) continue;
    new_index[i] = result.items.size();
    result.items.push_back(tree.items[i]);
    result.items.back().parent = new_index[tree.items[i].parent];
  }
  return result;
}

}  // namespace coppice::detail
