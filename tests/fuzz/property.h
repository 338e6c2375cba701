// What a fuzz target says when a property does not hold: the input, then the end of the program.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace coppice::testing {

struct FuzzInput {
  std::size_t seed = 0;
  std::uint64_t mutation = 0;
};

inline FuzzInput& fuzz_input() {
  static FuzzInput input;
  return input;
}

// The driver's place, printed on failure. libFuzzer writes the input to a file instead.
inline void set_fuzz_input(std::size_t seed, std::uint64_t mutation) {
  fuzz_input() = {seed, mutation};
}

inline void fuzz_require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "seed %zu, mutation %llu: does not hold: %s\n", fuzz_input().seed,
               static_cast<unsigned long long>(fuzz_input().mutation), property);
  std::abort();
}

}  // namespace coppice::testing
