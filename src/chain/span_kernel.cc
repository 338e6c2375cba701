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

// One sentence on its way through the kernel. Rows of token t begin at t * stride; in those of what
// matches, only the labels of the token's role are set.
class SpanPass {
 public:
  SpanPass(std::span<const std::uint16_t> gold, const Transitions& transitions,
           const SpanFactors& factors, Workspace& workspace)
      : length_(gold.size()),
        factors_(factors),
        labels_(factors.labels),
        stride_(factors.stride),
        w_(workspace),
        s_(*workspace.spans),
        beta_(s_.beta.data()),
        more_(s_.more.data()),
        backward_(s_.backward.data()),
        held_(s_.held.data()) {
    if (s_.of_transitions != transitions.serial() || s_.of_factors != factors.serial) {
      make_tables(transitions);
    }
    weights_ = s_.weights.data();
    shift_ = transitions.none() ? 0 : transitions.shift();
    choose_roles(gold);
  }

  // Forward rows, both of a token summing to one; returns ln Z, or NaN where a row underflows.
  // Where a gold span ends, what goes on at large after it is in the row of its last token.
  double forward(const float* scores) {
    double log_z = shift_ * static_cast<double>(length_ - 1);
    float *large = w_.forward.data(), *emission = w_.emission.data(), *now = s_.matching.data();
    for (std::size_t t = 0; t < length_; ++t) {
      const SpanRole& role = *roles_[t];
      log_z += exponentiate(scores + t * stride_, labels_, stride_, emission);
      if (t == 0) {
        begin_sentence(role);
      } else {
        step_forward(*roles_[t - 1], role, now, large);
      }
      float sum = multiply_and_sum(large, emission, stride_);
      for (const std::size_t y : role.labels) sum += now[y] *= emission[y];
      if (!(sum > 1e-30f && sum < 1e30f)) return std::numeric_limits<double>::quiet_NaN();
      const float scale = w_.scale[t] = 1 / sum;
      scale_row(large, scale, stride_);
      const float met = roles_[t + 1]->goes_on ? 0 : role.met;
      for (const std::size_t y : role.labels) large[y] += met * (now[y] *= scale);
      log_z += std::log(static_cast<double>(sum)) + role.log_missed;
      large += stride_, emission += stride_, now += stride_;
    }
    return log_z + std::log(static_cast<double>(set_end()));
  }

  // After forward(): posteriors, and the rows that pairs are counted from. Adds to `pairs` what
  // these do not say.
  void backward(float* posteriors, float* pairs) {
    for (std::size_t t = length_; t-- > 0;) {
      const std::size_t row = t * stride_;
      const float *emission = w_.emission.data() + row, *now = s_.matching.data() + row;
      float *posterior = posteriors + row, *large = w_.backward.data() + row;
      take_emissions(t, posterior, large);
      const float scale = w_.scale[t];
      for (const std::size_t y : roles_[t]->labels) {
        posterior[y] += now[y] * more_[y];
        backward_[y] = beta_[y] * scale * emission[y];
      }
      if (t > 0) step_backward(t, large, pairs);
    }
  }

 private:
  // By token, and after the last one none.
  void choose_roles(std::span<const std::uint16_t> gold) {
    s_.by_token.resize(length_ + 1);
    const SpanRole **role = s_.by_token.data(), *const *of_pair = s_.by_pair.data();
    roles_ = role;
    *role++ = &s_.roles[3 * std::size_t{gold[0]}];
    for (std::size_t t = 1; t < length_; ++t) *role++ = of_pair[gold[t - 1] * labels_ + gold[t]];
    *role = &s_.roles.back();
  }

