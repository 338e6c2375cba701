// What stands behind Ngrams: for each length the n-grams' weights, and those of them that are
// contexts of longer ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "coppice/lm/ngrams.h"
#include "lm/ngram_sorter.h"

namespace coppice::lm {

// A payload of two floats.
struct FloatPair {
  float first;
  float second;
  std::array<Word, 2> words() const noexcept { return std::bit_cast<std::array<Word, 2>>(*this); }
  static FloatPair at(const Word* payload) noexcept {
    return std::bit_cast<FloatPair>(std::array<Word, 2>{payload[0], payload[1]});
  }
};

inline constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

// Of two equal contexts either will do.
inline void keep_first(Word* /*kept*/, const Word* /*other*/, unsigned /*length*/) {}

struct NgramsOfLength {
  // In suffix order: log10 of the probability, and the backoff as far as it is known here.
  SortedNgrams weights;
  // Contexts of longer n-grams, in suffix order: their backoff, or NaN when it stands in `weights`.
  SortedNgrams contexts{};
  std::uint64_t count = 0;
  std::uint64_t num_blanks = 0;
};

class NgramStore {
 public:
  std::vector<NgramsOfLength> lengths;  // [n - 1] for n-grams of length n
};

// The part of a workspace that one of `users` may take.
inline Workspace shared_among(const Workspace& workspace, std::uint64_t users) {
  return {.memory = workspace.memory / users, .folder = workspace.folder};
}

}  // namespace coppice::lm
