// Losses of a whole corpus: F1 of the counts that all sentences add up to, exactly.
//
// Sentence i has counts (n, d) with probability p_i(n, d) (forest/count_distribution.h); sentences
// are independent, so the corpus counts (N, D) are distributed as the convolution of the p_i. For a
// function f of the corpus counts,
//
//     E[f] = sum of P(N, D) f(N, D)        outside_i(n, d) = E[f | sentence i has (n, d)]
//
// and E[f] = sum over (n, d) of p_i(n, d) outside_i(n, d) for each i, where outside_i does not
// depend on the scores of sentence i. So with outside_i for the losses of the goal's edges, the
// risk of sentence i alone (objective.h) has the derivatives of the corpus risk. Of softmax-margin,
//
//     sum over i of (ln Z_i - ln Z_Gi)  +  ln E[e^{tau l(N, D)}],
//
// the derivatives are those of sentence i's with ln outside_i of f = e^{tau l} for the losses.
//
// Method: tables are multiplied up a balanced tree and f is carried down it, by fast Fourier
// transforms where tables are large; every table is kept to the window that holds all but its share
// of `mass`. For softmax-margin the tables are first tilted to where e^{tau l} has its weight,
// which changes no result but keeps that weight inside the windows.
// Cost: O(S log^2 S) for S sentences, with windows that grow as the square root of S each way.
// Auli and Lopez (2011), appendix.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "coppice/forest/count_distribution.h"
#include "coppice/forest/split.h"

namespace coppice::learn {

using CountDistribution = std::vector<CountProbability>;

struct CorpusExpectation {
  double value = 0;
  std::vector<std::vector<double>> outside{};  // for each sentence, for each entry of its table
  double cut = 0;                              // of the mass, by windows; at most `mass`
};

struct CorpusOptions {
  double mass = 1e-12;
};

// E[f] and outside. An error of cut * max |f| is possible in the value, and in outside weighted
// by p_i. Throws InvalidArgument when a table is empty.
CorpusExpectation corpus_expectation(std::span<const CountDistribution> tables,
                                     const std::function<double(Counts)>& f,
                                     const CorpusOptions& options = {});

// ln E[e^{tau l}], and ln outside. Requires tau >= 0 and a loss that is finite.
CorpusExpectation corpus_softmax(std::span<const CountDistribution> tables,
                                 const std::function<double(Counts)>& loss, double tau,
                                 const CorpusOptions& options = {});

}  // namespace coppice::learn
