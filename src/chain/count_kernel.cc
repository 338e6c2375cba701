#include "chain/count_kernel.h"

namespace coppice::chain {

CountRules::CountRules(const ItemRules& rules)
    : labels(rules.num_labels()),
      stride(row_stride(labels)),
      begins(labels * stride, 0.0f),
      begins_by_next(begins),
      goes_on(begins),
      items(labels, 0),
      of_type(rules) {
  for (std::size_t y = 0; y < labels; ++y) {
    items[y] = rules.has_item(y) ? 1 : 0;
    for (std::size_t u = 0; u < labels; ++u) {
      const bool begin = rules.begins(u, y);
      begins[u * stride + y] = begins_by_next[y * stride + u] = begin ? 1.0f : 0.0f;
      goes_on[u * stride + y] = rules.has_item(u) && rules.has_item(y) && !begin ? 1.0f : 0.0f;
    }
  }
}

}  // namespace coppice::chain
