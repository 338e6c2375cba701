#include "chain/count_kernel.h"

#include <algorithm>

namespace coppice::chain {

CountRules::CountRules(const ItemRules& rules)
    : labels(rules.num_labels()),
      stride(row_stride(labels)),
      begins(labels * stride, 0.0f),
      begins_by_next(begins),
      goes_on(begins),
      items(labels, 0),
      peers(labels),
      stays(labels) {
  for (std::size_t y = 0; y < labels; ++y) {
    items[y] = rules.has_item(y) ? 1 : 0;
    for (std::size_t u = 0; u < labels; ++u) {
      const bool begin = rules.begins(u, y);
      begins[u * stride + y] = begins_by_next[y * stride + u] = begin ? 1.0f : 0.0f;
      goes_on[u * stride + y] = rules.has_item(u) && rules.has_item(y) && !begin ? 1.0f : 0.0f;
      if (rules.has_item(u) && rules.has_item(y) && rules.type(u) == rules.type(y)) {
        peers[y].push_back(static_cast<std::uint16_t>(u));
      }
    }
    most_peers = std::max(most_peers, peers[y].size());
  }
  for (std::size_t y = 0; y < labels; ++y) {
    const auto size = static_cast<std::uint16_t>(peers[y].size());
    for (std::uint16_t from = 0; from < size; ++from) {
      for (std::uint16_t to = 0; to < size; ++to) {
        if (!rules.begins(peers[y][from], peers[y][to])) stays[y].emplace_back(from, to);
      }
    }
  }
}

}  // namespace coppice::chain
