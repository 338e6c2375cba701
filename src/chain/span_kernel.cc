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
      : gold_(gold.labels.data()),
        begins_(gold.begins.data()),
        goes_on_(gold.goes_on.data()),
        ends_(gold.ends.data()),
        length_(gold.labels.size()),
        factors_(factors),
        labels_(factors.labels),
        stride_(factors.stride),
        width_(factors.of_type.most()),
        w_(workspace),
        s_(workspace.spans),
        beta_(s_.beta.data()),
        more_(s_.more.data()),
        backward_(s_.backward.data()),
        held_(s_.held.data()) {
    if (s_.of_transitions != transitions.serial() || s_.of_factors != factors.serial) {
      make_tables(transitions);
    }
    weights_ = s_.weights.data();
    shift_ = transitions.none() ? 0 : transitions.shift();
  }

  // Forward rows, both of a token summing to one; returns ln Z, or NaN where a row underflows.
  // Where a gold span ends, what goes on at large after it is in the row of its last token.
  double forward(const float* scores) {
    double log_z = shift_ * static_cast<double>(length_ - 1);
    float *large = w_.forward.data(), *emission = w_.emission.data(), *now = s_.matching.data();
    for (std::size_t t = 0; t < length_; ++t) {
      const Labels labels = at(t).labels;
      log_z += exponentiate(scores + t * stride_, labels_, stride_, emission);
      if (t == 0) {
        begin_sentence(labels);
      } else {
        step_forward(t, now, large);
      }
      float sum = multiply_and_sum(large, emission, stride_);
      for (std::size_t k = 0; k < labels.size(); ++k) sum += now[k] *= emission[labels[k]];
      if (!(sum > 1e-30f && sum < 1e30f)) return std::numeric_limits<double>::quiet_NaN();
      const float scale = w_.scale[t] = 1 / sum;
      scale_row(large, scale, stride_);
      const float met = ends_[t] != 0 ? met_at(t) : 0;
      for (std::size_t k = 0; k < labels.size(); ++k) {
        now[k] *= scale;
        large[labels[k]] += met * now[k];
      }
      log_z += std::log(static_cast<double>(sum));
      large += stride_, emission += stride_, now += width_;
    }
    return log_z + std::log(static_cast<double>(set_end()));
  }

  // After forward(): posteriors, and the rows that pairs are counted from. Adds to `pairs` what
  // these do not say.
  void backward(float* posteriors, float* pairs) {
    for (std::size_t t = length_; t-- > 0;) {
      const float *emission = w_.emission.data() + t * stride_, *now = matching(t);
      float *posterior = posteriors + t * stride_, *large = w_.backward.data() + t * stride_;
      take_emissions(t, posterior, large);
      const float scale = w_.scale[t];
      const Labels labels = at(t).labels;
      for (std::size_t k = 0; k < labels.size(); ++k) {
        const std::size_t y = labels[k];
        posterior[y] += now[k] * more_[k];
        backward_[k] = beta_[k] * scale * emission[y];
      }
      if (t > 0) step_backward(t, large, pairs);
    }
  }

 private:
  using Labels = std::span<const std::uint16_t>;
  using Group = ItemPeers::Group;

  const Group& at(std::size_t t) const { return factors_.of_type.of(gold_[t]); }
  float met_at(std::size_t t) const { return factors_.met[gold_[t]]; }
  float* matching(std::size_t t) const { return s_.matching.data() + t * width_; }
  // Is one type at both?
  static bool is_same(const Group& a, const Group& b) { return a.labels.data() == b.labels.data(); }

  void make_tables(const Transitions& transitions) {
    const bool none = transitions.none();
    multiply_tables(none ? nullptr : transitions.weights(), factors_.tilt, s_.weights);
    multiply_tables(none ? nullptr : transitions.weights_by_next(), factors_.tilt_by_next,
                    s_.weights_by_next);
    multiply_tables(s_.weights.data(), factors_.ends, s_.ending);
    s_.of_transitions = transitions.serial();
    s_.of_factors = factors_.serial;
  }

  // table = weights * factors; without weights, the factors.
  void multiply_tables(const float* weights, const AlignedVector<float>& factors,
                       AlignedVector<float>& table) const {
    table = factors;
    for (std::size_t k = 0; weights != nullptr && k < labels_ * stride_; ++k) {
      table[k] *= weights[k];
    }
  }

  void begin_sentence(Labels labels) {
    float *large = w_.forward.data(), *now = matching(0);
    std::copy_n(factors_.first.data(), stride_, large);
    for (std::size_t k = 0; k < labels.size(); ++k) now[k] = std::exchange(large[labels[k]], 0.0f);
  }

  HWY_INLINE void step_forward(std::size_t t, float* now, float* large) {
    multiply(large - stride_, labels_, weights_, stride_, large);
    if (goes_on_[t] != 0) return go_on_forward(at(t), now, large);
    const Group& before = at(t - 1);
    const float* matched = now - width_;
    const float unmet = 1 - met_at(t - 1);
    for (const auto& [from, to, u, y, at] : before.stays) {  // longer than the gold span: not met
      large[y] += unmet * matched[from] * weights_[at];
    }
    if (begins_[t] == 0) return;
    begin_forward(at(t), is_same(at(t), before) ? unmet : 0, now, large);
  }

  // From what matched before, within a gold span.
  HWY_INLINE void go_on_forward(const Group& group, float* now, float* large) const {
    const Tag d;
    const float* matched = now - width_;
    const Labels labels = group.labels;
    for (std::size_t k = 0; k < labels.size(); ++k) {
      now[k] = 0;
      const auto mass = hn::Set(d, matched[k]);
      const float* ending = s_.ending.data() + labels[k] * stride_;
      for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
        const auto sum = hn::MulAdd(mass, hn::Load(d, ending + y), hn::Load(d, large + y));
        hn::Store(sum, d, large + y);
      }
    }
    for (const auto& [from, to, u, y, at] : group.stays) now[to] += matched[from] * weights_[at];
  }

  // Moves what begins an item of the gold type from at large to matching: all but what stays, which
  // is what was at large, and the unmet share of what matched a span of this type.
  HWY_INLINE void begin_forward(const Group& group, float unmet, float* now, float* large) const {
    const float *before = large - stride_, *matched = now - width_;
    const Labels labels = group.labels;
    for (std::size_t k = 0; k < labels.size(); ++k) now[k] = std::exchange(large[labels[k]], 0.0f);
    for (const auto& [from, to, u, y, at] : group.stays) {
      const float also = unmet > 0 ? unmet * matched[from] : 0;
      large[y] += (before[u] + also) * weights_[at];
    }
    for (std::size_t k = 0; k < labels.size(); ++k) {
      now[k] = std::max(0.0f, now[k] - large[labels[k]]);
    }
  }

  // Backward factors after the last token; returns what the sum over all sequences is scaled to.
  float set_end() {
    const float* large = w_.forward.data() + (length_ - 1) * stride_;
    const float total = std::accumulate(large, large + labels_, 0.0f);
    std::fill_n(w_.beta.begin(), stride_, 1 / total);
    std::fill_n(beta_, width_, met_at(length_ - 1) / total);
    std::fill_n(more_, width_, 0.0f);
    return total;
  }

  // Of what is at large: posteriors, and the backward row of t.
  HWY_INLINE void take_emissions(std::size_t t, float* posterior, float* backward) const {
    const Tag d;
    const auto scale = hn::Set(d, w_.scale[t]);
    const float* forward = w_.forward.data() + t * stride_;
    const float *emission = w_.emission.data() + t * stride_, *betas = w_.beta.data();
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto beta = hn::Load(d, betas + y);
      hn::Store(hn::Mul(hn::Load(d, forward + y), beta), d, posterior + y);
      hn::Store(hn::Mul(hn::Mul(beta, scale), hn::Load(d, emission + y)), d, backward + y);
    }
  }

  // From the backward rows of t to the betas of t - 1.
  HWY_INLINE void step_backward(std::size_t t, float* large, float* pairs) const {
    const Group &group = at(t), &before = at(t - 1);
    const bool begins = begins_[t] != 0;
    float* beta = w_.beta.data();
    for (std::size_t k = 0; begins && k < group.labels.size(); ++k) {
      // Whoever comes to these labels matches, but for what stays.
      held_[k] = std::exchange(large[group.labels[k]], backward_[k]);
    }
    multiply(large, labels_, s_.weights_by_next.data(), stride_, beta);
    if (goes_on_[t] != 0) return go_on_backward(group, matching(t - 1), large, pairs);
    if (begins) begin_backward(group, large, large_before(t), beta, pairs);
    if (before.labels.empty()) return;
    end_backward(t, before, begins && is_same(group, before), large, pairs);
  }
  const float* large_before(std::size_t t) const { return w_.forward.data() + (t - 1) * stride_; }

  HWY_INLINE void begin_backward(const Group& group, const float* large, const float* before,
                                 float* beta, float* pairs) const {
    for (const auto& [from, to, u, y, at] : group.stays) {
      const float gain = held_[to] - large[y];
      beta[u] += gain * weights_[at];
      if (pairs != nullptr) pairs[at] += gain * before[u];
    }
  }

  // The betas of what matches at t - 1, the last of a gold span. The row at large has what it is
  // when met; there is more where an item goes on and so is not.
  HWY_INLINE void end_backward(std::size_t t, const Group& before, bool is_held, const float* large,
                               float* pairs) const {
    const float met = met_at(t - 1);
    const float* matched = matching(t - 1);
    for (std::size_t k = 0; k < before.labels.size(); ++k) more_[k] = 0;
    for (const auto& [from, to, u, y, at] : before.stays) {
      const float gain = (1 - met) * (is_held ? held_[to] : large[y]);
      more_[from] += gain * weights_[at];
      if (pairs != nullptr) pairs[at] += gain * matched[from];
    }
    for (std::size_t k = 0; k < before.labels.size(); ++k) {
      beta_[k] = met * w_.beta[before.labels[k]] + more_[k];
    }
  }

  // The same within a gold span, and all that the pairs of what matches count.
  HWY_INLINE void go_on_backward(const Group& group, const float* matched, const float* large,
                                 float* pairs) const {
    for (std::size_t k = 0; k < group.labels.size(); ++k) {
      more_[k] = go_on_row(matched[k], large, group.labels[k] * stride_, pairs);
    }
    for (const auto& [from, to, u, y, at] : group.stays) {
      more_[from] += weights_[at] * backward_[to];
      if (pairs != nullptr) pairs[at] += matched[from] * backward_[to];
    }
    for (std::size_t k = 0; k < group.labels.size(); ++k) beta_[k] = more_[k];
  }

  // The pairs that end an item, of one row of the tables, which begins `at`.
  HWY_INLINE float go_on_row(float before, const float* seen, std::size_t at, float* pairs) const {
    const Tag d;
    const float *weights = weights_ + at, *ends = factors_.ends.data() + at;
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

  const std::uint16_t* gold_;
  const unsigned char *begins_, *goes_on_, *ends_;
  std::size_t length_;
  const SpanFactors& factors_;
  std::size_t labels_, stride_, width_;
  Workspace& w_;
  SpanWorkspace& s_;
  float *beta_, *more_, *backward_, *held_;  // see SpanWorkspace
  const float* weights_ = nullptr;           // tilted
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
    : serial(new_serial()),
      labels(rules.num_labels()),
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
  workspace.spans.reserve(gold.labels.size(), factors.of_type.most());
  return HWY_DYNAMIC_DISPATCH(span_pass)(scores, gold, transitions, factors, workspace, pairs);
}

}  // namespace coppice::chain
#endif
