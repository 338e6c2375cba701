#include "span/unary_order.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "span/rows.h"

namespace coppice::span {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

Rows<SymbolId> unary_children(const Grammar& grammar) {
  std::vector<std::pair<std::uint32_t, SymbolId>> pairs;
  for (RuleId rule : grammar.rules()) {
    const auto right = grammar.right(rule);
    if (right.size() == 1 && !grammar.is_word(right[0])) {
      pairs.emplace_back(static_cast<std::uint32_t>(grammar.left(rule)), right[0]);
    }
  }
  return {grammar.num_symbols(), pairs};
}

// Tarjan's algorithm with a stack of its own; a component is closed after all that it leads to.
class Components {
 public:
  explicit Components(const Grammar& grammar)
      : children_(unary_children(grammar)),
        component_(grammar.num_symbols(), kNone),
        found_(grammar.num_symbols(), kNone),
        low_(grammar.num_symbols(), 0) {
    for (SymbolId symbol : grammar.symbols()) {
      if (found_[symbol] == kNone) visit(symbol);
    }
  }

  std::uint32_t num_components() const noexcept { return num_components_; }
  const SymbolMap<std::uint32_t>& component() const noexcept { return component_; }

 private:
  struct Frame {
    SymbolId symbol;
    std::size_t child = 0;
  };

  void open(SymbolId symbol) {
    found_[symbol] = low_[symbol] = num_found_++;
    path_.push_back({symbol});
    waiting_.push_back(symbol);
  }

  void visit(SymbolId start) {
    open(start);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const auto children = children_[index(frame.symbol)];
      if (frame.child == children.size()) {
        close();
        continue;
      }
      const SymbolId child = children[frame.child++];
      if (found_[child] == kNone) {
        open(child);
      } else if (component_[child] == kNone) {
        low_[frame.symbol] = std::min(low_[frame.symbol], found_[child]);
      }
    }
  }

  void close() {
    const SymbolId symbol = path_.back().symbol;
    path_.pop_back();
    if (!path_.empty()) {
      std::uint32_t& low = low_[path_.back().symbol];
      low = std::min(low, low_[symbol]);
    }
    if (low_[symbol] != found_[symbol]) return;
    SymbolId member;
    do {
      member = waiting_.back();
      waiting_.pop_back();
      component_[member] = num_components_;
    } while (member != symbol);
    ++num_components_;
  }

  Rows<SymbolId> children_;
  SymbolMap<std::uint32_t> component_;
  std::uint32_t num_components_ = 0;
  SymbolMap<std::uint32_t> found_;  // in order of discovery
  SymbolMap<std::uint32_t> low_;
  std::uint32_t num_found_ = 0;
  std::vector<Frame> path_;
  std::vector<SymbolId> waiting_;
};

}  // namespace

UnaryOrder::UnaryOrder(const Grammar& grammar) : member_(grammar.num_symbols(), 0) {
  const Components components(grammar);
  component_ = components.component();
  size_.assign(components.num_components(), 0);
  is_cyclic_.assign(components.num_components(), 0);
  for (SymbolId symbol : grammar.symbols()) member_[symbol] = size_[component(symbol)]++;
  for (RuleId rule : grammar.rules()) {
    const auto right = grammar.right(rule);
    if (right.size() == 1 && component(right[0]) == component(grammar.left(rule))) {
      is_cyclic_[component(right[0])] = 1;
    }
  }
}

std::vector<SymbolId> UnaryOrder::cyclic_symbols() const {
  std::vector<SymbolId> symbols;
  for (std::uint32_t i = 0; i < component_.size(); ++i) {
    const auto symbol = static_cast<SymbolId>(i);
    if (member(symbol) == 0 && is_cyclic(symbol)) symbols.push_back(symbol);
  }
  return symbols;
}

std::string describe_cycle(const Grammar& grammar, const UnaryOrder& order, SymbolId symbol) {
  const Rows<SymbolId> children = unary_children(grammar);
  SymbolMap<std::uint32_t> parent(grammar.num_symbols(), kNone);
  std::vector<SymbolId> queue{symbol};
  for (std::size_t i = 0; i < queue.size() && parent[symbol] == kNone; ++i) {
    for (SymbolId child : children[index(queue[i])]) {
      if (order.component(child) != order.component(symbol) || parent[child] != kNone) continue;
      parent[child] = static_cast<std::uint32_t>(queue[i]);
      queue.push_back(child);
    }
  }
  std::string text = grammar.name(symbol);
  SymbolId at = symbol;
  do {
    at = static_cast<SymbolId>(parent[at]);
    text.insert(0, grammar.name(at) + " -> ");
  } while (at != symbol);
  return text;
}

}  // namespace coppice::span
