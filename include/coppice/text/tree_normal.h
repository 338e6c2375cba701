// Trees in the form that parsers take: plain labels, no empty elements, no node over its like.
//
// Each edit can be had alone. Together they are done in this order, which leaves nothing to repeat:
//
//     functions   labels are cut: NP-SBJ-1 to NP, ADVP|PRT to ADVP, JJ|NN to JJ
//     traces      leaves with the tag -NONE- go, then every phrase without a word
//     repeats     a phrase goes whose only child it is of a phrase with the same label
//     root        the outermost bracket, without label or called TOP, ROOT or S1: renamed or
//     dropped
//
// All of it is O(nodes).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/tree.h"

namespace coppice::text {

// The name of the root in normal form.
inline constexpr std::string_view kTop = "TOP";

struct TreeEdits {
  bool functions = false;
  bool traces = false;
  bool repeats = false;
  enum class Root {
    kKeep,
    kName,  // named TOP, or put under a node of that name
    kDrop,  // its only child takes its place; it stays where it has several
  } root = Root::kKeep;

  bool operator==(const TreeEdits&) const = default;
};

// What parsers are trained on. A tree without words becomes "(TOP)".
inline constexpr TreeEdits kNormalForm{
    .functions = true, .traces = true, .repeats = true, .root = TreeEdits::Root::kName};

// Throws InvalidArgument for an empty tree (of no nodes).
Tree edited(const Tree& tree, const TreeEdits& edits);
inline Tree normalised(const Tree& tree) { return edited(tree, kNormalForm); }

// The edits that users name: "functions", "traces", "repeats", "unary-top" (drop the root). Throws
// InvalidArgument for another name.
TreeEdits tree_edits(const std::vector<std::string>& names);

// A phrase's label before the first '-', '=' or '|' after its first character.
std::string_view plain_phrase_label(std::string_view label) noexcept;
// The same for tags; one that begins with '-' (-LRB-) is left whole.
std::string_view plain_tag(std::string_view tag) noexcept;
// "", TOP, ROOT or S1.
bool is_root_label(std::string_view label) noexcept;

}  // namespace coppice::text
