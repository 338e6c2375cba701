// The labels of one type of item, its peers, and the pairs of them at which an item goes on: what
// kernels need to follow the few labels that match a gold item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/items.h"

namespace coppice::chain {

class ItemPeers {
 public:
  explicit ItemPeers(const ItemRules& rules);
  ItemPeers(const ItemPeers&) = delete;
  ItemPeers& operator=(const ItemPeers&) = delete;

  // Two peers next to each other that lie in one item: their places among the peers, labels, and
  // place in a table of pairs with rows of row_stride(labels).
  struct Stay {
    std::uint16_t from, to, previous, next;
    std::uint32_t at;
  };
  struct Group {
    std::span<const std::uint16_t> labels;
    std::span<const Stay> stays;
  };

  // Of a label, itself included; none where it has no item. Peers have the same spans.
  const Group& of(std::size_t label) const { return groups_[label]; }
  std::size_t most() const noexcept { return most_; }  // peers that a label has

 private:
  std::vector<std::vector<std::uint16_t>> labels_;  // by type
  std::vector<std::vector<Stay>> stays_;            // by type
  std::vector<Group> groups_;                       // by label, of what is in those
  std::size_t most_ = 0;
};

}  // namespace coppice::chain
