// clang-format off: foreach_target includes this file again, once a target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chain/span_kernel.cc"
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "chain/dense_rows-inl.h"
#include "chain/span_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace coppice::chain::HWY_NAMESPACE {

// One sentence on its way through the kernel. Rows of token t begin at t * stride.
class SpanPass {
 public:
  SpanPass(const GoldItems& gold, const Transitions& transitions, const SpanFactors& factors,
           Workspace& workspace)
      : gold_(gold),
        factors_(factors),
        labels_(factors.labels),
        stride_(factors.stride),
        w_(workspace),
        s_(workspace.spans) {
    tilt_table(transitions.none() ? nullptr : transitions.weights(), factors.tilt, labels_,
               s_.weights);
    tilt_table(transitions.none() ? nullptr : transitions.weights_by_next(), factors.tilt_by_next,
               labels_, s_.weights_by_next);
    shift_ = transitions.none() ? 0 : transitions.shift();
  }

  // Forward rows, both of a token summing to one; returns ln Z, or NaN where a row underflows.
  double forward(const float* scores) {
    const std::size_t length = gold_.labels.size();
    double log_z = shift_ * static_cast<double>(length - 1);
    for (std::size_t t = 0; t < length; ++t) {
      float* emission = row(w_.emission, t);
      log_z += exponentiate(scores + t * stride_, labels_, stride_, emission);
      if (t == 0) {
        begin_sentence();
      } else {
        step_forward(t);
      }
      float sum = multiply_and_sum(row(w_.forward, t), emission, stride_);
      if (has_gold(t)) sum += multiply_and_sum(row(s_.forward, t), emission, stride_);
      if (!(sum > 1e-30f && sum < 1e30f)) return std::numeric_limits<double>::quiet_NaN();
      w_.scale[t] = 1 / sum;
      scale_row(row(w_.forward, t), w_.scale[t], stride_);
      if (has_gold(t)) scale_row(row(s_.forward, t), w_.scale[t], stride_);
      log_z += std::log(static_cast<double>(sum));
    }
    return log_z + std::log(static_cast<double>(set_end(length - 1)));
  }

