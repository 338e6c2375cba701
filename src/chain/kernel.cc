// clang-format off: foreach_target includes this file again, once a target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chain/kernel.cc"
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "chain/dense_rows-inl.h"
#include "chain/forbidden.h"
#include "chain/kernel.h"
#include "chain/log_space.h"
#include "chain/span_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace coppice::chain::HWY_NAMESPACE {

// Forward vectors, each summing to one; returns ln Z, or NaN where a row underflows.
double forward_pass(const float* scores, std::size_t length, const Transitions& transitions,
                    Workspace& w) {
  const std::size_t labels = transitions.labels(), stride = transitions.stride();
  double log_z = 0;
  for (std::size_t t = 0; t < length; ++t) {
    float* row = w.forward.data() + t * stride;
    float* emission = w.emission.data() + t * stride;
    log_z += exponentiate(scores + t * stride, labels, stride, emission);
    if (t == 0 || transitions.none()) {
      std::fill(row, row + stride, 1.0f);
    } else {
      multiply(row - stride, labels, transitions.weights(), stride, row);
      log_z += transitions.shift();
    }
    const float sum = multiply_and_sum(row, emission, stride);
    if (!(sum > 1e-30f && sum < 1e30f)) return std::numeric_limits<double>::quiet_NaN();
    w.scale[t] = 1 / sum;
    scale_row(row, w.scale[t], stride);
    log_z += std::log(static_cast<double>(sum));
  }
  return log_z;
}

// posterior_t = forward_t * beta_t; backward_t = beta_t * emission_t * scale_t, from which
// beta_{t-1}.
void backward_pass(float* posteriors, std::size_t length, const Transitions& transitions,
                   Workspace& w) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t labels = transitions.labels(), stride = transitions.stride();
  AlignedVector<float>& beta = w.beta;
  std::fill(beta.begin(), beta.begin() + static_cast<std::ptrdiff_t>(stride), 1.0f);
  for (std::size_t t = length; t-- > 0;) {
    const float* forward = w.forward.data() + t * stride;
    const float* emission = w.emission.data() + t * stride;
    float* backward = w.backward.data() + t * stride;
    const auto scale = hn::Set(d, w.scale[t]);
    for (std::size_t y = 0; y < stride; y += lanes) {
      const auto b = hn::Load(d, beta.data() + y);
      hn::Store(hn::Mul(hn::Load(d, forward + y), b), d, posteriors + t * stride + y);
      hn::Store(hn::Mul(hn::Mul(b, scale), hn::Load(d, emission + y)), d, backward + y);
    }
    if (t > 0) multiply(backward, labels, transitions.weights_by_next(), stride, beta.data());
  }
}

void count_pairs(std::size_t length, const Transitions& transitions, const Workspace& w,
                 float* pairs) {
  pair_counts(length, transitions.labels(), transitions.stride(), w.forward.data(),
              w.backward.data(), pairs);
}

// w.forward[t] = the score of the best path to each label. Which label that path came from is asked
// later, of one label a position: see best_labels().
void viterbi(const float* scores, std::size_t length, const Transitions& transitions,
             Workspace& w) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t labels = transitions.labels(), stride = transitions.stride();
  std::copy(scores, scores + stride, w.forward.data());
  for (std::size_t t = 1; t < length; ++t) {
    const float* previous = w.forward.data() + (t - 1) * stride;
    for (std::size_t y = 0; y < stride; y += lanes) {
      const float* into = transitions.scores() + y;
      auto best = hn::Add(hn::Set(d, previous[0]), hn::Load(d, into));
      for (std::size_t u = 1; u < labels; ++u) {
        best = hn::Max(best, hn::Add(hn::Set(d, previous[u]), hn::Load(d, into + u * stride)));
      }
      hn::Store(hn::Add(best, hn::Load(d, scores + t * stride + y)), d,
                w.forward.data() + t * stride + y);
    }
  }
}

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::chain {

HWY_EXPORT(forward_pass);
HWY_EXPORT(backward_pass);
HWY_EXPORT(count_pairs);
HWY_EXPORT(viterbi);

namespace {

std::size_t argmax(const float* row, std::size_t labels) {
  return static_cast<std::size_t>(std::max_element(row, row + labels) - row);
}

// The first label from which the best path to `next` comes.
std::size_t best_previous(const float* forward, const Transitions& transitions, std::size_t next) {
  std::size_t best = 0;
  float best_score = forward[0] + transitions.score(0, next);
  for (std::size_t u = 1; u < transitions.labels(); ++u) {
    const float score = forward[u] + transitions.score(u, next);
    if (score > best_score) {
      best = u;
      best_score = score;
    }
  }
  return best;
}

double best_independent(const float* scores, std::size_t length, const Transitions& transitions,
                        std::span<std::uint16_t> labels) {
  double total = 0;
  for (std::size_t t = 0; t < length; ++t) {
    const float* row = scores + t * transitions.stride();
    const std::size_t best = argmax(row, transitions.labels());
    labels[t] = static_cast<std::uint16_t>(best);
    total += row[best];
  }
  return total;
}

}  // namespace

std::uint64_t new_serial() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Transitions::Transitions(std::size_t labels, std::span<const float> scores)
    : labels_(labels), stride_(row_stride(labels)) {
  // Four rows at a time are read when pairs are added, so there are rows of padding too.
  const std::size_t size = (labels + 3) / 4 * 4 * stride_;
  scores_.assign(size, kForbidden);
  weights_.assign(size, 0.0f);
  transposed_.assign(stride_ * stride_, 0.0f);
  shift_ = kForbidden;
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t y = 0; y < labels; ++y) shift_ = std::max(shift_, scores[u * stride_ + y]);
  }
  if (shift_ == kForbidden) shift_ = 0;
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t y = 0; y < labels; ++y) {
      const float score = scores[u * stride_ + y];
      scores_[u * stride_ + y] = score;
      weights_[u * stride_ + y] = transposed_[y * stride_ + u] = std::exp(score - shift_);
    }
  }
}

