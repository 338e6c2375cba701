#include "coppice/text/head_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "coppice/base/assert.h"
#include "coppice/base/error.h"

namespace coppice::text {

namespace {

using Rule = HeadRules::Rule;
using Labels = std::vector<std::string_view>;

Rule from_left(Labels labels) { return {HeadRules::Side::kLeft, true, std::move(labels)}; }
Rule from_right(Labels labels) { return {HeadRules::Side::kRight, true, std::move(labels)}; }
Rule leftmost_of(Labels labels) { return {HeadRules::Side::kLeft, false, std::move(labels)}; }
Rule rightmost_of(Labels labels) { return {HeadRules::Side::kRight, false, std::move(labels)}; }

std::vector<Rule> noun_phrase() {
  return {rightmost_of({"NN", "NNP", "NNPS", "NNS", "NX", "NML", "POS", "JJR"}),
          from_left({"NP"}),
          rightmost_of({"$", "ADJP", "PRN"}),
          from_right({"CD"}),
          rightmost_of({"JJ", "JJS", "RB", "QP"}),
          from_right({})};
}

std::vector<Rule> heading() { return {leftmost_of({"S", "NP", "FRAG", "VP"}), from_right({})}; }

std::map<std::string_view, std::vector<Rule>> english_table() {
  return {
      {"ADJP",
       {from_left({"NNS", "QP", "NN", "$", "ADVP", "JJ", "VBN", "VBG", "ADJP", "JJR", "NP", "JJS",
                   "DT", "FW", "RBR", "RBS", "SBAR", "RB"})}},
      {"ADVP",
       {from_right(
           {"RB", "RBR", "RBS", "FW", "ADVP", "TO", "CD", "JJR", "JJ", "IN", "NP", "JJS", "NN"})}},
      {"CAPTION", heading()},
      {"CIT", {rightmost_of({"NN", "NNP", "NNPS", "NNS"}), from_right({})}},
      {"CONJP", {from_right({"CC", "RB", "IN"})}},
      {"FRAG", {from_right({})}},
      {"HEADING", heading()},
      {"INTJ", {from_left({})}},
      {"LST", {from_right({"LS", ":"})}},
      {"NAC",
       {from_left({"NN", "NNS", "NNP", "NNPS", "NP", "NAC", "EX", "$", "CD", "QP", "PRP", "VBG",
                   "JJ", "JJS", "JJR", "ADJP", "FW"})}},
      {"NML", noun_phrase()},
      {"NP", noun_phrase()},
      {"NX", noun_phrase()},
      {"PP", {from_right({"IN", "TO", "VBG", "VBN", "RP", "FW"})}},
      {"PRN", {from_left({})}},
      {"PRT", {from_right({"RP"})}},
      {"QP",
       {from_left({"$", "IN", "NNS", "NN", "JJ", "RB", "DT", "CD", "NCD", "QP", "JJR", "JJS"})}},
      {"RRC", {from_right({"VP", "NP", "ADVP", "ADJP", "PP"})}},
      {"S", {from_left({"TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP"})}},
      {"SBAR",
       {from_left(
           {"WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "S", "SQ", "SINV", "SBAR", "FRAG"})}},
      {"SBARQ", {from_left({"SQ", "S", "SINV", "SBARQ", "FRAG"})}},
      {"SINV", {from_left({"VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP"})}},
      {"SQ", {from_left({"VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ"})}},
      {"TITLE", heading()},
      {"UCP", {from_right({})}},
      {"VP",
       {from_left({"TO", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "VP", "ADJP", "NN", "NNS",
                   "NP"})}},
      {"WHADJP", {from_left({"CC", "WRB", "JJ", "ADJP"})}},
      {"WHADVP", {from_right({"CC", "WRB"})}},
      {"WHNP", {from_left({"WDT", "WP", "WP$", "WHADJP", "WHPP", "WHNP"})}},
      {"WHPP", {from_right({"IN", "TO", "FW"})}},
  };
}

bool is_among(std::span<const std::string_view> labels, std::string_view label) {
  return std::ranges::find(labels, label) != labels.end();
}

// The first child, from the rule's side, that has one of the labels.
std::optional<std::size_t> first_of(HeadRules::Side from, std::span<const std::string_view> labels,
                                    std::span<const std::string_view> children) {
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::size_t child = from == HeadRules::Side::kLeft ? i : children.size() - 1 - i;
    if (is_among(labels, children[child])) return child;
  }
  return std::nullopt;
}

std::optional<std::size_t> find_head(const Rule& rule, std::span<const std::string_view> children) {
  if (!rule.in_turn) return first_of(rule.from, rule.labels, children);
  for (const std::string_view& label : rule.labels)
    if (const auto child = first_of(rule.from, {&label, 1}, children)) return child;
  return std::nullopt;
}

// The outermost child on a side that is no punctuation, if there is one.
std::size_t outermost(HeadRules::Side side, std::span<const std::string_view> children) {
  const std::size_t last = children.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const std::size_t child = side == HeadRules::Side::kLeft ? i : last - i;
    if (!is_punctuation_tag(children[child])) return child;
  }
  return side == HeadRules::Side::kLeft ? 0 : last;
}

std::size_t before_conjunction(std::size_t head, std::span<const std::string_view> children) {
  if (head < 2 || children[head - 1] != "CC") return head;
  std::size_t conjunct = head - 2;
  while (conjunct > 0 && is_punctuation_tag(children[conjunct])) --conjunct;
  return is_punctuation_tag(children[conjunct]) ? head : conjunct;
}

}  // namespace

HeadRules::HeadRules(std::map<std::string_view, std::vector<Rule>> rules)
    : rules_(std::move(rules)) {
  for (const auto& [label, list] : rules_)
    require(!list.empty(), "head rules: ", label, " has none");
}

const HeadRules& HeadRules::english() {
  static const HeadRules rules(english_table());
  return rules;
}

std::size_t HeadRules::head(std::string_view phrase,
                            std::span<const std::string_view> children) const {
  COPPICE_ASSERT(!children.empty());
  const auto rules = rules_.find(phrase);
  if (rules == rules_.end()) return outermost(Side::kRight, children);
  for (const Rule& rule : rules->second)
    if (const auto child = find_head(rule, children)) return before_conjunction(*child, children);
  return before_conjunction(outermost(rules->second.back().from, children), children);
}

std::vector<std::size_t> HeadRules::head_words(const Tree& tree) const {
  std::vector<std::size_t> heads(tree.num_nodes());
  std::vector<std::string_view> labels;
  std::vector<std::size_t> children;
  for (std::size_t node = tree.num_nodes(); node-- > 0;) {
    if (tree.is_leaf(node)) {
      heads[node] = tree.begin(node);
      continue;
    }
    labels.clear();
    children.clear();
    for (std::size_t child = node + 1; child < tree.next(node); child = tree.next(child)) {
      labels.push_back(tree.label(child));
      children.push_back(child);
    }
    require(!children.empty(), "head_words: the phrase ", tree.label(node), " has no children");
    heads[node] = heads[children[head(tree.label(node), labels)]];
  }
  return heads;
}

bool is_punctuation_tag(std::string_view tag) noexcept {
  constexpr std::array<std::string_view, 8> kTags = {",", ":",     "``",    "''",
                                                     ".", "-LRB-", "-RRB-", "HYPH"};
  return std::ranges::find(kTags, tag) != kTags.end();
}

}  // namespace coppice::text
