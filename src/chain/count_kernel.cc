// clang-format off: foreach_target includes this file again, once a target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chain/count_kernel.cc"
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "chain/count_kernel.h"
#include "chain/dense_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace coppice::chain::HWY_NAMESPACE {

HWY_INLINE void add_row(const float* row, std::size_t stride, float* out) {
  const Tag d;
  for (std::size_t y = 0; y < stride; y += hn::Lanes(d)) {
    hn::Store(hn::Add(hn::Load(d, row + y), hn::Load(d, out + y)), d, out + y);
  }
}

HWY_INLINE void add_scaled(float factor, const float* row, std::size_t stride, float* out) {
  const Tag d;
  const auto f = hn::Set(d, factor);
  for (std::size_t y = 0; y < stride; y += hn::Lanes(d)) {
    hn::Store(hn::MulAdd(f, hn::Load(d, row + y), hn::Load(d, out + y)), d, out + y);
  }
}

HWY_INLINE float dot(const float* a, const float* b, std::size_t stride) {
  const Tag d;
  auto sum = hn::Zero(d);
  for (std::size_t y = 0; y < stride; y += hn::Lanes(d)) {
    sum = hn::MulAdd(hn::Load(d, a + y), hn::Load(d, b + y), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// out = first where `mask` is 1, else second.
HWY_INLINE void choose(const float* mask, const float* first, const float* second,
                       std::size_t stride, float* out) {
  const Tag d;
  for (std::size_t y = 0; y < stride; y += hn::Lanes(d)) {
    const auto is_first = hn::Gt(hn::Load(d, mask + y), hn::Zero(d));
    hn::Store(hn::IfThenElse(is_first, hn::Load(d, first + y), hn::Load(d, second + y)), d,
              out + y);
  }
}

// What forward and backward know of a sentence.
class CountSteps {
 public:
  CountSteps(const CountInput& input, const CountRules& rules)
      : gold_(input.gold),
        rules_(rules),
        labels_(rules.labels),
        stride_(rules.stride),
        length_(input.gold.labels.size()) {}

 protected:
  bool has_gold(std::size_t t) const { return gold_.begins[t] != 0 || gold_.goes_on[t] != 0; }
  bool begins(std::size_t t) const { return gold_.begins[t] != 0; }
  bool goes_on(std::size_t t) const { return gold_.goes_on[t] != 0; }
  const std::vector<std::uint16_t>& peers(std::size_t t) const {
    return rules_.peers[gold_.labels[t]];
  }

  const GoldItems& gold_;
  const CountRules& rules_;
  std::size_t labels_, stride_, length_;
};

// Places for the counts that can follow those of some cells: each may grow by 1.
class CountGrid {
 public:
  void set(std::span<const Counts> cells) {
    least_ = cells[0];
    Counts most = cells[0];
    for (const Counts& cell : cells) {
      least_ = {std::min(least_.n, cell.n), std::min(least_.d, cell.d)};
      most = {std::max(most.n, cell.n), std::max(most.d, cell.d)};
    }
    columns_ = most.d - least_.d + 2;
    size_ = (most.n - least_.n + 2) * columns_;
  }
  std::size_t size() const { return size_; }
  std::size_t place(std::uint32_t n, std::uint32_t d) const {
    return (n - least_.n) * columns_ + (d - least_.d);
  }
  Counts counts(std::size_t place) const {
    return {least_.n + static_cast<std::uint32_t>(place / columns_),
            least_.d + static_cast<std::uint32_t>(place % columns_)};
  }

 private:
  Counts least_;
  std::size_t columns_ = 0, size_ = 0;
};

class CountForward : public CountSteps {
 public:
  CountForward(const CountInput& input, const CountRules& rules, CountSweep& sweep)
      : CountSteps(input, rules), input_(input), s_(sweep), ones_(stride_, 1.0f) {
    cut_table(rules.begins, input.transitions.none() ? nullptr : input.transitions.weights(),
              s_.begin_weights, s_.rest_weights);
    cut_table(rules.begins_by_next,
              input.transitions.none() ? nullptr : input.transitions.weights_by_next(),
              s_.begin_by_next, s_.rest_by_next);
    begun_.resize(stride_);
    rest_.resize(stride_);
    ratio_.resize(stride_);
    s_.emission.resize(length_ * stride_);
    s_.scale.resize(length_);
  }

  bool run() {
    const double shift = input_.transitions.none() ? 0 : input_.transitions.shift();
    s_.log_partition = shift * static_cast<double>(length_ - 1);
    for (std::size_t t = 0; t < length_; ++t) {
      s_.log_partition += exponentiate(input_.scores + t * stride_, labels_, stride_,
                                       s_.emission.data() + t * stride_);
      if (t == 0) {
        begin_sentence();
      } else {
        open_grid(std::span(s_.cells).subspan(s_.token_begin[t - 1]));
        for (std::size_t i = s_.token_begin[t - 1]; i < s_.token_begin[t]; ++i) step(t, i);
      }
      if (!close_token(t)) return false;
    }
    set_goal();
    return true;
  }

 private:
  // The table of pairs where items begin, and of the others.
  void cut_table(const AlignedVector<float>& begins, const float* weights,
                 AlignedVector<float>& begin, AlignedVector<float>& rest) const {
    begin.assign(labels_ * stride_, 0.0f);
    rest.assign(labels_ * stride_, 0.0f);
    for (std::size_t u = 0; u < labels_; ++u) {
      for (std::size_t k = u * stride_; k < u * stride_ + labels_; ++k) {
        const float weight = weights == nullptr ? 1.0f : weights[k];
        begin[k] = weight * begins[k];
        rest[k] = weight - begin[k];
      }
    }
  }

  void open_grid(std::span<const Counts> cells) {
    grid_.set(cells);
    large_.assign(grid_.size() * stride_, 0.0f);
    matching_.assign(grid_.size() * stride_, 0.0f);
  }
  float* large(std::uint32_t n, std::uint32_t d) {
    return large_.data() + grid_.place(n, d) * stride_;
  }
  float* matching(std::uint32_t n, std::uint32_t d) {
    return matching_.data() + grid_.place(n, d) * stride_;
  }

  void begin_sentence() {
    const Counts none{};
    open_grid({&none, 1});
    for (std::size_t y = 0; y < labels_; ++y) large(0, 0)[y] = 1 - rules_.items[y];
    begun_ = rules_.items;
    place_begun(0, 0, 1);
  }

  // begun_ has what begins items at t, of which those of the gold item's type match it.
  HWY_INLINE void place_begun(std::size_t t, std::uint32_t n, std::uint32_t d) {
    if (begins(t)) {
      for (const std::size_t y : peers(t)) matching(n, d)[y] += std::exchange(begun_[y], 0.0f);
    }
    add_row(begun_.data(), stride_, large(n, d));
  }

  // From cell i of token t - 1.
  HWY_INLINE void step(std::size_t t, std::size_t i) {
    const auto [n, d] = s_.cells[i];
    const float* row = s_.large.data() + i * stride_;
    multiply(row, labels_, s_.begin_weights.data(), stride_, begun_.data());
    multiply(row, labels_, s_.rest_weights.data(), stride_, rest_.data());
    place_begun(t, n, d + 1);
    add_row(rest_.data(), stride_, large(n, d));
    if (has_gold(t - 1)) step_matching(t, i);
  }

  HWY_INLINE void step_matching(std::size_t t, std::size_t i) {
    const auto [n, d] = s_.cells[i];
    std::fill(begun_.begin(), begun_.end(), 0.0f);
    std::fill(rest_.begin(), rest_.end(), 0.0f);
    for (const std::size_t u : peers(t - 1)) {
      const float before = s_.matching[i * stride_ + u];
      add_scaled(before, s_.begin_weights.data() + u * stride_, stride_, begun_.data());
      add_scaled(before, s_.rest_weights.data() + u * stride_, stride_, rest_.data());
    }
    const std::uint32_t met = goes_on(t) ? n : n + 1;  // where the item ends here
    place_begun(t, met, d + 1);
    float* longer = goes_on(t) ? matching(n, d) : large(n, d);
    for (const std::size_t y : peers(t - 1)) longer[y] += std::exchange(rest_[y], 0.0f);
    add_row(rest_.data(), stride_, large(met, d));
  }

  // Takes the emissions in, scales, and keeps the cells that are probable enough.
  bool close_token(std::size_t t) {
    const float* emission = s_.emission.data() + t * stride_;
    std::fill(ratio_.begin(), ratio_.end(), 0.0f);
    float sum = 0;
    for (std::size_t place = 0; place < grid_.size(); ++place) {
      float* row = large_.data() + place * stride_;
      float* match = matching_.data() + place * stride_;
      sum += multiply_and_sum(row, emission, stride_);
      add_row(row, stride_, ratio_.data());
      if (!has_gold(t)) continue;
      sum += multiply_and_sum(match, emission, stride_);
      add_row(match, stride_, ratio_.data());
    }
    if (!(sum > 1e-30f && sum < 1e30f)) return false;
    s_.scale[t] = 1 / sum;
    s_.log_partition += std::log(static_cast<double>(sum));
    const float* posterior = input_.posteriors + t * stride_;
    for (std::size_t y = 0; y < labels_; ++y) {
      ratio_[y] = ratio_[y] > 0 ? posterior[y] / ratio_[y] : 0;
    }
    keep_cells(t);
    return s_.cells.size() > s_.token_begin[t];
  }

  void keep_cells(std::size_t t) {
    for (std::size_t place = 0; place < grid_.size(); ++place) {
      const float* row = large_.data() + place * stride_;
      const float* match = matching_.data() + place * stride_;
      double probability = dot(row, ratio_.data(), stride_);
      if (has_gold(t)) probability += dot(match, ratio_.data(), stride_);
      if (!(probability >= input_.least_probability)) {
        s_.cut += std::max(0.0, probability);
        continue;
      }
      s_.cells.push_back(grid_.counts(place));
      s_.large.insert(s_.large.end(), row, row + stride_);
      s_.matching.insert(s_.matching.end(), match, match + stride_);
      scale_row(s_.large.data() + s_.large.size() - stride_, s_.scale[t], stride_);
      scale_row(s_.matching.data() + s_.matching.size() - stride_, s_.scale[t], stride_);
    }
    s_.token_begin.push_back(static_cast<std::uint32_t>(s_.cells.size()));
    s_.largest = std::max(s_.largest, s_.cells.size() - s_.token_begin[t]);
  }

  void set_goal() {
    const std::size_t begin = s_.token_begin[length_ - 1];
    grid_.set(std::span(s_.cells).subspan(begin));
    std::vector<double> sums(grid_.size(), 0.0);
    for (std::size_t i = begin; i < s_.cells.size(); ++i) {
      const auto [n, d] = s_.cells[i];
      sums[grid_.place(n, d)] += dot(ones_.data(), s_.large.data() + i * stride_, stride_);
      if (!has_gold(length_ - 1)) continue;
      sums[grid_.place(n + 1, d)] += dot(ones_.data(), s_.matching.data() + i * stride_, stride_);
    }
    for (std::size_t place = 0; place < sums.size(); ++place) {
      if (sums[place] > 0) s_.goal.push_back({grid_.counts(place), sums[place]});
    }
  }

  const CountInput& input_;
  CountSweep& s_;
  CountGrid grid_;
  AlignedVector<float> ones_, begun_, rest_, ratio_;
  AlignedVector<float> large_, matching_;  // by place in the grid
};

class CountBackward : public CountSteps {
 public:
  CountBackward(const CountInput& input, const CountRules& rules, const CountSweep& sweep,
                std::span<const double> values)
      : CountSteps(input, rules),
        s_(sweep),
        zeros_(stride_, 0.0f),
        chosen_(stride_),
        at_begin_((sweep.cells.size() + 1) * stride_, 0.0f),
        at_rest_(at_begin_),
        begin_pairs_((labels_ + 3) * stride_, 0.0f),
        rest_pairs_(begin_pairs_) {
    set_end(values);
  }

  void run(float* derivatives) {
    std::fill_n(derivatives, length_ * stride_, 0.0f);
    for (std::size_t t = length_; t-- > 0;) {
      take_emissions(t, derivatives + t * stride_);
      if (t == 0) break;
      grid_.set(std::span(s_.cells).subspan(s_.token_begin[t - 1],
                                            s_.token_begin[t] - s_.token_begin[t - 1]));
      place_.assign(grid_.size(), kNowhere);
      for (std::size_t i = s_.token_begin[t]; i < s_.token_begin[t + 1]; ++i) {
        place_[grid_.place(s_.cells[i].n, s_.cells[i].d)] = i - s_.token_begin[t];
      }
      step(t);
    }
  }

  // pairs += what the rows of all cells count. Rows of cell i belong to token t, and those of its
  // successors are in at_begin_ and at_rest_ one row further on.
  void add_counts(float* pairs) {
    const std::size_t sources = s_.token_begin[length_ - 1];
    if (sources == 0) return;
    pair_counts(sources + 1, labels_, stride_, s_.large.data(), at_begin_.data(),
                begin_pairs_.data());
    pair_counts(sources + 1, labels_, stride_, s_.large.data(), at_rest_.data(),
                rest_pairs_.data());
    for (std::size_t k = 0; k < labels_ * stride_; ++k) {
      pairs[k] += rules_.begins[k] > 0 ? begin_pairs_[k] : rest_pairs_[k];
    }
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // The backward rows of token t by counts; zeros where there is no cell.
  const float* row(const AlignedVector<float>& rows, std::uint32_t n, std::uint32_t d) const {
    const std::size_t i = place_[grid_.place(n, d)];
    return i == kNowhere ? zeros_.data() : rows.data() + i * stride_;
  }

  void set_end(std::span<const double> values) {
    const std::size_t begin = s_.token_begin[length_ - 1];
    grid_.set(std::span(s_.cells).subspan(begin));
    std::vector<float> value(grid_.size(), 0.0f);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto [n, d] = s_.goal[k].counts;
      value[grid_.place(n, d)] = static_cast<float>(values[k]);
    }
    for (std::size_t i = begin; i < s_.cells.size(); ++i) {
      const auto [n, d] = s_.cells[i];
      large_.insert(large_.end(), stride_, value[grid_.place(n, d)]);
      matching_.insert(matching_.end(), stride_, value[grid_.place(n + 1, d)]);
    }
  }

  // Betas become derivatives, then backward rows, and those as seen by who begins an item at t.
  void take_emissions(std::size_t t, float* derivatives) {
    const Tag d;
    const std::size_t begin = s_.token_begin[t], cells = s_.token_begin[t + 1] - begin;
    const auto scale = hn::Set(d, s_.scale[t]);
    for (std::size_t i = 0; i < cells; ++i) {
      for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
        const std::size_t at = i * stride_ + y, in_pool = (begin + i) * stride_ + y;
        const auto beta = hn::Load(d, large_.data() + at);
        const auto matching = hn::Load(d, matching_.data() + at);
        auto sum =
            hn::MulAdd(beta, hn::Load(d, s_.large.data() + in_pool), hn::Load(d, derivatives + y));
        sum = hn::MulAdd(matching, hn::Load(d, s_.matching.data() + in_pool), sum);
        hn::Store(sum, d, derivatives + y);
        const auto factor = hn::Mul(scale, hn::Load(d, s_.emission.data() + t * stride_ + y));
        hn::Store(hn::Mul(beta, factor), d, large_.data() + at);
        hn::Store(hn::Mul(matching, factor), d, matching_.data() + at);
      }
    }
    landing_ = large_;
    if (!begins(t)) return;
    for (std::size_t i = 0; i < cells; ++i) {
      for (const std::size_t y : peers(t)) landing_[i * stride_ + y] = matching_[i * stride_ + y];
    }
  }

  // From the backward rows of t to the betas of t - 1.
  void step(std::size_t t) {
    const std::size_t begin = s_.token_begin[t - 1], cells = s_.token_begin[t] - begin;
    before_large_.assign(cells * stride_, 0.0f);
    before_matching_.assign(cells * stride_, 0.0f);
    for (std::size_t i = 0; i < cells; ++i) {
      const auto [n, d] = s_.cells[begin + i];
      const float* begun = row(landing_, n, d + 1);
      const float* rest = row(large_, n, d);
      multiply(begun, labels_, s_.begin_by_next.data(), stride_, chosen_.data());
      multiply(rest, labels_, s_.rest_by_next.data(), stride_, before_large_.data() + i * stride_);
      add_row(chosen_.data(), stride_, before_large_.data() + i * stride_);
      std::copy_n(begun, stride_, at_begin_.data() + (begin + i + 1) * stride_);
      std::copy_n(rest, stride_, at_rest_.data() + (begin + i + 1) * stride_);
      if (has_gold(t - 1)) step_matching(t, i);
    }
    large_.swap(before_large_);
    matching_.swap(before_matching_);
  }

  void step_matching(std::size_t t, std::size_t i) {
    const std::size_t cell = s_.token_begin[t - 1] + i;
    const auto [n, d] = s_.cells[cell];
    const std::uint32_t met = goes_on(t) ? n : n + 1;
    const float* begun = row(landing_, met, d + 1);
    choose(rules_.items.data(), row(goes_on(t) ? matching_ : large_, n, d), row(large_, met, d),
           stride_, chosen_.data());
    for (const std::size_t u : peers(t - 1)) {
      before_matching_[i * stride_ + u] =
          dot(s_.begin_weights.data() + u * stride_, begun, stride_) +
          dot(s_.rest_weights.data() + u * stride_, chosen_.data(), stride_);
      const float before = s_.matching[cell * stride_ + u];
      add_scaled(before, begun, stride_, begin_pairs_.data() + u * stride_);
      add_scaled(before, chosen_.data(), stride_, rest_pairs_.data() + u * stride_);
    }
  }

  const CountSweep& s_;
  CountGrid grid_;                                   // of the cells of t - 1 and their successors
  std::vector<std::size_t> place_;                   // of a cell of t among those of the token
  AlignedVector<float> large_, matching_, landing_;  // of the cells of t: betas, then backward
  AlignedVector<float> before_large_, before_matching_;  // betas of those of t - 1
  AlignedVector<float> zeros_, chosen_;
  AlignedVector<float> at_begin_, at_rest_;  // backward rows that the cells' rows lead to
  AlignedVector<float> begin_pairs_, rest_pairs_;
};

bool forward_counts(const CountInput& input, const CountRules& rules, CountSweep& sweep) {
  return CountForward(input, rules, sweep).run();
}

bool backward_counts(const CountInput& input, const CountRules& rules, const CountSweep& sweep,
                     std::span<const double> values, float* derivatives, float* pairs) {
  CountBackward pass(input, rules, sweep, values);
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

HWY_EXPORT(forward_counts);
HWY_EXPORT(backward_counts);

CountRules::CountRules(const ItemRules& rules)
    : labels(rules.num_labels()),
      stride(row_stride(labels)),
      begins(labels * stride, 0.0f),
      begins_by_next(begins),
      items(stride, 0.0f),
      peers(labels) {
  for (std::size_t y = 0; y < labels; ++y) {
    items[y] = rules.has_item(y) ? 1.0f : 0.0f;
    for (std::size_t u = 0; u < labels; ++u) {
      begins[u * stride + y] = begins_by_next[y * stride + u] = rules.begins(u, y) ? 1.0f : 0.0f;
      if (rules.has_item(u) && rules.has_item(y) && rules.type(u) == rules.type(y)) {
        peers[y].push_back(static_cast<std::uint16_t>(u));
      }
    }
  }
}

bool count_forward(const CountInput& input, const CountRules& rules, CountSweep& sweep) {
  return HWY_DYNAMIC_DISPATCH(forward_counts)(input, rules, sweep);
}

bool count_backward(const CountInput& input, const CountRules& rules, const CountSweep& sweep,
                    std::span<const double> values, float* derivatives, float* pairs) {
  return HWY_DYNAMIC_DISPATCH(backward_counts)(input, rules, sweep, values, derivatives, pairs);
}

}  // namespace coppice::chain
#endif
