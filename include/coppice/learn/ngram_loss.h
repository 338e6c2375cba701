// Losses of n-grams for strings, as a table of edges (Tromble et al. 2008, "Lattice Minimum
// Bayes-Risk Decoding"; the linear part of log BLEU, negated):
//
//     l(y) = -(theta_0 |y| + sum over n-grams w of  theta_|w| #_w(y) [w in reference])
//
// |y| is the number of words, #_w(y) how often y has w. On the forest that is split by n-grams
// (forest/ngram_split.h) this adds over edges, so every objective has it (objective.h), and its
// best derivation with the losses negated is the oracle: the string nearest to the reference. It
// may be below 0, which no objective minds.
//
// Several references count by their weights, that is with the sum over references r of
// weight_r [w in r] for [w in reference]. Where these are strings of a model with their
// probabilities (of a k-best list, of samples), l is the expected loss against them, and the best
// derivation with the losses negated is the minimum-risk answer of the whole forest.
//
// Cost: n lookups a word of the references, and one sweep over the n-grams of the edges.
#pragma once

#include <span>
#include <vector>

#include "coppice/forest/forest.h"
#include "coppice/forest/ngram_split.h"
#include "coppice/forest/strings.h"

namespace coppice::learn {

struct NgramThetas {
  double word = 0;             // theta_0
  std::vector<double> ngrams;  // theta_1, theta_2, ...
};

// Those of Tromble et al. for BLEU: theta_0 = -1 / T, theta_n = 1 / (4 T p r^(n - 1)), n = 1 .. 4,
// where T is a number of words, p the precision of single words, and r what it falls by from
// each length to the next. Throws InvalidArgument unless all three are positive.
NgramThetas linear_bleu(double words, double precision, double ratio);

struct Reference {
  std::vector<WordId> words;
  double weight = 1;
};

// The loss of each edge of `forest`. Throws InvalidArgument when there are thetas of n-grams longer
// than those that the forest was split by, or a theta or weight is not finite.
EdgeMap<double> ngram_loss(const NgramForest& forest, const NgramThetas& thetas,
                           std::span<const Reference> references);

}  // namespace coppice::learn
