// The labels of one type of item, its peers, and the pairs of them at which an item goes on: what
// kernels need to follow the few labels that match a gold item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "coppice/chain/items.h"

namespace coppice::chain {

class ItemPeers {
 public:
  explicit ItemPeers(const ItemRules& rules);

  // Of a label, itself included; none where it has no item.
  std::span<const std::uint16_t> peers(std::size_t label) const { return peers_[label]; }
  // Pairs (previous, next) of peers that lie in one item, by their places among the peers.
  using Pair = std::pair<std::uint16_t, std::uint16_t>;
  std::span<const Pair> stays(std::size_t label) const { return stays_[label]; }
  std::size_t most() const noexcept { return most_; }  // peers that a label has

 private:
  std::vector<std::vector<std::uint16_t>> peers_;
  std::vector<std::vector<Pair>> stays_;
  std::size_t most_ = 0;
};

}  // namespace coppice::chain
