// Entropy of a weighted forest; cross-entropy and divergence of two weightings of one forest. In
// nats. Here p and q are the distributions over derivations that two tables of scores give.
//
//     H(p)       = -sum of p(d) ln p(d)         = ln Z - r-bar / Z with r_e = ln p_e
//     H(p, q)    = -sum of p(d) ln q(d)
//     KL(p || q) = H(p, q) - H(p)
//
// -ln q(d) adds over edges as r_e = -ln conditional_e (conditionals.h), so each is an expectation
// under p, a mean over nodes of entropies of single choices: H and KL come out without subtracting
// ln Z from a sum as large.
//
// Gradients by p's scores: an expectation under p of a quantity that itself depends on the scores,
//     d/ds_e sum p(d) f(d) = Cov(f, n_e) + E[df/ds_e],
// and for f = -ln p(d) the last term is -E[n_e - E[n_e]] = 0. So dH/ds_e = Cov(-ln p, n_e), which
// is the table's -p(d) (ln p(d) + H) summed over the derivations that use e, and dKL/ds_e = Cov(ln
// p - ln q, n_e). By q's scores: d(-ln q(d))/ds_e = E_q[n_e] - n_e(d), so H(p, q) and KL have the
// gradient E_q[n_e] - E_p[n_e].
//
// Where q gives zero to a derivation that p uses, cross-entropy and divergence are +infinity; their
// gradients then throw InvalidArgument. Scores, other cases and errors: edge_gradient.h.
// Cost: one sweep (value) or two (gradient) for each weighting; a log an edge.
#pragma once

#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"

namespace coppice {

// Between 0 and ln of the number of derivations.
double entropy(const Forest& forest, const EdgeMap<double>& scores);
EdgeGradient entropy_gradient(const Forest& forest, const EdgeMap<double>& scores);

double cross_entropy(const Forest& forest, const EdgeMap<double>& p_scores,
                     const EdgeMap<double>& q_scores);
// At least 0, up to rounding; 0 for equal distributions.
double kl_divergence(const Forest& forest, const EdgeMap<double>& p_scores,
                     const EdgeMap<double>& q_scores);

// Whose scores the derivative is by.
enum class Weighting { kP, kQ };

EdgeGradient cross_entropy_gradient(const Forest& forest, const EdgeMap<double>& p_scores,
                                    const EdgeMap<double>& q_scores, Weighting by);
EdgeGradient kl_divergence_gradient(const Forest& forest, const EdgeMap<double>& p_scores,
                                    const EdgeMap<double>& q_scores, Weighting by);

}  // namespace coppice
