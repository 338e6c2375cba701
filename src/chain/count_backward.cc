// clang-format off: foreach_target includes this file again, once a target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chain/count_backward.cc"
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "chain/count_kernel.h"
#include "chain/count_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace coppice::chain::HWY_NAMESPACE {

class CountBackward : public CountSteps {
 public:
  CountBackward(const CountInput& input, const CountRules& rules, const CountResult& result,
                std::span<const double> values, CountWorkspace& workspace)
      : CountSteps(input, rules, workspace),
        pairs_((labels_ + 3) * stride_, 0.0f),
        ending_pairs_(labels_ * stride_, 0.0f),
        single_pairs_(ending_pairs_) {
    find_apart();
    set_end(result, values);
  }

  void run(float* derivatives) {
    for (std::size_t t = length_; t-- > 0;) {
      take_emissions(t, derivatives + t * stride_);
      if (t == 0) break;
      after_.set(cells_of(t - 1), cells_of(t));
      step(t);
    }
  }

  // pairs += what the rows of all cells count; each table has its own of the pairs.
  void add_counts(float* pairs) const {
    for (std::size_t k = 0; k < labels_ * stride_; ++k) {
      if (w_.weights[k] > 0) pairs[k] += pairs_[k];
      if (w_.ending[k] > 0) pairs[k] += ending_pairs_[k];
      pairs[k] += single_pairs_[k];
    }
  }