  // After forward(): posteriors, and the rows that pairs are counted from. Adds to `pairs` what
  // these do not say. Leaves in the forward rows what goes at large after each token.
  void backward(float* posteriors, float* pairs) {
    const Tag d;
    for (std::size_t t = gold_.labels.size(); t-- > 0;) {
      const auto scale = hn::Set(d, w_.scale[t]);
      for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
        const auto beta = hn::Load(d, w_.beta.data() + y);
        auto posterior = hn::Mul(hn::Load(d, row(w_.forward, t) + y), beta);
        const auto emission = hn::Mul(scale, hn::Load(d, row(w_.emission, t) + y));
        hn::Store(hn::Mul(beta, emission), d, row(w_.backward, t) + y);
        if (has_gold(t)) {
          const auto matching = hn::Load(d, s_.beta.data() + y);
          posterior = hn::MulAdd(hn::Load(d, row(s_.forward, t) + y), matching, posterior);
          hn::Store(hn::Mul(matching, emission), d, s_.backward.data() + y);
        }
        hn::Store(posterior, d, posteriors + t * stride_ + y);
      }
      if (ends_before(t + 1)) add_met(t + 1, row(w_.forward, t));
      if (t > 0) step_backward(t, pairs);
    }
  }

 private:
  float* row(AlignedVector<float>& rows, std::size_t t) const { return rows.data() + t * stride_; }
  bool has_gold(std::size_t t) const { return gold_.begins[t] != 0 || gold_.goes_on[t] != 0; }
  std::span<const std::uint16_t> peers(std::size_t t) const {
    return factors_.peers(gold_.labels[t]);
  }

  // table = weights * tilt; without weights, the tilt.
  HWY_INLINE void tilt_table(const float* weights, const AlignedVector<float>& tilt,
                             std::size_t rows, AlignedVector<float>& table) const {
    const Tag d;
    table.resize(tilt.size());
    for (std::size_t k = 0; k < rows * stride_; k += hn::Lanes(d)) {
      auto factor = hn::Load(d, tilt.data() + k);
      if (weights != nullptr) factor = hn::Mul(factor, hn::Load(d, weights + k));
      hn::Store(factor, d, table.data() + k);
    }
  }

  void begin_sentence() {
    std::copy_n(factors_.first.data(), stride_, row(w_.forward, 0));
    if (!has_gold(0)) return;
    std::fill_n(row(s_.forward, 0), stride_, 0.0f);
    for (const std::size_t y : peers(0)) std::swap(row(w_.forward, 0)[y], row(s_.forward, 0)[y]);
  }

  // Does a gold span end just before token t?
  bool ends_before(std::size_t t) const {
    return t < gold_.labels.size() && has_gold(t - 1) && gold_.goes_on[t] == 0;
  }
  float met_before(std::size_t t) const { return factors_.met[gold_.labels[t - 1]]; }
  const SpanFactors::Pairs& stays(std::size_t t) const { return factors_.stays(gold_.labels[t]); }
  float weight(std::size_t u, std::size_t y) const { return s_.weights[u * stride_ + y]; }

  // out = at large before t, and what matches there as if it ended, and so met the gold span.
  HWY_INLINE void add_met(std::size_t t, float* out) {
    const Tag d;
    const auto met = hn::Set(d, met_before(t));
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto matching = hn::Load(d, row(s_.forward, t - 1) + y);
      const auto large = hn::Load(d, row(w_.forward, t - 1) + y);
      hn::Store(hn::MulAdd(met, matching, large), d, out + y);
    }
  }

  HWY_INLINE void step_forward(std::size_t t) {
    float* large = row(w_.forward, t);
    const float* before = large - stride_;
    if (has_gold(t)) std::fill_n(row(s_.forward, t), stride_, 0.0f);
    if (!ends_before(t)) {
      multiply(before, labels_, s_.weights.data(), stride_, large);
    } else {
      add_met(t, s_.held.data());
      multiply(s_.held.data(), labels_, s_.weights.data(), stride_, large);
      for (const auto& [u, y] : stays(t - 1)) {  // longer than the gold span: not met
        large[y] += (1 - met_before(t)) * row(s_.forward, t - 1)[u] * weight(u, y);
      }
    }
    if (gold_.goes_on[t] != 0) go_on_forward(t);
    if (gold_.begins[t] != 0) begin_forward(t);
  }

  // From the matching row of t - 1, within a gold span.
  HWY_INLINE void go_on_forward(std::size_t t) {
    const Tag d;
    float* large = row(w_.forward, t);
    float* matching = row(s_.forward, t);
    for (const std::size_t u : peers(t - 1)) {
      const auto before = hn::Set(d, row(s_.forward, t - 1)[u]);
      for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
        const auto all = hn::Mul(before, hn::Load(d, s_.weights.data() + u * stride_ + y));
        const auto ending = hn::Mul(all, hn::Load(d, factors_.ends.data() + u * stride_ + y));
        hn::Store(hn::Add(ending, hn::Load(d, large + y)), d, large + y);
        const auto staying = hn::Sub(all, ending);  // all or nothing
        hn::Store(hn::Add(staying, hn::Load(d, matching + y)), d, matching + y);
      }
    }
  }

  // Moves what begins an item of the gold type at t from at large to matching: all but what stays.
  HWY_INLINE void begin_forward(std::size_t t) {
    float* large = row(w_.forward, t);
    float* matching = row(s_.forward, t);
    const float* before = large - stride_;
    for (const std::size_t y : peers(t)) matching[y] = std::exchange(large[y], 0.0f);
    for (const auto& [u, y] : stays(t)) {
      const float also = has_gold(t - 1) ? row(s_.forward, t - 1)[u] : 0;
      large[y] += (before[u] + also) * weight(u, y);
    }
    for (const std::size_t y : peers(t)) matching[y] = std::max(0.0f, matching[y] - large[y]);
  }

  // Backward factors after the last token; returns what the sum over all sequences is scaled to.
  float set_end(std::size_t last) {
    const float met = has_gold(last) ? factors_.met[gold_.labels[last]] : 1;
    const float* large = row(w_.forward, last);
    float total = std::accumulate(large, large + labels_, 0.0f);
    if (has_gold(last)) {
      const float* matching = row(s_.forward, last);
      total += met * std::accumulate(matching, matching + labels_, 0.0f);
    }
    std::fill_n(w_.beta.begin(), stride_, 1 / total);
    std::fill_n(s_.beta.begin(), stride_, met / total);
    return total;
  }

  // From the backward rows of t to the betas of t - 1.
  HWY_INLINE void step_backward(std::size_t t, float* pairs) {
    float* large = row(w_.backward, t);
    std::copy_n(large, stride_, s_.held.data());
    if (gold_.goes_on[t] != 0) go_on_backward(t, pairs);
    if (gold_.begins[t] != 0) {  // whoever comes to these labels matches, but for what stays
      for (const std::size_t y : peers(t)) large[y] = s_.backward[y];
    }
    multiply(large, labels_, s_.weights_by_next.data(), stride_, w_.beta.data());
    if (ends_before(t)) end_backward(t, pairs);
    if (gold_.begins[t] == 0) return;
    for (const auto& [u, y] : stays(t)) {
      const float gain = s_.held[y] - large[y];
      w_.beta[u] += gain * weight(u, y);
      if (pairs != nullptr) pairs[u * stride_ + y] += gain * row(w_.forward, t - 1)[u];
    }
  }

  // The betas of the matching row of t - 1, the last of a gold span.
  HWY_INLINE void end_backward(std::size_t t, float* pairs) {
    const float met = met_before(t);
    std::fill_n(s_.beta.begin(), stride_, 0.0f);
    for (const std::size_t u : peers(t - 1)) s_.beta[u] = met * w_.beta[u];
    for (const auto& [u, y] : stays(t - 1)) {
      const float gain = s_.held[y] - met * row(w_.backward, t)[y];
      s_.beta[u] += gain * weight(u, y);
      if (pairs != nullptr) pairs[u * stride_ + y] += gain * row(s_.forward, t - 1)[u];
    }
  }

  // The same within a gold span, and all that the pairs of the matching row count.
  HWY_INLINE void go_on_backward(std::size_t t, float* pairs) {
    const Tag d;
    std::fill_n(s_.beta.begin(), stride_, 0.0f);
    for (const std::size_t u : peers(t - 1)) {
      const auto before = hn::Set(d, row(s_.forward, t - 1)[u]);
      auto sum = hn::Zero(d);
      for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
        const auto ends = hn::Load(d, factors_.ends.data() + u * stride_ + y);
        const auto value =
            hn::IfThenElse(hn::Gt(ends, hn::Zero(d)), hn::Load(d, row(w_.backward, t) + y),
                           hn::Load(d, s_.backward.data() + y));
        sum = hn::MulAdd(hn::Load(d, s_.weights.data() + u * stride_ + y), value, sum);
        if (pairs == nullptr) continue;
        float* counts = pairs + u * stride_ + y;
        hn::Store(hn::MulAdd(before, value, hn::Load(d, counts)), d, counts);
      }
      s_.beta[u] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }

  const GoldItems& gold_;
  const SpanFactors& factors_;
  std::size_t labels_, stride_;
  Workspace& w_;
  SpanWorkspace& s_;
  double shift_ = 0;
};

