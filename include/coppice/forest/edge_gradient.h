// A function of a forest's scores: its value, and its derivative by the score of every edge.
//
// This is the seam of the whole system. Every objective gives these numbers; every kind of
// potential turns them into derivatives of its own parameters.
//
// What holds for all functions that take a forest with scores (marginals.h, moments.h, entropy.h,
// risk.h, loglinear.h):
//   * score_e = ln p_e; a derivation d has p(d) = product of p_e over its edges, an edge used
//     twice counting twice; Z = sum of p(d); q(d) = p(d) / Z is the distribution that expectations
//     are under. n_e(d) is how often d uses e.
//   * A score of -infinity is p_e = 0: no derivation uses the edge, its derivatives are 0, and
//     0 ln 0 = 0. NaN, and scores above 2^50, are refused with InvalidArgument naming the edge.
//   * A forest that is empty or has no derivation of positive weight has ln Z = -infinity, which
//     log_partition returns. All else is undefined then and throws InvalidArgument, code E301.
//   * A table beside the forest has one entry per edge, else InvalidArgument.
//   * Scores of +-1e4 on 1e5 edges are fine: weights are WideFloat, and all else is formed from the
//     probabilities of the edges into one node (conditionals.h), which lie between 0 and 1.
#pragma once

#include "coppice/forest/forest.h"

namespace coppice {

struct EdgeGradient {
  double value = 0;
  EdgeMap<double> gradient{};  // d value / d score_e
};

}  // namespace coppice
