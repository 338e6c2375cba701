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

// out = rows * matrix for kRows rows, and kVectors vectors of columns, in registers.
template <int kRows, int kVectors>
HWY_INLINE void multiply_block(const float* rows, std::size_t n, const float* matrix,
                               std::size_t stride, float* out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vector sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  for (std::size_t u = 0; u < n; ++u) {
    Vector right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::Load(d, matrix + u * stride + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const auto left = hn::Set(d, rows[r * stride + u]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, out + r * stride + v * lanes);
  }
}

template <int kRows>
HWY_INLINE void multiply_some(const float* rows, std::size_t n, const float* matrix,
                              std::size_t stride, float* out) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::size_t y = 0; y < stride;) {
    const std::size_t now = std::min<std::size_t>((stride - y) / lanes, 3);
    if (now == 3) multiply_block<kRows, 3>(rows, n, matrix + y, stride, out + y);
    if (now == 2) multiply_block<kRows, 2>(rows, n, matrix + y, stride, out + y);
    if (now == 1) multiply_block<kRows, 1>(rows, n, matrix + y, stride, out + y);
    y += now * lanes;
  }
}

// The same for any number of rows that follow one another: the table is read once for four.
HWY_INLINE void multiply_rows(const float* rows, std::size_t num_rows, std::size_t n,
                              const float* matrix, std::size_t stride, float* out) {
  std::size_t r = 0;
  for (; r + 4 <= num_rows; r += 4) {
    multiply_some<4>(rows + r * stride, n, matrix, stride, out + r * stride);
  }
  for (; r < num_rows; ++r) {
    multiply_some<1>(rows + r * stride, n, matrix, stride, out + r * stride);
  }
}

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

