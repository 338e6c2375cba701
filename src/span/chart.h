// The chart: every constituent and prefix over every span, with all ways to build each.
//
// Items are numbered so that what an item is built of comes before it, except among symbols of
// one cyclic component of unary rules in one cell; those have neighbouring numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "span/rule_index.h"

namespace coppice::span {

enum class ItemId : std::uint32_t {};

inline constexpr std::uint32_t kNoLink = std::numeric_limits<std::uint32_t>::max();

struct Item {
  StateId state;
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t first_link = kNoLink;  // of a list; a word has none
};

// One way to build an item. Of a state of two or more symbols: the shorter state `left` and the
// constituent `right` after it. Of a nonterminal: the rule and the completed state `right`.
struct Link {
  std::uint32_t left;
  ItemId right;
  std::uint32_t next = kNoLink;

  ItemId left_item() const noexcept { return static_cast<ItemId>(left); }
  RuleId rule() const noexcept { return static_cast<RuleId>(left); }
};

// A set of symbols, one bit each.
class SymbolSet {
 public:
  explicit SymbolSet(std::size_t num_symbols) : bits_((num_symbols + 63) / 64, 0) {}
  bool contains(SymbolId symbol) const noexcept {
    return (bits_[index(symbol) / 64] >> (index(symbol) % 64) & 1) != 0;
  }
  // Whether it was not there before.
  bool insert(SymbolId symbol) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (index(symbol) % 64);
    std::uint64_t& word = bits_[index(symbol) / 64];
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  void erase(SymbolId symbol) noexcept {
    bits_[index(symbol) / 64] &= ~(std::uint64_t{1} << (index(symbol) % 64));
  }

 private:
  std::vector<std::uint64_t> bits_;
};

class Chart {
 public:
  // Requires one word or more, all of them symbols of the grammar. Throws Error E332 past
  // max_edges links. The grammar and the rules must outlive the chart.
  Chart(const Grammar& grammar, const RuleIndex& rules, SymbolId start,
        std::span<const SymbolId> words, std::size_t max_edges);

  const Item& item(ItemId id) const noexcept { return items_[id]; }
  const Link& link(std::uint32_t at) const noexcept { return links_[at]; }
  std::size_t num_items() const noexcept { return items_.size(); }
  // The start symbol over the whole sentence, if it is there.
  std::optional<ItemId> goal() const noexcept { return goal_; }

 private:
  // The item that would become `next` if a `symbol` came after it.
  struct Waiting {
    SymbolId symbol;
    ItemId item;
    StateId next;
    auto operator<=>(const Waiting&) const = default;
  };
  // A state found for a cell that is not open yet.
  struct Arrival {
    StateId state;
    ItemId left;
    ItemId right;
  };

  void prepare_position(std::uint32_t position);
  void read_word(std::uint32_t end);
  void close_cell(std::uint32_t begin, std::uint32_t end);
  void add_arrivals(std::uint32_t begin, std::uint32_t end);
  void add_constituents(std::uint32_t begin, std::uint32_t end, std::size_t first);
  void complete(ItemId item);
  void advance(std::size_t first);
  void wait(std::size_t first);
  ItemId add_item(StateId state, std::uint32_t begin, std::uint32_t end);
  void count_edge();
  std::uint32_t add_link(std::uint32_t left, ItemId right, std::uint32_t next);
  std::span<const Waiting> waiting_for(SymbolId symbol, std::uint32_t position) const;

  const Grammar& grammar_;
  const RuleIndex& rules_;
  SymbolId start_;
  std::span<const SymbolId> words_;
  std::size_t max_edges_;
  std::size_t num_edges_ = 0;
  IdMap<ItemId, Item> items_;
  std::vector<Link> links_;
  std::optional<ItemId> goal_;

  // By position: who waits there, sorted by symbol; and which symbols may begin there.
  std::vector<std::vector<Waiting>> waiting_;
  std::vector<SymbolSet> wanted_;
  SymbolSet can_begin_;  // with the word at the position that is being reached

  // Of the word being read.
  std::vector<std::vector<Arrival>> arrivals_;  // by begin
  std::priority_queue<std::uint32_t> begins_;   // with arrivals, the last one first
  // Of the cell being closed.
  IdMap<StateId, std::uint32_t> item_of_;  // prefixes: their item, or kNoLink
  SymbolMap<std::uint32_t> links_of_;      // nonterminals: their list so far
  struct Ranked {
    std::uint32_t component;
    SymbolId symbol;
    auto operator<=>(const Ranked&) const = default;
  };
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> queue_;
  SymbolSet is_queued_;
};

}  // namespace coppice::span
