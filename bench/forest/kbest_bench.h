// Time of the k-best list on a large random forest, for k = 1, 10, 1000, 100000.
#pragma once

#include <cstdint>
#include <iosfwd>

namespace coppice::bench {

// Prints a table to `out`: k, median milliseconds of `repeats` runs from scratch, derivations per
// second. The forest has all bracketings of `words` words (words^3 / 6 edges: 84 words give 1e5)
// with random scores. Every list is checked first: scores descend, the first one is the best
// derivation's. Throws std::runtime_error when one is not.
void bench_kbest(std::ostream& out, std::uint32_t words = 84, int repeats = 5);

}  // namespace coppice::bench
