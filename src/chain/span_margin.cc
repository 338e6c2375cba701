#include "coppice/chain/span_margin.h"

#include <cmath>

#include "chain/sentence_paths.h"
#include "chain/span_kernel.h"
#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

// A span costs as a false positive where it begins; one that is right gives that back, and what
// it would have cost to miss it.
std::unique_ptr<SpanFactors> span_factors(const ItemRules& rules,
                                          const std::vector<learn::ErrorCosts>& costs,
                                          double scale) {
  require(rules.counts_spans(), "costs of spans where labels are only labels");
  require(std::isfinite(scale) && scale >= 0, "a loss scale of ", scale,
          "; expected a number from 0 up");
  require(costs.size() == rules.num_labels(), "costs of errors for ", costs.size(), " of ",
          rules.num_labels(), " labels");
  std::vector<double> tilt, met, log_missed;
  for (const auto& [false_positive, false_negative] : costs) {
    tilt.push_back(std::exp(scale * false_positive));
    met.push_back(std::exp(-scale * (false_positive + false_negative)));
    log_missed.push_back(scale * false_negative);
  }
  return std::make_unique<SpanFactors>(rules, tilt, met, log_missed);
}

}  // namespace

SpanMargin::SpanMargin(const ItemRules& rules, std::vector<learn::ErrorCosts> costs,
                       double loss_scale)
    : factors_(span_factors(rules, costs, loss_scale)),
      general_(rules, {.kind = ChainLoss::Kind::kErrorCosts, .errors = std::move(costs)},
               {.kind = learn::ObjectiveKind::kSoftmaxMargin, .loss_scale = loss_scale}) {}

SpanMargin::~SpanMargin() = default;

double SpanMargin::evaluate(const Example& example, PairDerivatives& pairs,
                            Workspace& workspace) const {
  if (!example.edges.empty() || example.lattice != nullptr) {
    return general_.evaluate(example, pairs, workspace);
  }
  const double right = gold_score(example);
  const double log_sum =
      span_marginals(example.scores, gold_labels(example.gold), example.transitions, *factors_,
                     workspace, pairs.by_weight());
  if (std::isnan(log_sum)) return general_.evaluate(example, pairs, workspace);
  subtract_gold(example, pairs);
  return log_sum - right;
}

}  // namespace coppice::chain
