#include "coppice/lm/discounts.h"

#include <cstddef>

namespace coppice::lm {

Discounts discounts_from(const std::array<std::uint64_t, 4>& counts_of_counts) {
  constexpr Discounts fallback{.amounts = kFallbackDiscounts, .is_fallback = true};
  std::array<double, 4> t{};
  for (std::size_t k = 0; k < t.size(); ++k) t[k] = static_cast<double>(counts_of_counts[k]);
  Discounts discounts;
  for (std::size_t k = 0; k < 3; ++k) {
    if (counts_of_counts[k] == 0) return fallback;
    const double y = t[0] / (t[0] + 2 * t[1]);
    const auto count = static_cast<double>(k + 1);
    const double amount = count - (count + 1) * y * t[k + 1] / t[k];
    if (amount < 0 || amount > count) return fallback;
    discounts.amounts[k] = amount;
  }
  return discounts;
}

}  // namespace coppice::lm
