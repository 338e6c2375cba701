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

// One sentence on its way through the kernel. Rows of token t begin at t * stride; what matches is
// kept by place among the labels of the gold span's type, its peers.
class SpanPass {
 public:
  SpanPass(const GoldItems& gold, const Transitions& transitions, const SpanFactors& factors,
           Workspace& workspace)
      : gold_(gold),
        factors_(factors),
        labels_(factors.labels),
        stride_(factors.stride),
        width_(factors.of_type.most()),
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
      for (std::size_t k = 0; k < num_peers(t); ++k) {
        sum += matching(t)[k] *= emission[peers(t)[k]];
      }
      if (!(sum > 1e-30f && sum < 1e30f)) return std::numeric_limits<double>::quiet_NaN();
      w_.scale[t] = 1 / sum;
      scale_row(row(w_.forward, t), w_.scale[t], stride_);
      for (std::size_t k = 0; k < num_peers(t); ++k) matching(t)[k] *= w_.scale[t];
      log_z += std::log(static_cast<double>(sum));
    }
    return log_z + std::log(static_cast<double>(set_end(length - 1)));
  }

  // After forward(): posteriors, and the rows that pairs are counted from. Adds to `pairs` what
  // these do not say. Leaves in the forward rows what goes at large after each token.
  void backward(float* posteriors, float* pairs) {
    for (std::size_t t = gold_.labels.size(); t-- > 0;) {
      take_emissions(t, posteriors + t * stride_);
      for (std::size_t k = 0; k < num_peers(t); ++k) {
        const std::size_t y = peers(t)[k];
        posteriors[t * stride_ + y] += matching(t)[k] * s_.beta[k];
        s_.backward[k] = s_.beta[k] * w_.scale[t] * row(w_.emission, t)[y];
      }
      if (ends_before(t + 1)) add_met(t + 1, row(w_.forward, t));
      if (t > 0) step_backward(t, pairs);
    }
  }

 private:
  float* row(AlignedVector<float>& rows, std::size_t t) const { return rows.data() + t * stride_; }
  float* matching(std::size_t t) const { return s_.matching.data() + t * width_; }
  bool has_gold(std::size_t t) const { return gold_.begins[t] != 0 || gold_.goes_on[t] != 0; }
  std::span<const std::uint16_t> peers(std::size_t t) const {
    return factors_.of_type.peers(gold_.labels[t]);
  }
  std::size_t num_peers(std::size_t t) const { return has_gold(t) ? peers(t).size() : 0; }
  // Do gold spans at t - 1 and at t have one type, and so the same peers?
  bool same_peers(std::size_t t) const {
    return has_gold(t - 1) && has_gold(t) && peers(t - 1)[0] == peers(t)[0];
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
    for (std::size_t k = 0; k < num_peers(0); ++k) {
      matching(0)[k] = std::exchange(row(w_.forward, 0)[peers(0)[k]], 0.0f);
    }
  }

  // Does a gold span end just before token t?
  bool ends_before(std::size_t t) const {
    return t < gold_.labels.size() && has_gold(t - 1) && gold_.goes_on[t] == 0;
  }
  float met_before(std::size_t t) const { return factors_.met[gold_.labels[t - 1]]; }
  std::span<const ItemPeers::Pair> stays(std::size_t t) const {
    return factors_.of_type.stays(gold_.labels[t]);
  }
  float weight(std::size_t u, std::size_t y) const { return s_.weights[u * stride_ + y]; }

  // large += what matches before t as if it ended, and so met the gold span.
  HWY_INLINE void add_met(std::size_t t, float* large) const {
    for (std::size_t k = 0; k < num_peers(t - 1); ++k) {
      large[peers(t - 1)[k]] += met_before(t) * matching(t - 1)[k];
    }
  }

  HWY_INLINE void step_forward(std::size_t t) {
    float* large = row(w_.forward, t);
    const float* before = large - stride_;
    if (!ends_before(t)) {
      multiply(before, labels_, s_.weights.data(), stride_, large);
    } else {
      std::copy_n(before, stride_, s_.held.data());
      add_met(t, s_.held.data());
      multiply(s_.held.data(), labels_, s_.weights.data(), stride_, large);
      for (const auto& [from, to] : stays(t - 1)) {  // longer than the gold span: not met
        const std::size_t u = peers(t - 1)[from], y = peers(t - 1)[to];
        large[y] += (1 - met_before(t)) * matching(t - 1)[from] * weight(u, y);
      }
    }
    if (gold_.goes_on[t] != 0) go_on_forward(t);
    if (gold_.begins[t] != 0) begin_forward(t);
  }

  // From what matches at t - 1, within a gold span.
  HWY_INLINE void go_on_forward(std::size_t t) {
    const Tag d;
    float* large = row(w_.forward, t);
    const float *weights = s_.weights.data(), *ends = factors_.ends.data();
    std::fill_n(matching(t), width_, 0.0f);
    for (const auto& [from, to] : stays(t)) {
      matching(t)[to] += matching(t - 1)[from] * weight(peers(t)[from], peers(t)[to]);
    }
    const auto labels = peers(t);
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      auto sum = hn::Load(d, large + y);
      for (std::size_t k = 0; k < labels.size(); ++k) {
        const std::size_t at = labels[k] * stride_ + y;
        const auto ending = hn::Mul(hn::Load(d, weights + at), hn::Load(d, ends + at));
        sum = hn::MulAdd(hn::Set(d, matching(t - 1)[k]), ending, sum);
      }
      hn::Store(sum, d, large + y);
    }
  }

  // Moves what begins an item of the gold type at t from at large to matching: all but what stays.
  HWY_INLINE void begin_forward(std::size_t t) {
    float *large = row(w_.forward, t), *now = matching(t);
    const float* before = large - stride_;
    const auto labels = peers(t);
    for (std::size_t k = 0; k < labels.size(); ++k) now[k] = std::exchange(large[labels[k]], 0.0f);
    for (const auto& [from, to] : stays(t)) {
      const float also = same_peers(t) ? matching(t - 1)[from] : 0;
      const std::size_t u = labels[from], y = labels[to];
      large[y] += (before[u] + also) * weight(u, y);
    }
    for (std::size_t k = 0; k < labels.size(); ++k) {
      now[k] = std::max(0.0f, now[k] - large[labels[k]]);
    }
  }

  // Backward factors after the last token; returns what the sum over all sequences is scaled to.
  float set_end(std::size_t last) {
    const float met = has_gold(last) ? factors_.met[gold_.labels[last]] : 1;
    const float* large = row(w_.forward, last);
    float total = std::accumulate(large, large + labels_, 0.0f);
    for (std::size_t k = 0; k < num_peers(last); ++k) total += met * matching(last)[k];
    std::fill_n(w_.beta.begin(), stride_, 1 / total);
    std::fill_n(s_.beta.begin(), width_, met / total);
    return total;
  }

  // Of what is at large: posteriors, and the backward row of t.
  HWY_INLINE void take_emissions(std::size_t t, float* posteriors) {
    const Tag d;
    const auto scale = hn::Set(d, w_.scale[t]);
    const float *forward = row(w_.forward, t), *emission = row(w_.emission, t);
    const float* betas = w_.beta.data();
    float* backward = row(w_.backward, t);
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto beta = hn::Load(d, betas + y);
      hn::Store(hn::Mul(hn::Load(d, forward + y), beta), d, posteriors + y);
      hn::Store(hn::Mul(hn::Mul(beta, scale), hn::Load(d, emission + y)), d, backward + y);
    }
  }

  // From the backward rows of t to the betas of t - 1.
  HWY_INLINE void step_backward(std::size_t t, float* pairs) {
    float* large = row(w_.backward, t);
    if (gold_.begins[t] != 0) {  // whoever comes to these labels matches, but for what stays
      for (std::size_t k = 0; k < num_peers(t); ++k) {
        s_.held[k] = std::exchange(large[peers(t)[k]], s_.backward[k]);
      }
    }
    multiply(large, labels_, s_.weights_by_next.data(), stride_, w_.beta.data());
    if (ends_before(t)) end_backward(t, pairs);
    if (gold_.goes_on[t] != 0) go_on_backward(t, pairs);
    if (gold_.begins[t] == 0) return;
    for (const auto& [from, to] : stays(t)) {
      const std::size_t u = peers(t)[from], y = peers(t)[to];
      const float gain = s_.held[to] - large[y];
      w_.beta[u] += gain * weight(u, y);
      if (pairs != nullptr) pairs[u * stride_ + y] += gain * row(w_.forward, t - 1)[u];
    }
  }

  // The betas of what matches at t - 1, the last of a gold span.
  HWY_INLINE void end_backward(std::size_t t, float* pairs) {
    const float met = met_before(t);
    const float* seen = row(w_.backward, t);
    const auto labels = peers(t - 1);
    for (std::size_t k = 0; k < labels.size(); ++k) s_.beta[k] = met * w_.beta[labels[k]];
    const bool is_held = gold_.begins[t] != 0 && same_peers(t);
    for (const auto& [from, to] : stays(t - 1)) {
      const std::size_t u = labels[from], y = labels[to];
      const float gain = (is_held ? s_.held[to] : seen[y]) - met * seen[y];
      s_.beta[from] += gain * weight(u, y);
      if (pairs != nullptr) pairs[u * stride_ + y] += gain * matching(t - 1)[from];
    }
  }

  // The same within a gold span, and all that the pairs of what matches count.
  HWY_INLINE void go_on_backward(std::size_t t, float* pairs) {
    const auto labels = peers(t);
    for (std::size_t k = 0; k < labels.size(); ++k) {
      const std::size_t u = labels[k];
      s_.beta[k] = go_on_row(matching(t - 1)[k], row(w_.backward, t), u * stride_, pairs);
    }
    for (const auto& [from, to] : stays(t)) {
      const std::size_t u = labels[from], y = labels[to];
      s_.beta[from] += weight(u, y) * s_.backward[to];
      if (pairs != nullptr) pairs[u * stride_ + y] += matching(t - 1)[from] * s_.backward[to];
    }
  }

  // The pairs that end an item, of one row of the tables, which begins `at`.
  HWY_INLINE float go_on_row(float before, const float* seen, std::size_t at, float* pairs) const {
    const Tag d;
    const float *weights = s_.weights.data() + at, *ends = factors_.ends.data() + at;
    auto sum = hn::Zero(d);
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto value = hn::Mul(hn::Load(d, ends + y), hn::Load(d, seen + y));
      sum = hn::MulAdd(hn::Load(d, weights + y), value, sum);
      if (pairs == nullptr) continue;
      float* counts = pairs + at + y;
      hn::Store(hn::MulAdd(hn::Set(d, before), value, hn::Load(d, counts)), d, counts);
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
  }

  const GoldItems& gold_;
  const SpanFactors& factors_;
  std::size_t labels_, stride_, width_;
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
      of_type(rules),
      tilt(labels * stride, 0.0f),
      tilt_by_next(tilt),
      first(stride, 0.0f),
      ends(tilt),
      met(met_of.begin(), met_of.end()) {
  for (std::size_t y = 0; y < labels; ++y) {
    const auto factor = [&](bool begins) { return begins ? static_cast<float>(tilt_of[y]) : 1.0f; };
    first[y] = factor(rules.begins(rules.boundary(), y));
    for (std::size_t u = 0; u < labels; ++u) {
      const bool begins = rules.begins(u, y);
      tilt[u * stride + y] = tilt_by_next[y * stride + u] = factor(begins);
      ends[u * stride + y] = rules.ends(u, y) ? 1.0f : 0.0f;
    }
  }
}

double span_marginals(float* scores, const GoldItems& gold, const Transitions& transitions,
                      const SpanFactors& factors, Workspace& workspace, float* pairs) {
  workspace.reserve(gold.labels.size(), factors.stride);
  workspace.spans.reserve(gold.labels.size(), factors.stride, factors.of_type.most());
  return HWY_DYNAMIC_DISPATCH(span_pass)(scores, gold, transitions, factors, workspace, pairs);
}

}  // namespace coppice::chain
#endif
