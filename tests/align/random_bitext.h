// Small random bitexts: every target word is a noisy translation of some source word.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "coppice/align/bitext.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"

namespace coppice::testing {

struct BitextSize {
  std::size_t pairs = 20;
  std::size_t longest = 6;
  std::size_t words = 8;
};

inline align::Bitext random_bitext(Random& random, const BitextSize& size = {}) {
  align::Bitext bitext;
  for (std::size_t k = 0; k < size.pairs; ++k) {
    std::vector<std::string> source(1 + random.below(size.longest));
    for (std::string& word : source) word = concat("s", random.below(size.words));
    std::vector<std::string> target(1 + random.below(size.longest));
    for (std::size_t j = 0; j < target.size(); ++j) {
      const std::string& word = source[random.below(2) == 0 ? std::min(j, source.size() - 1)
                                                            : random.below(source.size())];
      target[j] = random.below(4) == 0 ? concat("t", random.below(size.words))
                                       : concat("t", word.substr(1));
    }
    bitext.source.add(std::vector<std::string_view>(source.begin(), source.end()));
    bitext.target.add(std::vector<std::string_view>(target.begin(), target.end()));
  }
  return bitext;
}

}  // namespace coppice::testing
