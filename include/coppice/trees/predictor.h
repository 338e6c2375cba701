// The compiled ensemble: scores of an example without walking its trees.
//
// Each tree is turned so that an example without a feature goes left. Then an example that is in no
// bin at all falls into the first leaf of every tree, and a bin can only rule leaves out: for each
// question that sends it right, those left of the question. The compiled form is, by bin, what such
// questions leave of the leaves of each tree. A score is the sum over all trees of their first
// leaves, corrected for the trees that some bin of the example touches: their leaf is the first
// that no bin has ruled out. (Lucchese et al. 2015, QuickScorer, turned round for sparse examples.)
//
// States (grow.h) rule leaves out in the same way; what a tree gives to each state is found from
// the leaves that the features have left.
//
// Cost of an example: one mask for each of its bins and each tree that such a bin rules leaves of
// out (more for trees of over 64 leaves), and one lookup for each tree touched (and class of
// states, in trees that ask for them); trees whose features are all off cost nothing. Agrees with
// the walk of tree.h up to rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/trees/tree.h"

namespace coppice::trees {

class Predictor {
 public:
  Predictor() = default;
  // Copies what it needs of the trees; only nodes with surrogates are looked at again, so trees
  // that have some must outlive this, as must the schema. Requires trees that pass check() with
  // the same arguments.
  Predictor(const Schema& schema, const EnsembleView& trees, std::size_t states,
            std::size_t outputs);

  std::size_t num_states() const noexcept { return states_; }
  std::size_t num_outputs() const noexcept { return outputs_; }

  // Scratch memory of one thread, to be left alone by its owner.
  struct Scratch {
    std::vector<std::uint64_t> masks;
    std::vector<std::uint32_t> stamps;
    std::vector<std::uint32_t> touched;
    std::vector<double> changes;  // by class of states
    std::uint32_t stamp = 0;
  };

  // Writes the scores [state * num_outputs() + output]. Requires ascending bins of the schema.
  void score(std::span<const std::uint32_t> row, std::span<double> scores, Scratch& scratch) const;

 private:
  struct Mask {  // what a bin leaves of 64 leaves of a tree
    std::uint32_t tree, word;
    std::uint64_t left;
  };
  struct BinMask {
    std::uint32_t bin;
    Mask mask;
  };
  struct Shape {  // where a tree's leaves are
    std::uint32_t first_leaf, num_leaves, first_word, output;
    // The classes of states (tree.h) that it tells apart: their masks, the leaves that they get
    // from an example without bins, and the class of each state. kNoMasks: it asks for no state.
    std::uint32_t state_masks, num_classes, absent_leaves, classes;
  };
  struct Fallback {  // a question with surrogates, for rows that lack its value
    std::uint32_t tree, node, first, last;
  };
  // Fallbacks [begin, end) ask for one feature, and for one other first where that is missing: a
  // row is searched for both once.
  struct FallbackGroup {
    std::uint32_t feature, surrogate, begin, end;
  };
  static constexpr std::uint32_t kNoMasks = 0xffffffffu;

  void compile(std::size_t tree, std::vector<BinMask>& masks);
  void collect(std::vector<BinMask> masks);
  void add_states(std::size_t tree, Shape& shape);
  void group_fallbacks();
  const Node& node_of(const Fallback& fallback) const {
    return trees_.tree(fallback.tree)[fallback.node];
  }
  const Surrogate& first_surrogate(const Fallback& fallback) const {
    return trees_.surrogates[node_of(fallback).surrogate_begin];
  }
  void fall_back(std::span<const std::uint32_t> row, Scratch& scratch) const;
  void rule_out(const Mask& mask, Scratch& scratch) const;
  std::size_t first_left(const std::uint64_t* mask, const std::uint64_t* allowed,
                         std::size_t words) const;

  const Schema* schema_ = nullptr;
  EnsembleView trees_;
  std::size_t states_ = 1, outputs_ = 0;
  std::vector<std::uint32_t> mask_begin_;  // by bin
  std::vector<Mask> masks_;                // one for each bin, tree and word
  std::vector<Shape> shapes_;
  std::vector<float> leaf_values_;
  std::vector<std::uint64_t> state_masks_;
  std::vector<std::uint32_t> absent_leaves_;
  std::vector<std::uint16_t> classes_;
  std::vector<Fallback> fallbacks_;
  std::vector<FallbackGroup> fallback_groups_;
  std::vector<double> base_;  // scores of an example without bins
  std::size_t num_words_ = 0;
};

}  // namespace coppice::trees
