// Random yields for the edges of a forest, and the slow, obvious string of a derivation.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/strings.h"
#include "support/enumerate.h"

namespace coppice::testing {

using WordList = std::vector<WordId>;

// Tails in any order among up to three words; three words in all, so that they repeat.
inline EdgeMap<Yield> random_yields(const Forest& forest, std::uint64_t seed) {
  Random random(seed, 11);
  EdgeMap<Yield> yields(forest.num_edges(), {});
  for (EdgeId edge : forest.edges()) {
    Yield& yield = yields[edge];
    const auto insert = [&](YieldItem item) {
      const auto at = static_cast<std::ptrdiff_t>(random.below(yield.size() + 1));
      yield.insert(yield.begin() + at, item);
    };
    for (std::uint32_t i = 0; i < forest.tails(edge).size(); ++i) insert(TailId{i});
    const std::uint64_t num_words = random.below(4);
    for (std::uint64_t i = 0; i < num_words; ++i) {
      insert(static_cast<WordId>(random.below(3)));
    }
  }
  return yields;
}

// The string of the subtree at `position`, which is left after it.
inline WordList slow_string(const Forest& forest, const EdgeMap<Yield>& yields,
                            const EdgeList& derivation, std::size_t& position) {
  const EdgeId edge = derivation[position++];
  std::vector<WordList> tails;
  for (std::size_t i = 0; i < forest.tails(edge).size(); ++i) {
    tails.push_back(slow_string(forest, yields, derivation, position));
  }
  WordList words;
  for (const YieldItem& item : yields[edge]) {
    if (const auto* word = std::get_if<WordId>(&item)) {
      words.push_back(*word);
    } else {
      const WordList& tail = tails[index(std::get<TailId>(item))];
      words.insert(words.end(), tail.begin(), tail.end());
    }
  }
  return words;
}

inline WordList slow_string(const Forest& forest, const EdgeMap<Yield>& yields,
                            const EdgeList& derivation) {
  std::size_t position = 0;
  return slow_string(forest, yields, derivation, position);
}

// How often a string has each n-gram of length 1 to `order`.
inline std::map<WordList, int> ngram_counts(const WordList& words, std::size_t order) {
  std::map<WordList, int> counts;
  for (auto begin = words.begin(); begin != words.end(); ++begin) {
    for (auto end = begin;
         end != words.end() && end - begin < static_cast<std::ptrdiff_t>(order);) {
      ++counts[WordList(begin, ++end)];
    }
  }
  return counts;
}

}  // namespace coppice::testing
