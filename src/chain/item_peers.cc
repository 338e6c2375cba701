#include "chain/item_peers.h"

#include <algorithm>

#include "chain/kernel.h"

namespace coppice::chain {

ItemPeers::ItemPeers(const ItemRules& rules)
    : labels_(rules.num_labels()), stays_(rules.num_labels()), groups_(rules.num_labels()) {
  const auto labels = static_cast<std::uint16_t>(rules.num_labels());
  const std::size_t stride = row_stride(labels);
  for (std::uint16_t y = 0; y < labels; ++y) {
    if (rules.has_item(y)) labels_[rules.type(y)].push_back(y);
  }
  for (std::uint16_t y = 0; y < labels; ++y) {
    const auto& peers = labels_[y];
    const auto size = static_cast<std::uint16_t>(peers.size());
    for (std::uint16_t from = 0; from < size; ++from) {
      for (std::uint16_t to = 0; to < size; ++to) {
        if (rules.begins(peers[from], peers[to])) continue;
        const auto at = static_cast<std::uint32_t>(peers[from] * stride + peers[to]);
        stays_[y].push_back({from, to, peers[from], peers[to], at});
      }
    }
    most_ = std::max(most_, peers.size());
  }
  for (std::uint16_t y = 0; y < labels; ++y) {
    if (rules.has_item(y)) groups_[y] = {labels_[rules.type(y)], stays_[rules.type(y)]};
  }
}

}  // namespace coppice::chain
