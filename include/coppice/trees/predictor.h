// The compiled ensemble: scores of an example without walking its trees.
//
// Each tree is turned so that an example without a feature goes left. Then an example that is in no
// bin at all falls into the first leaf of every tree, and a bin can only rule leaves out: for each
// question that sends it right, those left of the question. The compiled form is, by bin, what such
// questions leave of the leaves of each tree. A score is the sum over all trees of their first
// leaves, corrected for the trees that some bin of the example touches: their leaf is the first
// that no bin has ruled out. (Lucchese et al. 2015, QuickScorer, turned round for sparse examples.)
//
// States (grow.h) rule leaves out in the same way; what a tree gives to each class of states that
// it tells apart is found from the leaves that the features have left. The largest class counts for
// all states, the others by what they differ from it.
//
// Cost of an example: one mask for each of its bins and each tree that such a bin rules leaves of
// out (more for trees of over 64 leaves); for each tree touched one lookup a class, and an addition
// for each state outside of its largest class; trees whose features are all off cost a bit. Agrees
// with the walk of tree.h up to rounding.
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
    std::vector<std::uint64_t> ruled_out;  // leaves, by tree and word; 0 between examples
    std::vector<std::uint64_t> touched;    // trees; empty between examples
    std::vector<double> of_all;            // by output: what all states get
    std::vector<double> of_state;          // [output * num_states() + state], beside that
  };

  // Writes the scores [state * num_outputs() + output]. Requires ascending bins of the schema.
  void score(std::span<const std::uint32_t> row, std::span<double> scores, Scratch& scratch) const;

 private:
  struct Mask {  // what a bin rules out of 64 leaves of a tree
    std::uint32_t tree, word;
    std::uint64_t ruled_out;
  };
  struct BinMask {
    std::uint32_t bin;
    Mask mask;
  };
  struct Shape {  // where a tree's leaves are
    std::uint32_t first_leaf, num_leaves, first_word, output;
    // The classes of states that it tells apart (tree.h), the largest first, and what each of them
    // rules out, a class after the other. kNoClasses: it asks for no state.
    std::uint32_t first_class, num_classes, class_masks;
  };
  struct StateClass {
    std::uint32_t absent_leaf;  // what it gets from an example without bins
    std::uint32_t begin, end;   // of its members
  };
  struct Fallback {  // a question with surrogates, for rows that lack its value
    std::uint32_t tree, node, first, last;
  };
  // Fallbacks [begin, end) ask for one feature, and for one other first where that is missing: a
  // row is searched for both once.
  struct FallbackGroup {
    std::uint32_t feature, surrogate, begin, end;
  };
  static constexpr std::uint32_t kNoClasses = 0xffffffffu;

  void compile(std::size_t tree, std::vector<BinMask>& masks);
  void collect(std::vector<BinMask> masks);
  void add_classes(std::size_t tree, Shape& shape);
  void add_base(const Shape& shape);
  void group_fallbacks();
  const Node& node_of(const Fallback& fallback) const {
    return trees_.tree(fallback.tree)[fallback.node];
  }
  const Surrogate& first_surrogate(const Fallback& fallback) const {
    return trees_.surrogates[node_of(fallback).surrogate_begin];
  }
  void fall_back(std::span<const std::uint32_t> row, Scratch& scratch) const;
  static void rule_out(const Mask& mask, Scratch& scratch) {
    scratch.ruled_out[mask.word] |= mask.ruled_out;
    scratch.touched[mask.tree / 64] |= std::uint64_t{1} << (mask.tree % 64);
  }
  void add_tree(std::size_t tree, Scratch& scratch) const;
  void write_scores(std::span<double> scores, const Scratch& scratch) const;

  const Schema* schema_ = nullptr;
  EnsembleView trees_;
  std::size_t states_ = 1, outputs_ = 0;
  std::vector<std::uint32_t> mask_begin_;  // by bin
  std::vector<Mask> masks_;                // one for each bin, tree and word
  std::vector<Shape> shapes_;
  std::vector<float> leaf_values_;
  std::vector<StateClass> classes_;
  std::vector<std::uint64_t> class_masks_;
  std::vector<std::uint16_t> members_;
  std::vector<Fallback> fallbacks_;
  std::vector<FallbackGroup> fallback_groups_;
  // What an example without bins gets, as in Scratch.
  std::vector<double> base_of_all_, base_of_state_;
  std::size_t num_words_ = 0;
};

}  // namespace coppice::trees
