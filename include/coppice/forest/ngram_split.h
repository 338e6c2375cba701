// Splitting by n-grams: a forest of strings (strings.h) whose edges know which n-grams they
// complete.
//
// Whatever adds over the n-grams of a string, such as a language model of order n or a loss of
// n-grams (learn/ngram_loss.h), does not add over the edges of a forest, as n-grams cross from one
// tail into the next. So node v becomes one node (v, first, last) for each pair that really occurs
// among its derivations' strings: the first n - 1 words and the last, or the whole string twice
// where it is shorter. An edge completes the words of its yield, and the n-grams of length 2 to n
// that lie in none of its tails alone; the n-grams of a string are then those of its derivation's
// edges, each as often as it occurs, and a quantity of n-grams is a table of the new edges.
//
// Derivations stay one to one: those of the new forest are those of the old, tails in their old
// order, below one edge into the goal (kNoEdge, which completes nothing). Weights of old edges and
// derivations go over by split_weights and unsplit (split.h). Only what some derivation of the root
// uses is split; a forest without derivations becomes the empty forest. Strings have no
// marks at their ends unless yields write them.
//
// Cost: for each edge the product of its tails' splits, of which a node over V words has up to
// V^(2n - 2); for each version, and each word or tail of its yield, n^2 / 2 lookups of n-grams. So
// bound the forest with SplitOptions, or prune it first. With n = 1 nothing is split.
// Bar-Hillel et al. (1961); Wu (1996); Tromble et al. (2008).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "coppice/forest/edge_features.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/split.h"
#include "coppice/forest/strings.h"

namespace coppice {

using NgramId = FeatureId;  // the n-grams that an edge completes are features of it

// Numbers for n-grams: a trie, whose root is the n-gram of no words.
class NgramTable {
 public:
  static constexpr NgramId kEmpty{0};

  std::size_t size() const noexcept { return entries_.size(); }
  std::size_t length(NgramId ngram) const noexcept { return entries_[index(ngram)].length; }
  std::vector<WordId> words(NgramId ngram) const;

  // `ngram` and one word more: found, or added where it is new. Throws InvalidArgument when there
  // is no 32-bit id left.
  NgramId extend(NgramId ngram, WordId word);
  // Returns nothing for an n-gram that is not in the table.
  std::optional<NgramId> find(NgramId ngram, WordId word) const;

 private:
  struct Entry {
    NgramId shorter;  // without its last word
    WordId word;
    std::uint32_t length;
  };
  std::vector<Entry> entries_{{kEmpty, WordId{}, 0}};
  std::unordered_map<std::uint64_t, NgramId> longer_;  // by n-gram and word
};

struct NgramForest : RefinedForest {
  unsigned order = 1;      // n
  NgramTable ngrams;       // those of length up to n that some derivation's string has
  EdgeFeatures completed;  // by each new edge: ids in `ngrams`, of value 1, as often as completed
};

// Throws InvalidArgument unless order >= 1, as check_yields does, and when the result would pass
// the limits of the options.
NgramForest split_by_ngrams(const Forest& forest, const EdgeMap<Yield>& yields, unsigned order,
                            const SplitOptions& options = {});

}  // namespace coppice