void Workspace::reserve(std::size_t length, std::size_t stride) {
  const std::size_t size = length * stride;
  if (forward.size() < size) {
    forward.resize(size);
    emission.resize(size);
    backward.resize(size);
  }
  if (scale.size() < length) scale.resize(length);
  if (beta.size() < stride) beta.resize(stride);
}

Workspace::Workspace() = default;
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

double marginals(float* scores, std::size_t length, const Transitions& transitions,
                 Workspace& workspace, float* pairs) {
  if (length == 0) return 0;
  workspace.reserve(length, transitions.stride());
  const double log_z = HWY_DYNAMIC_DISPATCH(forward_pass)(scores, length, transitions, workspace);
  if (std::isnan(log_z)) return log_space_marginals(scores, length, transitions, pairs);
  if (transitions.none()) {
    std::copy_n(workspace.forward.data(), length * transitions.stride(), scores);
    return log_z;
  }
  workspace.scores.assign(scores, scores + length * transitions.stride());
  HWY_DYNAMIC_DISPATCH(backward_pass)(scores, length, transitions, workspace);
  // Where a forward entry underflows, its backward one may overflow; that spreads to the first row.
  if (!std::isfinite(std::accumulate(scores, scores + transitions.labels(), 0.0f))) {
    std::copy(workspace.scores.begin(), workspace.scores.end(), scores);
    return log_space_marginals(scores, length, transitions, pairs);
  }
  if (pairs != nullptr && length > 1) {
    HWY_DYNAMIC_DISPATCH(count_pairs)(length, transitions, workspace, pairs);
  }
  return log_z;
}

double log_partition(const float* scores, std::size_t length, const Transitions& transitions,
                     Workspace& workspace) {
  if (length == 0) return 0;
  workspace.reserve(length, transitions.stride());
  const double log_z = HWY_DYNAMIC_DISPATCH(forward_pass)(scores, length, transitions, workspace);
  return std::isnan(log_z) ? log_space_partition(scores, length, transitions) : log_z;
}

double best_labels(const float* scores, std::size_t length, const Transitions& transitions,
                   Workspace& workspace, std::span<std::uint16_t> labels) {
  if (length == 0) return 0;
  if (transitions.none()) return best_independent(scores, length, transitions, labels);
  const std::size_t stride = transitions.stride();
  workspace.reserve(length, stride);
  HWY_DYNAMIC_DISPATCH(viterbi)(scores, length, transitions, workspace);
  std::size_t label =
      argmax(workspace.forward.data() + (length - 1) * stride, transitions.labels());
  const float best = workspace.forward[(length - 1) * stride + label];
  for (std::size_t t = length; t-- > 0;) {
    labels[t] = static_cast<std::uint16_t>(label);
    if (t > 0) {
      const float* previous = workspace.forward.data() + (t - 1) * stride;
      label = best_previous(previous, transitions, label);
    }
  }
  return best;
}

}  // namespace coppice::chain
#endif
