#include "coppice/forest/kbest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "coppice/base/assert.h"
#include "coppice/base/error.h"

namespace coppice {

namespace {

EdgeMap<double> checked(EdgeMap<double> scores) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (EdgeId edge : IdRange<EdgeId>(scores.size())) {
    require(scores[edge] < infinity, "kbest: the score of edge ", index(edge), " is ",
            scores[edge]);
  }
  return scores;
}

}  // namespace

KBest::KBest(const Forest& forest, EdgeMap<double> scores)
    : forest_(&forest),
      scores_(checked(std::move(scores))),
      best_(best_edges<MaxPlusSemiring>(forest, scores_)),
      state_of_(forest.num_nodes(), untouched) {}

KBest::Item KBest::item(NodeId node, std::uint32_t rank) const {
  if (rank == 0) return {best_.weight[node], best_.edge[node], all_zero};
  return states_[state_of_[node]].found[rank];
}

bool KBest::better(const Item& a, const Item& b) const {
  if (a.score != b.score) return a.score > b.score;
  if (a.edge != b.edge) return a.edge < b.edge;
  for (std::size_t tail = 0; tail < forest_->tails(a.edge).size(); ++tail) {
    if (rank(a, tail) != rank(b, tail)) return rank(a, tail) < rank(b, tail);
  }
  return false;
}

// Makes the lists of a node: its best derivation found, its other edges candidates.
KBest::Node& KBest::touch(NodeId node) {
  if (state_of_[node] != untouched) return states_[state_of_[node]];
  state_of_[node] = static_cast<std::uint32_t>(states_.size());
  Node& state = states_.emplace_back();
  state.found.push_back(item(node, 0));
  for (EdgeId edge : forest_->incoming(node)) {
    double score = scores_[edge];
    for (NodeId tail : forest_->tails(edge)) score += best_.weight[tail];
    if (edge == best_.edge[node] || score == MaxPlusSemiring::zero()) continue;
    state.heap.push_back({score, edge, all_zero});
  }
  std::make_heap(state.heap.begin(), state.heap.end(),
                 [this](const Item& a, const Item& b) { return better(b, a); });
  return state;
}

bool KBest::has(NodeId node, std::size_t rank) const {
  if (rank == 0) return best_.edge[node] != kNoEdge;
  return state_of_[node] != untouched && rank < states_[state_of_[node]].found.size();
}

bool KBest::is_exhausted(NodeId node) const {
  return state_of_[node] != untouched && states_[state_of_[node]].exhausted;
}

// Finds one more derivation of the node, or that there is none. The nodes pending are a path from
// head to tail, so none of them is pending twice.
void KBest::extend(NodeId node) {
  pending_.push_back({node});
  while (!pending_.empty()) {
    touch(pending_.back().node);
    if (const std::optional<NodeId> tail = add_successors(pending_.back())) {
      pending_.push_back({*tail});
    } else {
      take_best(touch(pending_.back().node));
      pending_.pop_back();
    }
  }
}

// Adds the successors of what the node found last. Stops at a tail whose list must be extended
// first, and returns it; one more derivation is always enough, for the rank before is in use.
std::optional<NodeId> KBest::add_successors(Extension& extension) {
  Node& node = states_[state_of_[extension.node]];
  const Item last = node.found.back();
  const auto tails = forest_->tails(last.edge);
  for (; extension.tail < tails.size(); ++extension.tail) {
    const NodeId tail = tails[extension.tail];
    const std::uint32_t used = rank(last, extension.tail);
    if (has(tail, used + 1)) {
      add_successor(node, last, extension.tail);
    } else if (!is_exhausted(tail)) {
      return tail;
    }
    if (used > 0) break;  // only this far: each tuple gets one predecessor
  }
  return std::nullopt;
}

void KBest::add_successor(Node& node, Item predecessor, std::size_t tail) {
  const auto tails = forest_->tails(predecessor.edge);
  require(ranks_.size() + tails.size() < all_zero, "kbest: more than ", all_zero, " ranks");
  Item next{scores_[predecessor.edge], predecessor.edge, static_cast<std::uint32_t>(ranks_.size())};
  for (std::size_t i = 0; i < tails.size(); ++i) {
    ranks_.push_back(rank(predecessor, i) + (i == tail ? 1 : 0));
    next.score += item(tails[i], ranks_.back()).score;
  }
  node.heap.push_back(next);
  std::push_heap(node.heap.begin(), node.heap.end(),
                 [this](const Item& a, const Item& b) { return better(b, a); });
}

void KBest::take_best(Node& node) {
  if (node.heap.empty()) {
    node.exhausted = true;
    return;
  }
  std::pop_heap(node.heap.begin(), node.heap.end(),
                [this](const Item& a, const Item& b) { return better(b, a); });
  node.found.push_back(node.heap.back());
  node.heap.pop_back();
}

std::optional<Derivation> KBest::operator()(std::size_t k) {
  if (forest_->empty() || !has(forest_->root(), 0)) return std::nullopt;
  const NodeId root = forest_->root();
  while (!has(root, k)) {
    if (is_exhausted(root)) return std::nullopt;
    extend(root);
  }
  return read(static_cast<std::uint32_t>(k));
}

Derivation KBest::read(std::uint32_t rank_of_root) const {
  Derivation derivation{{}, item(forest_->root(), rank_of_root).score};
  std::vector<std::pair<NodeId, std::uint32_t>> expected{{forest_->root(), rank_of_root}};
  while (!expected.empty()) {
    const Item top = item(expected.back().first, expected.back().second);
    expected.pop_back();
    derivation.edges.push_back(top.edge);
    const auto tails = forest_->tails(top.edge);
    for (std::size_t i = tails.size(); i-- > 0;) expected.emplace_back(tails[i], rank(top, i));
  }
  return derivation;
}

std::vector<Derivation> k_best(const Forest& forest, const EdgeMap<double>& scores, std::size_t k) {
  KBest lazy(forest, scores);
  std::vector<Derivation> best;
  while (best.size() < k) {
    std::optional<Derivation> derivation = lazy.next();
    if (!derivation) break;
    best.push_back(std::move(*derivation));
  }
  return best;
}

}  // namespace coppice
