// Random constituency trees, with all that treebanks have: unary chains, long flat phrases, empty
// elements, function tags and phrases without words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "coppice/base/random.h"
#include "coppice/text/tree.h"

namespace coppice::testing {

struct RandomTreeOptions {
  std::size_t max_words = 12;
  std::size_t max_children = 5;
  bool is_raw = false;  // with empty elements, function tags and phrases without words
};

class RandomTree {
 public:
  RandomTree(Random& random, const RandomTreeOptions& options)
      : random_(random), options_(options) {}

  // The root is "TOP".
  text::Tree draw() {
    text::Tree tree;
    builder_.start(tree);
    builder_.open("TOP");
    phrases(1 + random_.below(options_.max_words), 0);
    builder_.close();
    return tree;
  }

 private:
  static constexpr const char* kPhrases[] = {"S", "NP", "VP", "PP", "ADVP", "PRT"};
  static constexpr const char* kWords[] = {"a", "b", "'", "dog"};
  static constexpr const char* kTags[] = {"NN", "DT", "VB", ",", ".", "``", "''", ":", "-LRB-"};

  // Children of the open node that have so many words in all. The depth is bounded, for recursion.
  void phrases(std::size_t words, int depth) {
    const std::size_t children = 1 + random_.below(std::min(words, options_.max_children));
    for (std::size_t i = 0; i < children; ++i) {
      const std::size_t rest = children - i - 1;
      const std::size_t share = rest == 0 ? words : 1 + random_.below(words - rest);
      words -= share;
      if (options_.is_raw && random_.below(8) == 0) empty();
      if (share == 1 && (depth > 6 || random_.below(2) == 0)) {
        leaf(kTags[random_.below(std::size(kTags))], kWords[random_.below(std::size(kWords))]);
      } else {
        std::string label = kPhrases[random_.below(std::size(kPhrases))];
        if (options_.is_raw && random_.below(4) == 0) label += "-SBJ=2";
        builder_.open(label);
        phrases(share, depth + 1);
        builder_.close();
      }
    }
  }

  void empty() {
    if (random_.below(2) == 0) return leaf("-NONE-", "*T*-1");
    builder_.open("NP");
    if (random_.below(2) == 0) leaf("-NONE-", "0");
    builder_.close();
  }

  void leaf(std::string_view tag, std::string_view word) {
    builder_.open(tag);
    builder_.word(word);
    builder_.close();
  }

  Random& random_;
  RandomTreeOptions options_;
  text::TreeBuilder builder_;
};

}  // namespace coppice::testing