  void make_tables(const Transitions& transitions) {
    const bool none = transitions.none();
    multiply_tables(none ? nullptr : transitions.weights(), factors_.tilt, s_.weights);
    multiply_tables(none ? nullptr : transitions.weights_by_next(), factors_.tilt_by_next,
                    s_.weights_by_next);
    multiply_tables(s_.weights.data(), factors_.ends, s_.ending);
    make_roles();
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

  void make_roles() {
    s_.roles.assign(3 * labels_ + 1, {});
    s_.by_pair.resize(labels_ * labels_);
    for (std::size_t label = 0; label < labels_; ++label) {
      const auto& [peers, pairs] = factors_.of_type.of(label);
      SpanRole *first = &s_.roles[3 * label], *begin = first + 1, *inside = first + 2;
      for (const std::uint16_t y : peers) {
        const auto goes_on = std::count_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
          return pair.next == y && s_.weights[pair.at] > 0;
        });
        first->labels.push_back(y);
        if (comes_to(y) > goes_on) begin->labels.push_back(y);
        if (goes_on > 0) inside->labels.push_back(y);
      }
      for (SpanRole* role : {first, begin, inside}) {
        add_stays(pairs, *role);
        role->goes_on = role == inside;
        role->met = factors_.met[label];
        role->log_missed = role == inside ? 0 : factors_.log_missed[label];
      }
      for (std::size_t u = 0; u < labels_; ++u) s_.by_pair[u * labels_ + label] = begin;
      for (const ItemPeers::Stay& pair : pairs) {
        if (pair.next == label) s_.by_pair[pair.previous * labels_ + label] = inside;
      }
    }
  }

  // The number of labels that can be before this one.
  std::ptrdiff_t comes_to(std::size_t label) const {
    const float* row = s_.weights_by_next.data() + label * stride_;
    return std::count_if(row, row + labels_, [](float weight) { return weight > 0; });
  }

  void add_stays(std::span<const ItemPeers::Stay> pairs, SpanRole& role) const {
    const auto has = [&](std::size_t label) {
      return std::find(role.labels.begin(), role.labels.end(), label) != role.labels.end();
    };
    for (const auto& [from, to, u, y, at] : pairs) {
      if (s_.weights[at] == 0) continue;
      if (has(y)) role.into.push_back({u, y, at});
      if (has(u)) role.out.push_back({u, y, at});
    }
  }

  void begin_sentence(const SpanRole& role) {
    float *large = w_.forward.data(), *now = s_.matching.data();
    std::copy_n(factors_.first.data(), stride_, large);
    for (const std::size_t y : role.labels) now[y] = std::exchange(large[y], 0.0f);
  }

  HWY_INLINE void step_forward(const SpanRole& before, const SpanRole& role, float* now,
                               float* large) {
    const float* matched = now - stride_;
    multiply(large - stride_, labels_, weights_, stride_, large);
    if (role.goes_on) return go_on_forward(before, role, now, large);
    begin_forward(role, now, large);
    for (const auto& [u, y, at] : before.out) {  // longer than the gold span: not met
      large[y] += (1 - before.met) * matched[u] * weights_[at];
    }
  }

  // From what matched before, within a gold span.
  HWY_INLINE void go_on_forward(const SpanRole& before, const SpanRole& role, float* now,
                                float* large) const {
    const Tag d;
    const float* matched = now - stride_;
    for (const std::size_t u : before.labels) {
      const auto mass = hn::Set(d, matched[u]);
      const float* ending = s_.ending.data() + u * stride_;
      for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
        const auto sum = hn::MulAdd(mass, hn::Load(d, ending + y), hn::Load(d, large + y));
        hn::Store(sum, d, large + y);
      }
    }
    for (const std::size_t y : role.labels) now[y] = 0;
    for (const auto& [u, y, at] : before.out) now[y] += matched[u] * weights_[at];
  }

  // Moves what begins an item of the gold type from at large to matching: all but what stays.
  HWY_INLINE void begin_forward(const SpanRole& role, float* now, float* large) const {
    const float* before = large - stride_;
    for (const std::size_t y : role.labels) now[y] = std::exchange(large[y], 0.0f);
    if (role.into.empty()) return;
    for (const auto& [u, y, at] : role.into) large[y] += before[u] * weights_[at];
    for (const std::size_t y : role.labels) now[y] = std::max(0.0f, now[y] - large[y]);
  }

  // Backward factors after the last token; returns what the sum over all sequences is scaled to.
  float set_end() {
    const float* large = w_.forward.data() + (length_ - 1) * stride_;
    const float total = std::accumulate(large, large + labels_, 0.0f);
    std::fill_n(w_.beta.begin(), stride_, 1 / total);
    std::fill_n(beta_, stride_, roles_[length_ - 1]->met / total);
    std::fill_n(more_, stride_, 0.0f);
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
    const SpanRole &before = *roles_[t - 1], &role = *roles_[t];
    const std::size_t row = (t - 1) * stride_;
    const float* matched = s_.matching.data() + row;
    float* beta = w_.beta.data();
    if (!role.goes_on) {
      longer_backward(before, matched, large, pairs);
      // Whoever comes to the labels of a gold span's begin matches, but for what stays.
      for (const std::size_t y : role.labels) held_[y] = std::exchange(large[y], backward_[y]);
    }
    multiply(large, labels_, s_.weights_by_next.data(), stride_, beta);
    if (role.goes_on) return go_on_backward(before, matched, large, pairs);
    stay_backward(role, w_.forward.data() + row, large, beta, pairs);
    for (const std::size_t u : before.labels) beta_[u] = before.met * beta[u] + more_[u];
  }

  // Where a gold span ended, the row at large has what is met; there is more where an item goes on
  // and so is not.
  HWY_INLINE void longer_backward(const SpanRole& before, const float* matched, const float* large,
                                  float* pairs) const {
    for (const std::size_t u : before.labels) more_[u] = 0;
    for (const auto& [u, y, at] : before.out) {
      const float gain = (1 - before.met) * large[y];
      more_[u] += gain * weights_[at];
      if (pairs != nullptr) pairs[at] += gain * matched[u];
    }
  }

  HWY_INLINE void stay_backward(const SpanRole& role, const float* before, const float* large,
                                float* beta, float* pairs) const {
    for (const auto& [u, y, at] : role.into) {
      const float gain = held_[y] - large[y];
      beta[u] += gain * weights_[at];
      if (pairs != nullptr) pairs[at] += gain * before[u];
    }
  }

  // The betas within a gold span, and all that the pairs of what matches count.
  HWY_INLINE void go_on_backward(const SpanRole& before, const float* matched, const float* large,
                                 float* pairs) const {
    for (const std::size_t u : before.labels) {
      more_[u] = go_on_row(matched[u], large, u * stride_, pairs);
    }
    for (const auto& [u, y, at] : before.out) {
      more_[u] += weights_[at] * backward_[y];
      if (pairs != nullptr) pairs[at] += matched[u] * backward_[y];
    }
    for (const std::size_t u : before.labels) beta_[u] = more_[u];
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

  std::size_t length_;
  const SpanFactors& factors_;
  std::size_t labels_, stride_;
  Workspace& w_;
  SpanWorkspace& s_;
  float *beta_, *more_, *backward_, *held_;  // see SpanWorkspace
  const float* weights_ = nullptr;           // tilted
  const SpanRole* const* roles_ = nullptr;   // by token, and one more
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

double span_pass(float* scores, std::span<const std::uint16_t> gold, const Transitions& transitions,
                 const SpanFactors& factors, Workspace& w, float* pairs) {
  const std::size_t length = gold.size(), stride = factors.stride;
  SpanPass pass(gold, transitions, factors, w);
  const double log_z = pass.forward(scores);
  if (!std::isfinite(log_z)) return std::numeric_limits<double>::quiet_NaN();
  float* counted = nullptr;
  if (pairs != nullptr) {
    w.spans->pairs.assign((factors.labels + 3) * stride, 0.0f);
    counted = w.spans->pairs.data();
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
  add_tilted(w.spans->pairs, factors, pairs);
  return log_z;
}

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::chain {

HWY_EXPORT(span_pass);

SpanFactors::SpanFactors(const ItemRules& rules, std::span<const double> tilt_of,
                         std::span<const double> met_of, std::span<const double> log_missed_of)
    : serial(new_serial()),
      labels(rules.num_labels()),
      stride(row_stride(labels)),
      of_type(rules),
      tilt(labels * stride, 0.0f),
      tilt_by_next(tilt),
      first(stride, 0.0f),
      ends(tilt),
      met(met_of.begin(), met_of.end()),
      log_missed(log_missed_of.begin(), log_missed_of.end()) {
  for (std::size_t y = 0; y < labels; ++y) {
    const auto factor = [&](bool begins) { return begins ? static_cast<float>(tilt_of[y]) : 1.0f; };
    first[y] = factor(rules.begins(rules.boundary(), y));
    for (std::size_t u = 0; u < labels; ++u) {
      const bool begins = rules.begins(u, y);
      tilt[u * stride + y] = tilt_by_next[y * stride + u] = factor(begins);
      ends[u * stride + y] = rules.ends(u, y) ? 1.0f : 0.0f;
    }
    if (!rules.has_item(y)) log_missed[y] = 0;
  }
}

void SpanWorkspace::reserve(std::size_t length, std::size_t stride) {
  if (matching.size() < length * stride) matching.resize(length * stride);
  if (backward.size() < stride) {
    for (auto* row : {&backward, &beta, &more, &held}) row->resize(stride);
  }
}

double span_marginals(float* scores, std::span<const std::uint16_t> gold,
                      const Transitions& transitions, const SpanFactors& factors,
                      Workspace& workspace, float* pairs) {
  workspace.reserve(gold.size(), factors.stride);
  if (workspace.spans == nullptr) workspace.spans = std::make_unique<SpanWorkspace>();
  workspace.spans->reserve(gold.size(), factors.stride);
  return HWY_DYNAMIC_DISPATCH(span_pass)(scores, gold, transitions, factors, workspace, pairs);
}

}  // namespace coppice::chain
#endif
