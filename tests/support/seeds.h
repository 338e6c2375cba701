// How many random inputs a test tries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace coppice::testing {

// `all`, or a part of it where COPPICE_SEEDS_DIVISOR is set: the presets with sanitizers set it, as
// release has compared the answers by then and what remains is to visit the code. At least four.
inline std::uint64_t seeds(std::uint64_t all) {
  const char* text = std::getenv("COPPICE_SEEDS_DIVISOR");
  const std::uint64_t divisor = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  if (divisor <= 1) return all;
  return std::min(all, std::max<std::uint64_t>(all / divisor, 4));
}

}  // namespace coppice::testing