 private:
  // Betas: the derivatives by what the last token's cells have.
  void set_end(const CountResult& result, std::span<const double> values) {
    const auto cells = cells_of(length_ - 1);
    const GoalGrid grid(cells);
    std::vector<float> value(grid.size(), 0.0f);
    for (std::size_t k = 0; k < values.size(); ++k) {
      value[grid.place(result.goal[k].counts)] = static_cast<float>(values[k]);
    }
    large_.resize((cells.size() + 1) * stride_);
    matching_.resize((cells.size() + 1) * width_);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto [n, d] = cells[i];
      std::fill_n(large_.data() + i * stride_, stride_, value[grid.place({n, d})]);
      std::fill_n(matching_.data() + i * width_, width_, value[grid.place({n + 1, d})]);
    }
  }

  // Betas become derivatives, then backward rows, as whoever comes to them sees them: where a gold
  // item begins, labels that begin one of its type match it.
  void take_emissions(std::size_t t, float* derivatives) {
    const Tag d;
    const std::size_t first = w_.token_begin[t], cells = w_.token_begin[t + 1] - first;
    const float* emission = w_.emission.data() + t * stride_;
    const auto scale = hn::Set(d, w_.scale[t]);
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto factor = hn::Mul(scale, hn::Load(d, emission + y));
      const float* forward = large(first) + y;
      float* backward = large_.data() + y;
      auto sum = hn::Zero(d);
      for (std::size_t i = 0; i < cells; ++i, forward += stride_, backward += stride_) {
        const auto beta = hn::Load(d, backward);
        sum = hn::MulAdd(beta, hn::Load(d, forward), sum);
        hn::Store(without_small(hn::Mul(beta, factor)), d, backward);
      }
      hn::Store(sum, d, derivatives + y);
    }
    std::fill_n(large_.data() + cells * stride_, stride_, 0.0f);
    std::fill_n(matching_.data() + cells * width_, width_, 0.0f);
    if (has_gold(t)) take_matching(t, cells, derivatives);
  }

  HWY_INLINE void take_matching(std::size_t t, std::size_t cells, float* derivatives) {
    const std::size_t first = w_.token_begin[t];
    if (!apart_.empty()) at_large_.assign(large_.begin(), large_.end());
    for (std::size_t k = 0; k < peers(t).size(); ++k) {
      const std::size_t y = peers(t)[k];
      const float factor = w_.scale[t] * w_.emission[t * stride_ + y];
      const bool is_landing = begins(t) && w_.begins[y] != 0;
      float sum = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        float& beta = matching_[i * width_ + k];
        sum += beta * matching(first + i)[k];
        beta *= factor;
        if (!(std::abs(beta) > 1e-30f)) beta = 0;
        if (is_landing) large_[i * stride_ + y] = beta;
      }
      derivatives[y] += sum;
    }
  }

  // From the backward rows of t to the betas of t - 1.
  void step(std::size_t t) {
    const std::size_t first = w_.token_begin[t - 1];
    const auto cells = cells_of(t - 1);
    grow(seen_, (cells.size() + 1) * stride_);
    before_large_.resize((cells.size() + 1) * stride_);
    before_matching_.assign((cells.size() + 1) * width_, 0.0f);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      see(cells[i].n, cells[i].d, seen_.data() + (i + 1) * stride_);
    }
    multiply_rows({seen_.data() + stride_, cells.size(), stride_}, labels_,
                  w_.weights_by_next.data(), stride_, before_large_.data());
    pair_counts(cells.size() + 1, labels_, stride_, large(first), seen_.data(), pairs_.data());
    if (!apart_.empty()) step_apart(t);
    if (has_gold(t - 1)) step_matching(t);
    large_.swap(before_large_);
    matching_.swap(before_matching_);
  }

  // What a cell of t - 1 with these counts leads to, by label.
  HWY_INLINE void see(std::uint32_t n, std::uint32_t d, float* out) const {
    choose(w_.begins.data(), large_.data() + after_(n, d + 1) * stride_,
           large_.data() + after_(n, d) * stride_, stride_, out);
  }
  // The backward row of a cell of t that matches nothing.
  HWY_INLINE float at_large(std::size_t t, std::size_t cell, std::size_t y) const {
    return (has_gold(t) && !apart_.empty() ? at_large_ : large_)[cell * stride_ + y];
  }

  void step_apart(std::size_t t) {
    const auto cells = cells_of(t - 1);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t same = after_(cells[i].n, cells[i].d);
      const float* before = large(w_.token_begin[t - 1] + i);
      for (const auto& [u, y, weight] : apart_) {
        const float value = at_large(t, same, y);
        before_large_[i * stride_ + u] += weight * value;
        single_pairs_[u * stride_ + y] += before[u] * value;
      }
    }
  }

  // The betas of what matches at t - 1, and the pairs that it counts.
  void step_matching(std::size_t t) {
    const auto cells = cells_of(t - 1);
    const float* before = matching(w_.token_begin[t - 1]);
    const float* seen = seen_.data() + stride_;
    if (!goes_on(t)) {  // those that end here have met the gold item
      grow(met_seen_, cells.size() * stride_);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        see(cells[i].n + 1, cells[i].d, met_seen_.data() + i * stride_);
      }
      seen = met_seen_.data();
    }
    for (std::size_t k = 0; k < peers(t - 1).size(); ++k) {
      const std::size_t u = peers(t - 1)[k];
      for (std::size_t i = 0; i < cells.size(); ++i) {
        before_matching_[i * width_ + k] = dot(ending(u), seen + i * stride_, stride_);
      }
      add_combined({seen, cells.size(), stride_}, before + k, width_, stride_,
                   ending_pairs_.data() + u * stride_);
    }
    for (const auto& stay : stays(t - 1)) step_staying(t, stay);
  }

  HWY_INLINE void step_staying(std::size_t t, const ItemPeers::Stay& stay) {
    const auto cells = cells_of(t - 1);
    const auto& [from, to, u, y, at] = stay;
    const float* before = matching(w_.token_begin[t - 1]) + from;
    float counted = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t same = after_(cells[i].n, cells[i].d);
      const float value = goes_on(t) ? matching_[same * width_ + to] : at_large(t, same, y);
      before_matching_[i * width_ + from] += weight(u, y) * value;
      counted += before[i * width_] * value;
    }
    single_pairs_[u * stride_ + y] += counted;
  }

  CountIndex after_;                   // the cells of t
  AlignedVector<float> large_;         // of the cells of t: betas, then backward rows
  AlignedVector<float> at_large_;      // the latter before those that begin an item match it
  std::vector<float> matching_;        // the same of the labels that match
  AlignedVector<float> before_large_;  // betas of the cells of t - 1
  std::vector<float> before_matching_;
  AlignedVector<float> seen_;  // by cell of t - 1, one row further on as pair_counts() has it
  AlignedVector<float> met_seen_;
  AlignedVector<float> pairs_, ending_pairs_, single_pairs_;
};

bool backward_counts(const CountInput& input, const CountRules& rules, const CountResult& result,
                     std::span<const double> values, CountWorkspace& workspace, float* derivatives,
                     float* pairs) {
  CountBackward pass(input, rules, result, values, workspace);
  pass.run(derivatives);
  // What overflows spreads to the first row.
  if (!std::isfinite(std::accumulate(derivatives, derivatives + rules.labels, 0.0f))) return false;
  if (pairs != nullptr) pass.add_counts(pairs);
  return true;
}

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::chain {

HWY_EXPORT(backward_counts);

bool count_backward(const CountInput& input, const CountRules& rules, const CountResult& result,
                    std::span<const double> values, CountWorkspace& workspace, float* derivatives,
                    float* pairs) {
  return HWY_DYNAMIC_DISPATCH(backward_counts)(input, rules, result, values, workspace, derivatives,
                                               pairs);
}

}  // namespace coppice::chain
#endif
