// What is counted in a label sequence: spans where labels are IOB-like, labels otherwise.
//
// Spans are read as conlleval reads them, by pairs of neighbours: B, S and U begin one, and so does
// any label but O after O, after E, L, S or U, or after another type. A span ends where the next
// label is O or begins another. Where labels are only labels (scheme raw), each token is an item of
// its own. So items begin and end at pairs of labels, and a chain can count them:
//
//     d = the number of items that begin        n = the number of gold items that are met exactly
//
// An item is met when it begins where a gold item of its type does, goes on where that goes on, and
// ends where it ends. To know that at its end takes one bit beside the label, "still matching",
// which can only be 1 within gold items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coppice/text/spans.h"

namespace coppice::chain {

class ItemRules {
 public:
  ItemRules(std::span<const std::string> labels, text::Scheme scheme);

  std::size_t num_labels() const noexcept { return num_labels_; }
  // Stands for what is before the first token and after the last.
  std::size_t boundary() const noexcept { return num_labels_; }
  bool counts_spans() const noexcept { return counts_spans_; }
  // Does an item begin at `next`, and does the item at `previous` end before `next`?
  bool begins(std::size_t previous, std::size_t next) const noexcept {
    return begins_[previous * (num_labels_ + 1) + next] != 0;
  }
  bool ends(std::size_t previous, std::size_t next) const noexcept {
    return has_item(previous) && (!has_item(next) || begins(previous, next));
  }
  // False for O and for the boundary.
  bool has_item(std::size_t label) const noexcept { return type_[label] != kNoType; }
  // The same number for the same type of item. Requires has_item(label).
  std::uint16_t type(std::size_t label) const noexcept { return type_[label]; }

 private:
  static constexpr std::uint16_t kNoType = 0xffff;

  std::size_t num_labels_;
  bool counts_spans_;
  std::vector<std::uint16_t> type_;    // by label, and the boundary
  std::vector<unsigned char> begins_;  // (labels + 1) squared
};

// The gold items of a sentence, by token.
struct GoldItems {
  GoldItems() = default;
  GoldItems(const ItemRules& rules, std::span<const std::uint16_t> gold) { assign(rules, gold); }
  void assign(const ItemRules& rules, std::span<const std::uint16_t> gold);

  std::vector<std::uint16_t> labels;
  std::vector<unsigned char> begins, goes_on, ends;
  std::uint32_t number = 0;
};

// What a step of a chain counts, and the bit after it. `matching` is the bit before; `previous` and
// `next` may be the boundary, and `token` is next's place (the length, for the boundary).
struct ItemStep {
  unsigned char n = 0;
  unsigned char d = 0;
  bool matching = false;
};
ItemStep item_step(const ItemRules& rules, const GoldItems& gold, std::size_t token,
                   std::size_t previous, bool matching, std::size_t next) noexcept;

}  // namespace coppice::chain
