// The order in which unary rules build on one another, and their cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coppice/span/grammar.h"

namespace coppice::span {

// Strongly connected components of the graph "A -> B is a unary rule", numbered so that B's
// component comes before A's. A component is cyclic when a symbol derives itself by unary rules.
class UnaryOrder {
 public:
  // O(symbols + rules), no recursion.
  explicit UnaryOrder(const Grammar& grammar);

  std::uint32_t component(SymbolId symbol) const noexcept { return component_[symbol]; }
  bool is_cyclic(SymbolId symbol) const noexcept { return is_cyclic_[component(symbol)] != 0; }
  // The symbol's number among those of its component, from 0.
  std::uint32_t member(SymbolId symbol) const noexcept { return member_[symbol]; }
  // One symbol of every cyclic component, by id.
  std::vector<SymbolId> cyclic_symbols() const;
  std::size_t component_size(SymbolId symbol) const noexcept { return size_[component(symbol)]; }

 private:
  SymbolMap<std::uint32_t> component_;
  SymbolMap<std::uint32_t> member_;
  std::vector<std::uint32_t> size_;
  std::vector<unsigned char> is_cyclic_;
};

// A shortest cycle of unary rules through `symbol`, "A -> B -> A". Requires a cyclic symbol.
std::string describe_cycle(const Grammar& grammar, const UnaryOrder& order, SymbolId symbol);

}  // namespace coppice::span
