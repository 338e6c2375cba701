// A grammar's rules arranged for the chart: a trie of right sides, left corners, unary order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coppice/span/grammar.h"
#include "span/rows.h"
#include "span/unary_order.h"

namespace coppice::span {

// A state of the trie: the first symbols of some right side. The state of a single symbol has the
// symbol's number; the longer ones follow. So a constituent is the state of its own symbol.
enum class StateId : std::uint32_t {};

inline StateId state_of(SymbolId symbol) { return static_cast<StateId>(symbol); }

class RuleIndex {
 public:
  // Copies what it needs. O(size of the grammar).
  explicit RuleIndex(const Grammar& grammar);

  struct Step {
    SymbolId symbol;
    StateId next;
  };

  std::size_t num_symbols() const noexcept { return num_symbols_; }
  std::size_t num_states() const noexcept { return num_symbols_ + examples_.size(); }
  bool is_symbol(StateId state) const noexcept { return index(state) < num_symbols_; }

  std::span<const Step> steps(StateId state) const noexcept { return steps_[index(state)]; }
  // The rules whose whole right side the state is.
  std::span<const RuleId> completed(StateId state) const noexcept {
    return completed_[index(state)];
  }
  // The first symbols of the symbol's rules, and the left sides of rules that it begins.
  std::span<const SymbolId> left_corners(SymbolId symbol) const noexcept {
    return left_corners_[index(symbol)];
  }
  std::span<const SymbolId> begun_by(SymbolId symbol) const noexcept {
    return begun_by_[index(symbol)];
  }
  const UnaryOrder& unary_order() const noexcept { return unary_order_; }

  // The first rule that begins like a state of two or more symbols, and their number.
  struct Example {
    RuleId rule;
    std::uint32_t num_symbols;
  };
  const Example& example(StateId state) const noexcept {
    return examples_[index(state) - num_symbols_];
  }

 private:
  void build_trie(const Grammar& grammar);
  void build_left_corners(const Grammar& grammar);

  std::size_t num_symbols_;
  Rows<Step> steps_;
  Rows<RuleId> completed_;
  Rows<SymbolId> left_corners_;
  Rows<SymbolId> begun_by_;
  UnaryOrder unary_order_;
  std::vector<Example> examples_;
};

}  // namespace coppice::span
