// The k best derivations of a forest, best first, found one after another.
//
// Scores add (max-plus); the order is exact; every derivation comes once. Two derivations of the
// same score both come. Edges of score -inf are as good as absent. Of equal candidates of a node
// the one whose edge has the smaller id is first, then the one whose tails' ranks are
// lexicographically smaller; so the list does not depend on how it is asked for.
//
// Method: algorithm 3 of Huang and Chiang (2005), "Better k-best Parsing". Each node has the list
// of its best derivations found so far and a heap of candidates. A candidate is an edge and, for
// each tail, a rank in the tail's list. When a candidate (r1 .. rm) has been taken its successors
// become candidates; a successor adds one to r_i for an i not beyond the first r that is above
// zero. That way each tuple of ranks has one predecessor, which is no worse than itself, and no
// table of seen tuples is needed.
//
// Cost: best_edges once; then, for each further derivation, O(log k) at every node where a new
// alternative must be found, at most the nodes of the derivation. Memory: two words a node, and
// what has been asked for. No recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coppice/forest/best.h"
#include "coppice/forest/derivation.h"
#include "coppice/forest/forest.h"

namespace coppice {

class KBest {
 public:
  // `forest` must outlive the object. Throws InvalidArgument unless there is one score per edge,
  // none of them NaN or +inf.
  KBest(const Forest& forest, EdgeMap<double> scores);
  KBest(Forest&&, EdgeMap<double>) = delete;

  // The derivation of rank k, counted from 0; nothing when there are no more than k.
  std::optional<Derivation> operator()(std::size_t k);
  // The best one, then the second best, and so on.
  std::optional<Derivation> next() { return (*this)(next_rank_++); }

 private:
  // One way to derive a node: an edge, and the rank of each tail's derivation.
  struct Item {
    double score;
    EdgeId edge;
    std::uint32_t ranks;  // where in ranks_; all_zero when every tail is at its best
  };
  struct Node {
    std::vector<Item> found;  // best first; the first is that of best_
    std::vector<Item> heap;   // candidates
    bool exhausted = false;
  };
  // A node whose list is being extended by one, and the tail whose successor is next.
  struct Extension {
    NodeId node;
    std::size_t tail = 0;
  };
  static constexpr std::uint32_t all_zero = 0xffffffff;
  static constexpr std::uint32_t untouched = 0xffffffff;

  std::uint32_t rank(const Item& item, std::size_t tail) const {
    return item.ranks == all_zero ? 0 : ranks_[item.ranks + tail];
  }
  Item item(NodeId node, std::uint32_t rank) const;
  bool better(const Item& a, const Item& b) const;

  Node& touch(NodeId node);
  bool has(NodeId node, std::size_t rank) const;
  bool is_exhausted(NodeId node) const;
  void extend(NodeId node);
  std::optional<NodeId> add_successors(Extension& extension);
  void add_successor(Node& node, Item predecessor, std::size_t tail);
  void take_best(Node& node);
  Derivation read(std::uint32_t rank) const;

  const Forest* forest_;
  EdgeMap<double> scores_;
  BackPointers<double> best_;
  NodeMap<std::uint32_t> state_of_;  // node -> position in states_, or untouched
  std::vector<Node> states_;
  std::vector<std::uint32_t> ranks_;  // tuples of ranks, one after another
  std::vector<Extension> pending_;
  std::size_t next_rank_ = 0;
};

// The k best derivations, fewer where there are fewer. Throws as KBest does.
std::vector<Derivation> k_best(const Forest& forest, const EdgeMap<double>& scores, std::size_t k);

}  // namespace coppice
