#include "coppice/forest/components.h"

#include <algorithm>
#include <utility>

namespace coppice {

namespace {

constexpr std::uint32_t kUnseen = 0xffffffff;

// A node being visited, and the tail to look at next among all tails of its edges.
struct Frame {
  NodeId node;
  std::size_t edge = 0;  // position in incoming[node]
  std::size_t tail = 0;  // position in that edge's tails
};

class Tarjan {
 public:
  Tarjan(const Hypergraph& graph, const EdgeMap<unsigned char>& present)
      : graph_(graph),
        present_(present),
        incoming_(graph),
        number_(graph.num_nodes(), kUnseen),
        lowest_(graph.num_nodes(), kUnseen),
        on_stack_(graph.num_nodes(), 0) {}

  // Calls emit(nodes) for each component.
  template <class Emit>
  void visit(NodeId start, Emit emit) {
    if (number_[start] != kUnseen) return;
    open(start);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      if (const NodeId* tail = next_tail(frame)) {
        if (number_[*tail] == kUnseen) {
          open(*tail);
        } else if (on_stack_[*tail]) {
          lowest_[frame.node] = std::min(lowest_[frame.node], number_[*tail]);
        }
      } else {
        close(emit);
      }
    }
  }

 private:
  void open(NodeId node) {
    number_[node] = lowest_[node] = count_++;
    on_stack_[node] = 1;
    stack_.push_back(node);
    path_.push_back({node});
  }

  template <class Emit>
  void close(Emit emit) {
    const NodeId node = path_.back().node;
    path_.pop_back();
    if (!path_.empty()) {
      const NodeId above = path_.back().node;
      lowest_[above] = std::min(lowest_[above], lowest_[node]);
    }
    if (lowest_[node] != number_[node]) return;
    auto first = stack_.end();
    do {
      on_stack_[*--first] = 0;
    } while (*first != node);
    std::sort(first, stack_.end());
    emit(std::span<const NodeId>(first, stack_.end()));
    stack_.erase(first, stack_.end());
  }

  const NodeId* next_tail(Frame& frame) const {
    const auto edges = incoming_[frame.node];
    for (; frame.edge < edges.size(); ++frame.edge, frame.tail = 0) {
      if (!present_[edges[frame.edge]]) continue;
      const auto tails = graph_.tails(edges[frame.edge]);
      if (frame.tail < tails.size()) return &tails[frame.tail++];
    }
    return nullptr;
  }

  const Hypergraph& graph_;
  const EdgeMap<unsigned char>& present_;
  IncomingEdges incoming_;
  NodeMap<std::uint32_t> number_;  // in order of discovery
  NodeMap<std::uint32_t> lowest_;  // the smallest number known to be in the same component
  NodeMap<unsigned char> on_stack_;
  std::uint32_t count_ = 0;
  std::vector<NodeId> stack_;
  std::vector<Frame> path_;
};

}  // namespace

Components::Components(const Hypergraph& graph, const EdgeMap<unsigned char>& present)
    : component_of_(graph.num_nodes(), 0), position_(graph.num_nodes(), 0) {
  nodes_.reserve(graph.num_nodes());
  Tarjan tarjan(graph, present);
  for (NodeId start : graph.nodes()) {
    tarjan.visit(start, [this](std::span<const NodeId> component) {
      for (NodeId node : component) {
        component_of_[node] = static_cast<std::uint32_t>(begin_.size() - 1);
        position_[node] = static_cast<std::uint32_t>(nodes_.size() - begin_.back());
        nodes_.push_back(node);
      }
      begin_.push_back(static_cast<std::uint32_t>(nodes_.size()));
    });
  }
}

EdgeMap<unsigned char> productive_edges(const Hypergraph& graph,
                                        const EdgeMap<unsigned char>& present) {
  // The edges that wait for a node, once for each of their tails.
  std::vector<std::uint32_t> begin(graph.num_nodes() + 1, 0);
  for (EdgeId edge : graph.edges()) {
    for (NodeId tail : graph.tails(edge)) ++begin[index(tail) + 1];
  }
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<EdgeId> waiting(begin.back());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  EdgeMap<std::uint32_t> missing(graph.num_edges(), 0);
  for (EdgeId edge : graph.edges()) {
    for (NodeId tail : graph.tails(edge)) waiting[next[index(tail)]++] = edge;
    missing[edge] = static_cast<std::uint32_t>(graph.tails(edge).size());
  }

  EdgeMap<unsigned char> productive(graph.num_edges(), 0);
  NodeMap<unsigned char> derives(graph.num_nodes(), 0);
  std::vector<NodeId> agenda;
  const auto complete = [&](EdgeId edge) {
    if (!present[edge]) return;
    productive[edge] = 1;
    if (!std::exchange(derives[graph.head(edge)], 1)) agenda.push_back(graph.head(edge));
  };
  for (EdgeId edge : graph.edges()) {
    if (missing[edge] == 0) complete(edge);
  }
  while (!agenda.empty()) {
    const std::size_t node = index(agenda.back());
    agenda.pop_back();
    for (std::size_t i = begin[node]; i < begin[node + 1]; ++i) {
      if (--missing[waiting[i]] == 0) complete(waiting[i]);
    }
  }
  return productive;
}

}  // namespace coppice
