#include "span/rule_index.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace coppice::span {

namespace {

std::uint64_t pair_key(std::uint32_t first, std::uint32_t second) {
  return std::uint64_t{first} << 32 | second;
}

}  // namespace

RuleIndex::RuleIndex(const Grammar& grammar)
    : num_symbols_(grammar.num_symbols()), unary_order_(grammar) {
  build_trie(grammar);
  build_left_corners(grammar);
}

void RuleIndex::build_trie(const Grammar& grammar) {
  std::unordered_map<std::uint64_t, std::uint32_t> next_of;
  std::vector<std::pair<std::uint32_t, Step>> steps;
  std::vector<std::pair<std::uint32_t, RuleId>> completed;
  for (RuleId rule : grammar.rules()) {
    const auto right = grammar.right(rule);
    auto state = static_cast<std::uint32_t>(right[0]);
    for (std::uint32_t read = 1; read < right.size(); ++read) {
      const auto fresh = static_cast<std::uint32_t>(num_states());
      const auto symbol = static_cast<std::uint32_t>(right[read]);
      const auto [entry, is_new] = next_of.try_emplace(pair_key(state, symbol), fresh);
      if (is_new) {
        steps.push_back({state, {right[read], static_cast<StateId>(fresh)}});
        examples_.push_back({rule, read + 1});
      }
      state = entry->second;
    }
    completed.emplace_back(state, rule);
  }
  steps_ = {num_states(), steps};
  completed_ = {num_states(), completed};
}

void RuleIndex::build_left_corners(const Grammar& grammar) {
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::pair<std::uint32_t, SymbolId>> down;
  std::vector<std::pair<std::uint32_t, SymbolId>> up;
  for (RuleId rule : grammar.rules()) {
    const SymbolId left = grammar.left(rule);
    const SymbolId first = grammar.right(rule)[0];
    const auto from = static_cast<std::uint32_t>(left);
    const auto to = static_cast<std::uint32_t>(first);
    if (!seen.insert(pair_key(from, to)).second) continue;
    down.emplace_back(from, first);
    up.emplace_back(to, left);
  }
  left_corners_ = {num_symbols_, down};
  begun_by_ = {num_symbols_, up};
}

}  // namespace coppice::span
