#include "coppice/forest/hypergraph.h"

#include <string>
#include <utility>

#include "coppice/base/error.h"

namespace coppice {

namespace {

enum class Visit : unsigned char { kNew, kOpen, kDone };

// A node being visited: the position of the tail to look at next among all tails of its edges.
struct Frame {
  NodeId node;
  std::size_t edge = 0;  // position in incoming[node]
  std::size_t tail = 0;  // position in that edge's tails
};

std::string describe_cycle(const std::vector<Frame>& path, NodeId closing) {
  std::size_t begin = path.size();
  while (path[--begin].node != closing) {
  }
  std::string text;
  for (std::size_t i = begin; i < path.size() && i < begin + 8; ++i) {
    text += concat(index(path[i].node), " <- ");
  }
  if (path.size() - begin > 8) text += "... <- ";
  return text + std::to_string(index(closing));
}

bool in_order(const Hypergraph& graph) {
  for (EdgeId edge : graph.edges()) {
    for (NodeId tail : graph.tails(edge)) {
      if (tail >= graph.head(edge)) return false;
    }
  }
  return true;
}

// Depth-first post-order: every tail before its head.
class PostOrder {
 public:
  explicit PostOrder(const Hypergraph& graph)
      : graph_(graph), incoming_(graph), state_(graph.num_nodes(), Visit::kNew) {
    order_.reserve(graph.num_nodes());
    for (NodeId node : graph.nodes()) visit(node);
  }
  const std::vector<NodeId>& order() const noexcept { return order_; }

 private:
  void visit(NodeId start) {
    if (state_[start] != Visit::kNew) return;
    open(start);
    while (!path_.empty()) {
      if (const NodeId* tail = next_tail(path_.back())) {
        if (state_[*tail] == Visit::kNew) {
          open(*tail);
        } else if (state_[*tail] == Visit::kOpen) {
          throw InvalidArgument("forest: cycle through nodes " + describe_cycle(path_, *tail),
                                {.code = "E221"});
        }
      } else {
        state_[path_.back().node] = Visit::kDone;
        order_.push_back(path_.back().node);
        path_.pop_back();
      }
    }
  }

  void open(NodeId node) {
    state_[node] = Visit::kOpen;
    path_.push_back({node});
  }

  const NodeId* next_tail(Frame& frame) const {
    const auto edges = incoming_[frame.node];
    for (; frame.edge < edges.size(); ++frame.edge, frame.tail = 0) {
      const auto tails = graph_.tails(edges[frame.edge]);
      if (frame.tail < tails.size()) return &tails[frame.tail++];
    }
    return nullptr;
  }

  const Hypergraph& graph_;
  IncomingEdges incoming_;
  NodeMap<Visit> state_;
  std::vector<Frame> path_;
  std::vector<NodeId> order_;
};

std::vector<NodeId> topological_order(const Hypergraph& graph) {
  if (!in_order(graph)) return PostOrder(graph).order();
  return {graph.nodes().begin(), graph.nodes().end()};
}

}  // namespace

NodeId Hypergraph::add_node() {
  require(num_nodes_ < kMaxIds, "hypergraph: more than ", kMaxIds, " nodes");
  const auto node = static_cast<NodeId>(num_nodes_++);
  if (!root_is_set_) root_ = node;
  return node;
}

EdgeId Hypergraph::add_edge(NodeId head, std::span<const NodeId> tails) {
  require(index(head) < num_nodes_, "add_edge: head ", index(head), " of ", num_nodes_, " nodes");
  for (NodeId tail : tails) {
    require(index(tail) < num_nodes_, "add_edge: tail ", index(tail), " of ", num_nodes_, " nodes");
  }
  require(heads_.size() < kMaxIds, "hypergraph: more than ", kMaxIds, " edges");
  require(tails_.size() + tails.size() < kMaxIds, "hypergraph: more than ", kMaxIds, " tails");
  const auto edge = static_cast<EdgeId>(heads_.size());
  heads_.push_back(head);
  tails_.insert(tails_.end(), tails.begin(), tails.end());
  tails_begin_.push_back(static_cast<std::uint32_t>(tails_.size()));
  return edge;
}

void Hypergraph::set_root(NodeId root) {
  require(index(root) < num_nodes_, "hypergraph: root ", index(root), " of ", num_nodes_, " nodes");
  root_ = root;
  root_is_set_ = true;
}

// Counting sort of the edges by head; equal heads keep their order.
IncomingEdges::IncomingEdges(const Hypergraph& graph)
    : begin_(graph.num_nodes() + 1, 0), edges_(graph.num_edges()) {
  for (EdgeId edge : graph.edges()) ++begin_[index(graph.head(edge)) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (EdgeId edge : graph.edges()) edges_[next[index(graph.head(edge))]++] = edge;
}

SortedForest sort_topologically(const Hypergraph& graph) {
  if (graph.num_nodes() == 0) return {};
  const std::vector<NodeId> order = topological_order(graph);
  SortedForest sorted{{}, {graph.num_nodes(), NodeId{}}, {graph.num_edges(), EdgeId{}}};
  const IncomingEdges incoming(graph);
  ForestBuilder builder;
  std::vector<NodeId> tails;
  for (NodeId node : order) {
    sorted.node_of[node] = builder.add_node();
    for (EdgeId edge : incoming[node]) {
      tails.clear();
      for (NodeId tail : graph.tails(edge)) tails.push_back(sorted.node_of[tail]);
      sorted.edge_of[edge] = builder.add_edge(sorted.node_of[node], tails);
    }
  }
  sorted.forest = std::move(builder).build(sorted.node_of[graph.root()]);
  return sorted;
}

}  // namespace coppice
