// A random generator whose draws are the same on every machine and with every standard library.
//
// The state is one 64-bit word (SplitMix64, Steele et al. 2014): small enough that each example or
// thread gets a stream of its own, from a seed and an index, so that results do not depend on the
// number of threads.
#pragma once

#include <cstdint>

namespace coppice {

namespace detail {
__extension__ using Uint128 = unsigned __int128;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}
  // The stream number `stream` of a seed; streams of one seed do not repeat each other.
  Random(std::uint64_t seed, std::uint64_t stream) noexcept
      : state_(Random(seed ^ (stream * 0xd1342543de82ef95u)).next()) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1), in steps of 2^-53.
  double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Uniform in [0, n). Requires n > 0. (Lemire's multiply-shift; its bias is below n / 2^64.)
  std::uint64_t below(std::uint64_t n) noexcept {
    return static_cast<std::uint64_t>((static_cast<detail::Uint128>(next()) * n) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace coppice
