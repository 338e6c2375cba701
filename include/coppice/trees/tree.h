// Decision trees as flat arrays, and the plain walk through them.
//
// A tree is an array of nodes; node 0 is the root, children stand after their parents, and a right
// child directly after its left sister. An inner node asks one question of an example:
//
//     binary        right when the feature is on
//     ordered       right when the bin is above `split`
//     categorical   right when the bin's bit is set in the set that begins at word `split`
//     state         the same of the example's state (see grow.h), for feature kStateFeature
//
// An example that lacks the value follows the first surrogate whose value it has, else the node's
// default direction. Any number of trees share one set of arrays (Ensemble), which model files hold
// as they are.
//
// Walking is the reference; predictor.h is the fast way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/trees/examples.h"
#include "coppice/trees/schema.h"

namespace coppice::trees {

inline constexpr std::uint32_t kLeaf = 0xffffffffu;          // in place of a feature
inline constexpr std::uint32_t kStateFeature = 0xfffffffeu;  // the example's state

struct Node {
  std::uint32_t feature = kLeaf;
  std::uint32_t split = 0;
  std::uint32_t left = 0;             // from the root of the tree
  std::uint32_t surrogate_begin = 0;  // [surrogate_begin, surrogate_begin + num_surrogates)
  std::uint16_t num_surrogates = 0;
  std::uint8_t has_set = 0;        // 1: `split` is the first word of a set
  std::uint8_t default_right = 0;  // 1: an example that lacks the value goes right
  float value = 0;  // of a leaf; of an inner node the mean of its examples, where a learner has it

  bool is_leaf() const noexcept { return feature == kLeaf; }
  std::uint32_t right() const noexcept { return left + 1; }
};

// Another question that sends most examples the same way as the node's own.
struct Surrogate {
  std::uint32_t feature = 0;
  std::uint32_t split = 0;
  std::uint16_t has_set = 0;   // as that of a node
  std::uint16_t reversed = 0;  // 1: its right is the node's left
};

// Trees end to end; a view.
struct EnsembleView {
  std::span<const std::uint32_t> begin;   // tree i is nodes[begin[i] .. begin[i + 1])
  std::span<const std::uint32_t> output;  // by tree: which score it adds to
  std::span<const Node> nodes;
  std::span<const std::uint64_t> sets;
  std::span<const Surrogate> surrogates;

  std::size_t num_trees() const noexcept { return begin.empty() ? 0 : begin.size() - 1; }
  std::span<const Node> tree(std::size_t i) const noexcept {
    return nodes.subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

// The same, owned; a single tree is an ensemble of one.
struct Ensemble {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> output;
  std::vector<Node> nodes;
  std::vector<std::uint64_t> sets;
  std::vector<Surrogate> surrogates;

  std::size_t num_trees() const noexcept { return begin.size() - 1; }
  EnsembleView view() const noexcept { return {begin, output, nodes, sets, surrogates}; }
  // Adds the trees of another one. Throws InvalidArgument past 2^32 - 1 nodes or words of sets.
  void append(const EnsembleView& other);
};

// Words of a set over `size` members.
constexpr std::size_t set_words(std::size_t size) noexcept { return (size + 63) / 64; }
inline bool set_has(std::span<const std::uint64_t> set, std::size_t member) noexcept {
  return (set[member / 64] >> (member % 64) & 1) != 0;
}

// Whether the example goes right at an inner node.
bool goes_right(const Schema& schema, const EnsembleView& trees, const Node& node,
                std::span<const std::uint32_t> row, std::size_t state = 0);

// The same by a surrogate, for an example in this bin of its feature; kNoBin: in none, for a binary
// feature, which is off then.
bool goes_right(const Schema& schema, const EnsembleView& trees, const Surrogate& surrogate,
                std::uint32_t bin);

// The leaf that the example falls into, from the root of tree `tree`. O(depth log row).
std::uint32_t leaf_of(const Schema& schema, const EnsembleView& trees, std::size_t tree,
                      std::span<const std::uint32_t> row, std::size_t state = 0);

// States between which no question of a tree tells a difference, as classes numbered from 0.
struct StateClasses {
  std::vector<std::uint16_t> of_state;  // by state: its class
  std::vector<std::uint16_t> first;     // by class: its first state, which may stand for all

  std::size_t size() const noexcept { return first.size(); }
};
// Of tree `tree`; a single class where it never asks for the state. O(states * questions).
StateClasses state_classes(const EnsembleView& trees, std::size_t tree, std::size_t states);

// Throws InvalidArgument unless the arrays fit together and with a schema, a number of states and
// of outputs: after that no example leads out of them, and every walk ends.
void check(const Schema& schema, const EnsembleView& trees, std::size_t states,
           std::size_t outputs);

}  // namespace coppice::trees