HWY_INLINE Vector without_small(Vector values) {
  const Tag d;
  return hn::IfThenElseZero(hn::Gt(hn::Abs(values), hn::Set(d, 1e-30f)), values);
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
        step(t);
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
    reached_.assign(grid_.size(), 0);
    large_.resize(std::max(large_.size(), grid_.size() * stride_));
    matching_.resize(large_.size());
  }
  // Where rows stand, which are 0 when they are reached first.
  HWY_INLINE std::size_t reach(std::uint32_t n, std::uint32_t d) {
    const std::size_t place = grid_.place(n, d), at = place * stride_;
    if (std::exchange(reached_[place], 1) == 0) {
      std::fill_n(large_.data() + at, stride_, 0.0f);
      std::fill_n(matching_.data() + at, stride_, 0.0f);
    }
    return at;
  }
  float* large(std::uint32_t n, std::uint32_t d) { return large_.data() + reach(n, d); }
  float* matching(std::uint32_t n, std::uint32_t d) { return matching_.data() + reach(n, d); }

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

  // From the cells of token t - 1.
  void step(std::size_t t) {
    const std::size_t begin = s_.token_begin[t - 1], cells = s_.token_begin[t] - begin;
    open_grid(std::span(s_.cells).subspan(begin));
    const float* before = s_.large.data() + begin * stride_;
    all_begun_.resize(cells * stride_);
    all_rest_.resize(cells * stride_);
    multiply_rows(before, cells, labels_, s_.begin_weights.data(), stride_, all_begun_.data());
    multiply_rows(before, cells, labels_, s_.rest_weights.data(), stride_, all_rest_.data());
    for (std::size_t i = 0; i < cells; ++i) {
      const auto [n, d] = s_.cells[begin + i];
      std::copy_n(all_begun_.data() + i * stride_, stride_, begun_.data());
      place_begun(t, n, d + 1);
      add_row(all_rest_.data() + i * stride_, stride_, large(n, d));
      if (has_gold(t - 1)) step_matching(t, begin + i);
    }
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
    for (std::size_t place = 0; place < grid_.size(); ++place) {
      if (reached_[place] == 0) continue;
      take_in(emission, large_.data() + place * stride_);
      if (has_gold(t)) take_in(emission, matching_.data() + place * stride_);
    }
    const float sum = std::accumulate(ratio_.begin(), ratio_.end(), 0.0f);
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

  // row *= emission, and is added to ratio_.
  HWY_INLINE void take_in(const float* emission, float* row) {
    const Tag d;
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto product = hn::Mul(hn::Load(d, row + y), hn::Load(d, emission + y));
      hn::Store(product, d, row + y);
      hn::Store(hn::Add(product, hn::Load(d, ratio_.data() + y)), d, ratio_.data() + y);
    }
  }

  void keep_cells(std::size_t t) {
    const std::size_t first = s_.cells.size();
    s_.large.resize((first + grid_.size()) * stride_);
    s_.matching.resize((first + grid_.size()) * stride_);
    for (std::size_t place = 0; place < grid_.size(); ++place) {
      if (reached_[place] == 0) continue;
      const float* row = large_.data() + place * stride_;
      const float* match = matching_.data() + place * stride_;
      const double probability = probability_of(row, match);
      if (!(probability >= input_.least_probability)) {
        s_.cut += std::max(0.0, probability);
        continue;
      }
      copy_scaled(row, s_.scale[t], s_.large.data() + s_.cells.size() * stride_);
      copy_scaled(match, s_.scale[t], s_.matching.data() + s_.cells.size() * stride_);
      s_.cells.push_back(grid_.counts(place));
    }
    s_.large.resize(s_.cells.size() * stride_);
    s_.matching.resize(s_.cells.size() * stride_);
    s_.token_begin.push_back(static_cast<std::uint32_t>(s_.cells.size()));
    s_.largest = std::max(s_.largest, s_.cells.size() - first);
  }

  HWY_INLINE double probability_of(const float* row, const float* match) const {
    const Tag d;
    auto sum = hn::Zero(d);
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto both = hn::Add(hn::Load(d, row + y), hn::Load(d, match + y));
      sum = hn::MulAdd(both, hn::Load(d, ratio_.data() + y), sum);
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
  }

  // Without the labels that hardly any sequence has: numbers too small for floats are slow.
  HWY_INLINE void copy_scaled(const float* row, float factor, float* out) const {
    const Tag d;
    const auto least = hn::Set(d, 1e-18f);
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto value = hn::Load(d, row + y);
      const auto matters = hn::Gt(hn::Mul(value, hn::Load(d, ratio_.data() + y)), least);
      hn::Store(hn::IfThenElseZero(matters, hn::Mul(hn::Set(d, factor), value)), d, out + y);
    }
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
  std::vector<std::uint8_t> reached_;  // by place in the grid
  AlignedVector<float> ones_, begun_, rest_, ratio_;
  AlignedVector<float> all_begun_, all_rest_;  // by cell
  AlignedVector<float> large_, matching_;      // by place in the grid
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

  // pairs += what the rows of all cells count. The backward rows of the successors of cell i are
  // in at_begin_ and at_rest_ one row further on.
  void add_counts(float* pairs) {
    const std::size_t sources = s_.token_begin[length_ - 1];
    if (sources == 0) return;
    const float* before = s_.large.data();
    pair_counts(sources + 1, labels_, stride_, before, at_begin_.data(), begin_pairs_.data());
    pair_counts(sources + 1, labels_, stride_, before, at_rest_.data(), rest_pairs_.data());
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
        hn::Store(without_small(hn::Mul(beta, factor)), d, large_.data() + at);
        hn::Store(without_small(hn::Mul(matching, factor)), d, matching_.data() + at);
      }
    }
    if (!begins(t)) return;
    landing_ = large_;
    for (std::size_t i = 0; i < cells; ++i) {
      for (const std::size_t y : peers(t)) landing_[i * stride_ + y] = matching_[i * stride_ + y];
    }
  }

  // From the backward rows of t to the betas of t - 1.
  void step(std::size_t t) {
    const std::size_t begin = s_.token_begin[t - 1], cells = s_.token_begin[t] - begin;
    before_large_.resize(cells * stride_);
    before_rest_.resize(cells * stride_);
    before_matching_.assign(cells * stride_, 0.0f);
    float* begun = at_begin_.data() + (begin + 1) * stride_;
    float* rest = at_rest_.data() + (begin + 1) * stride_;
    for (std::size_t i = 0; i < cells; ++i) {
      const auto [n, d] = s_.cells[begin + i];
      std::copy_n(row(begins(t) ? landing_ : large_, n, d + 1), stride_, begun + i * stride_);
      std::copy_n(row(large_, n, d), stride_, rest + i * stride_);
    }
    multiply_rows(begun, cells, labels_, s_.begin_by_next.data(), stride_, before_large_.data());
    multiply_rows(rest, cells, labels_, s_.rest_by_next.data(), stride_, before_rest_.data());
    for (std::size_t i = 0; i < cells; ++i) {
      add_row(before_rest_.data() + i * stride_, stride_, before_large_.data() + i * stride_);
      if (has_gold(t - 1)) step_matching(t, i);
    }
    large_.swap(before_large_);
    matching_.swap(before_matching_);
  }

  void step_matching(std::size_t t, std::size_t i) {
    const std::size_t cell = s_.token_begin[t - 1] + i;
    const auto [n, d] = s_.cells[cell];
    const std::uint32_t met = goes_on(t) ? n : n + 1;
    const float* begun = row(begins(t) ? landing_ : large_, met, d + 1);
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
  AlignedVector<float> before_large_, before_matching_, before_rest_;  // betas of those of t - 1
  AlignedVector<float> zeros_, chosen_;
  // Backward rows that the cells' rows lead to, where items begin and elsewhere.
  AlignedVector<float> at_begin_, at_rest_;
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
  const auto count = static_cast<std::uint16_t>(labels);
  for (std::uint16_t y = 0; y < count; ++y) {
    items[y] = rules.has_item(y) ? 1.0f : 0.0f;
    for (std::uint16_t u = 0; u < count; ++u) {
      begins[u * stride + y] = begins_by_next[y * stride + u] = rules.begins(u, y) ? 1.0f : 0.0f;
      if (rules.has_item(u) && rules.has_item(y) && rules.type(u) == rules.type(y)) {
        peers[y].push_back(u);
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
