#include "chain/item_peers.h"

#include <algorithm>

namespace coppice::chain {

ItemPeers::ItemPeers(const ItemRules& rules)
    : peers_(rules.num_labels()), stays_(rules.num_labels()) {
  const auto labels = static_cast<std::uint16_t>(rules.num_labels());
  for (std::uint16_t y = 0; y < labels; ++y) {
    if (!rules.has_item(y)) continue;
    auto& peers = peers_[y];
    for (std::uint16_t u = 0; u < labels; ++u) {
      if (rules.has_item(u) && rules.type(u) == rules.type(y)) peers.push_back(u);
    }
    most_ = std::max(most_, peers.size());
    const auto size = static_cast<std::uint16_t>(peers.size());
    for (std::uint16_t from = 0; from < size; ++from) {
      for (std::uint16_t to = 0; to < size; ++to) {
        if (!rules.begins(peers[from], peers[to])) stays_[y].emplace_back(from, to);
      }
    }
  }
}

}  // namespace coppice::chain
