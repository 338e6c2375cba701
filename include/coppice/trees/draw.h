// Trees for people: their questions in words, a tree as text and as a picture, and which features
// trees ask for most.
//
//     suffix(form[0],2)=ed?                     question; what it does not say goes to "no"
//     |- no: form[-1] in {the, a, 3 others}?
//     |  |- no: -0.25                           a leaf: what it adds to the score
//     |  `- yes: +0.5
//     `- yes: +1.75
//
// Cost: linear in the nodes, times the depth for the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coppice/trees/tree.h"

namespace coppice::trees {

// What features and states are called. Those without a name are numbered.
struct FeatureNames {
  // By bin: a binary feature or a category; an ordered feature's name stands at its first bin.
  std::vector<std::string> bins;
  // What states are made of (grow.h); none: states are numbered.
  struct StateFactor {
    std::string name;
    std::vector<std::string> values;      // their names
    std::vector<std::uint16_t> of_state;  // by state: its value; empty: the state itself
  };
  std::vector<StateFactor> factors;
  std::string state_feature = "state";  // all factors together
};

// The feature as a whole: for categories, what their names have in common before a "=".
std::string feature_name(const Schema& schema, std::uint32_t feature, const FeatureNames& names);

// What sends an example right at an inner node: "form[0]=of", "form[0] in {of, in, 3 others}",
// "size > 2.5 or absent".
std::string question(const Schema& schema, const EnsembleView& trees, const Node& node,
                     const FeatureNames& names);

// A number with its sign, to four digits.
std::string signed_number(double value);

// The lines of a tree, each ended. Requires tree < trees.num_trees().
std::string draw_text(const Schema& schema, const EnsembleView& trees, std::size_t tree,
                      const FeatureNames& names);
// An SVG picture of it; "no" is to the left.
std::string draw_svg(const Schema& schema, const EnsembleView& trees, std::size_t tree,
                     const FeatureNames& names, const std::string& title);

struct FeatureUse {
  std::uint32_t feature = 0;  // or kStateFeature
  std::string name;
  std::uint64_t questions = 0;  // nodes that ask for it
  std::uint64_t trees = 0;      // that have such a node
  std::uint64_t roots = 0;      // that ask for it first
};

// The most asked for first; of one output's trees only, where it is given.
std::vector<FeatureUse> feature_uses(const Schema& schema, const EnsembleView& trees,
                                     const FeatureNames& names,
                                     std::optional<std::uint32_t> output = std::nullopt);

}  // namespace coppice::trees
