// The label sequences of one sentence as a graph of states: the topology that chains of any order,
// and pruned ones, are computed on.
//
// In a lattice of order k a node after token t stands for the last k labels (fewer near the
// start), and an edge into it for a label of token t with the k labels before it. The parts of an
// edge are the token's label, and the label sequences of length 2 to k + 1 that end there. There is
// one start; a path from it to a node after the last token is a label sequence, and each sequence
// is one path at the most.
//
// The lattice of order k + 1 is the line graph of that of order k: its nodes are the other's edges,
// its edges are pairs of consecutive edges. So a finer lattice can be made of those edges of a
// coarser one that deserve it (chain/coarse_to_fine.h).
//
// Order 0 has one node a token and an edge a label. Memory: 12 bytes a node, 6 + 4 k an edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/kernel.h"
#include "chain/ngrams.h"

namespace coppice::chain {

// What the labels before a label add to its score. Parts have numbers: those of label pairs are
// previous * row_stride(labels) + next, those of longer sequences follow on labels *
// row_stride(labels).
struct LabelModel {
  unsigned order = 1;
  double prune = 0;  // posterior that a state of a coarser lattice needs to be kept; 0 keeps all
  const Transitions& transitions;
  const LabelNgrams& ngrams;
  std::span<const float> parts;  // scores by number; of pairs at least

  std::size_t num_pairs() const noexcept { return transitions.labels() * transitions.stride(); }
};

struct LabelLattice {
  static constexpr std::uint32_t kNoPart = 0xffffffffu;

  unsigned order = 0;
  std::vector<std::uint32_t> node_begin{1};     // token t has nodes [t, t + 1); node 0 is the start
  std::vector<LabelKey> history{0};             // by node
  std::vector<std::uint32_t> edge_begin{0, 0};  // the edges into node v are [v, v + 1)
  std::vector<std::uint32_t> tail;              // by edge
  std::vector<std::uint16_t> label;
  std::vector<std::uint32_t> parts;  // `order` an edge: pair, triple, ...; kNoPart where none

  std::size_t length() const noexcept { return node_begin.size() - 1; }
  std::size_t num_nodes() const noexcept { return history.size(); }
  std::size_t num_edges() const noexcept { return tail.size(); }
  // The edges that label token t are [first_edge(t), first_edge(t + 1)).
  std::size_t first_edge(std::size_t token) const noexcept { return edge_begin[node_begin[token]]; }
  std::span<const std::uint32_t> parts_of(std::size_t edge) const noexcept {
    return {parts.data() + edge * order, order};
  }
};

// Order 0: the labels of each token whose score is not -inf and, where `keep` is not empty (length
// rows of labels), whose entry is not 0.
LabelLattice order_zero_lattice(const float* scores, std::size_t length,
                                const Transitions& transitions,
                                std::span<const unsigned char> keep = {});

// The lattice of the next order on the edges with keep != 0 (empty: on all), without forbidden
// pairs. Throws InvalidArgument past 2^26 edges.
LabelLattice line_graph(const LabelLattice& lattice, std::span<const unsigned char> keep,
                        const LabelModel& model);

// Every label sequence at order 1, or at order 0 where there are no transitions.
LabelLattice full_lattice(const float* scores, std::size_t length, const Transitions& transitions);

// The edges of the path with these labels; empty when there is none. O(edges).
std::vector<std::uint32_t> path_of(const LabelLattice& lattice,
                                   std::span<const std::uint16_t> labels);

}  // namespace coppice::chain