// pairs += tilt * the pairs counted under tilted weights.
void add_tilted(const AlignedVector<float>& counted, const SpanFactors& factors, float* pairs) {
  const Tag d;
  for (std::size_t k = 0; k < factors.labels * factors.stride; k += hn::Lanes(d)) {
    const auto sum = hn::MulAdd(hn::Load(d, counted.data() + k),
                                hn::Load(d, factors.tilt.data() + k), hn::Load(d, pairs + k));
    hn::Store(sum, d, pairs + k);
  }
}

double span_pass(float* scores, const GoldItems& gold, const Transitions& transitions,
                 const SpanFactors& factors, Workspace& w, float* pairs) {
  const std::size_t length = gold.labels.size(), stride = factors.stride;
  SpanPass pass(gold, transitions, factors, w);
  const double log_z = pass.forward(scores);
  if (!std::isfinite(log_z)) return std::numeric_limits<double>::quiet_NaN();
  float* counted = nullptr;
  if (pairs != nullptr) {
    w.spans.pairs.assign((factors.labels + 3) * stride, 0.0f);
    counted = w.spans.pairs.data();
  }
  w.scores.assign(scores, scores + length * stride);
  pass.backward(scores, counted);
  // Where a forward entry underflows, its backward one may overflow; that spreads to the first row.
  if (!std::isfinite(std::accumulate(scores, scores + factors.labels, 0.0f))) {
    std::copy(w.scores.begin(), w.scores.end(), scores);
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (pairs == nullptr) return log_z;
  if (length > 1) {
    pair_counts(length, factors.labels, stride, w.forward.data(), w.backward.data(), counted);
  }
  add_tilted(w.spans.pairs, factors, pairs);
  return log_z;
}

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::chain {

HWY_EXPORT(span_pass);

SpanFactors::SpanFactors(const ItemRules& rules, std::span<const double> tilt_of,
                         std::span<const double> met_of)
    : labels(rules.num_labels()),
      stride(row_stride(labels)),
      tilt(labels * stride, 0.0f),
      tilt_by_next(tilt),
      first(stride, 0.0f),
      ends(tilt),
      met(met_of.begin(), met_of.end()),
      peers_(labels),
      stays_(labels) {
  for (std::size_t y = 0; y < labels; ++y) {
    const auto factor = [&](bool begins) { return begins ? static_cast<float>(tilt_of[y]) : 1.0f; };
    first[y] = factor(rules.begins(rules.boundary(), y));
    for (std::size_t u = 0; u < labels; ++u) {
      const bool begins = rules.begins(u, y);
      tilt[u * stride + y] = tilt_by_next[y * stride + u] = factor(begins);
      ends[u * stride + y] = rules.ends(u, y) ? 1.0f : 0.0f;
      if (rules.has_item(u) && rules.has_item(y) && rules.type(u) == rules.type(y)) {
        peers_[y].push_back(static_cast<std::uint16_t>(u));
      }
    }
  }
  for (std::size_t y = 0; y < labels; ++y) {
    for (const std::uint16_t from : peers_[y]) {
      for (const std::uint16_t to : peers_[y]) {
        if (!rules.begins(from, to)) stays_[y].emplace_back(from, to);
      }
    }
  }
}

double span_marginals(float* scores, const GoldItems& gold, const Transitions& transitions,
                      const SpanFactors& factors, Workspace& workspace, float* pairs) {
  workspace.reserve(gold.labels.size(), factors.stride);
  workspace.spans.reserve(gold.labels.size(), factors.stride);
  return HWY_DYNAMIC_DISPATCH(span_pass)(scores, gold, transitions, factors, workspace, pairs);
}

}  // namespace coppice::chain
#endif
