// clang-format off: foreach_target includes this file again, once a target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chain/count_forward.cc"
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

class CountForward : public CountSteps {
 public:
  CountForward(const CountInput& input, const CountRules& rules, CountWorkspace& workspace,
               CountResult& result)
      : CountSteps(input, rules, workspace),
        input_(input),
        result_(result),
        sums_(stride_),
        matching_sums_(width_) {
    set_tables();
    find_apart();
    grow(w_.emission, length_ * stride_);
    grow(w_.scale, length_);
    w_.cells.clear();
    w_.token_begin.assign(1, 0);
  }

  bool run() {
    const double shift = transitions_.none() ? 0 : transitions_.shift();
    result_.log_partition = shift * static_cast<double>(length_ - 1);
    for (std::size_t t = 0; t < length_; ++t) {
      emission_ = w_.emission.data() + t * stride_;
      result_.log_partition +=
          exponentiate(input_.scores + t * stride_, labels_, stride_, emission_);
      std::fill(sums_.begin(), sums_.end(), 0.0f);
      std::fill(matching_sums_.begin(), matching_sums_.end(), 0.0f);
      if (t == 0) {
        begin_sentence();
      } else {
        step(t);
      }
      if (!close_token(t)) return false;
    }
    result_.cells = w_.cells.size();
    set_goal();
    return true;
  }

 private:
  // A column is of pairs at which an item begins where one of these is possible.
  void set_tables() {
    const Tag d;
    ones_.assign(transitions_.none() ? labels_ * stride_ : 0, 1.0f);
    const float* weights = transitions_.none() ? ones_.data() : transitions_.weights();
    const float* by_next = transitions_.none() ? ones_.data() : transitions_.weights_by_next();
    w_.begins.assign(stride_, 0.0f);
    for (auto* table : {&w_.weights, &w_.weights_by_next, &w_.ending}) {
      table->resize(labels_ * stride_);
    }
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      auto possible = hn::Zero(d);
      for (std::size_t k = y; k < labels_ * stride_; k += stride_) {
        const auto weight = hn::Load(d, weights + k);
        possible = hn::MulAdd(hn::Load(d, rules_.begins.data() + k), weight, possible);
      }
      const auto begins = hn::IfThenElseZero(hn::Gt(possible, hn::Zero(d)), hn::Set(d, 1.0f));
      hn::Store(begins, d, w_.begins.data() + y);
      for (std::size_t k = y; k < labels_ * stride_; k += stride_) {
        const auto agrees = hn::Eq(hn::Load(d, rules_.begins.data() + k), begins);
        const auto weight = hn::IfThenElseZero(agrees, hn::Load(d, weights + k));
        const auto goes_on = hn::Load(d, rules_.goes_on.data() + k);
        hn::Store(weight, d, w_.weights.data() + k);
        hn::Store(hn::NegMulAdd(weight, goes_on, weight), d, w_.ending.data() + k);
      }
    }
    for (std::size_t y = 0; y < labels_; ++y) {
      const auto begins = hn::Set(d, w_.begins[y]);
      for (std::size_t k = y * stride_; k < (y + 1) * stride_; k += hn::Lanes(d)) {
        const auto agrees = hn::Eq(hn::Load(d, rules_.begins_by_next.data() + k), begins);
        hn::Store(hn::IfThenElseZero(agrees, hn::Load(d, by_next + k)), d,
                  w_.weights_by_next.data() + k);
      }
    }
  }

  void make_room(std::size_t cells) {
    const std::size_t size = w_.cells.size() + cells;
    if (w_.large.size() >= size * stride_) return;
    w_.large.resize(2 * size * stride_);
    w_.matching.resize(2 * size * width_);
  }
  // Rows of a further cell, to be set; there must be room.
  HWY_INLINE std::size_t add_cell(std::uint32_t n, std::uint32_t d) {
    const std::size_t cell = w_.cells.size();
    w_.cells.push_back({n, d});
    std::fill_n(matching(cell), width_, 0.0f);
    return cell;
  }

  void begin_sentence() {
    make_room(2);
    for (const std::uint32_t item : {0u, 1u}) {
      const std::size_t cell = add_cell(0, item);
      std::fill_n(large(cell), stride_, 0.0f);
      for (std::size_t y = 0; y < labels_; ++y) {
        if (rules_.items[y] == item) large(cell)[y] = emission_[y];
      }
      if (item == 0 || !begins(0)) continue;
      for (std::size_t k = 0; k < peers(0).size(); ++k) {
        matching(cell)[k] = std::exchange(large(cell)[peers(0)[k]], 0.0f);
      }
    }
    for (std::size_t y = 0; y < labels_; ++y) sums_[y] = emission_[y];
  }

  // From the cells of token t - 1.
  void step(std::size_t t) {
    first_ = w_.token_begin[t - 1];
    before_.set(cells_of(t - 1), cells_of(t - 1));
    const std::size_t cells = before_.nowhere();
    grow(w_.products, (cells + 1) * stride_);
    multiply_rows({large(first_), cells, stride_}, labels_, w_.weights.data(), stride_,
                  w_.products.data());
    std::fill_n(w_.products.data() + cells * stride_, stride_, 0.0f);
    if (has_gold(t - 1)) multiply_matching(t, cells);
    prepare_matching(t);
    const Counts least = before_.least(), most = before_.most();
    make_room((most.n - least.n + 2) * std::size_t{most.d - least.d + 2});
    ended_ = has_gold(t - 1);
    const std::uint32_t met = ended_ && !goes_on(t) ? 1 : 0;  // those whose matching item ends
    for (std::uint32_t n = least.n; n <= most.n + 1; ++n) {
      for (std::uint32_t d = least.d; d <= most.d + 1; ++d) gather(n, d, n - met);
    }
    if (!apart_.empty()) add_apart(t);
  }

  // Which labels begin to match at t, and by which pairs others go on to.
  HWY_INLINE void prepare_matching(std::size_t t) {
    landing_.clear();
    going_on_.clear();
    large_emission_.assign(emission_, emission_ + stride_);
    for (std::size_t k = 0; begins(t) && k < peers(t).size(); ++k) {
      const std::size_t y = peers(t)[k];
      if (w_.begins[y] == 0) continue;
      landing_.emplace_back(k, y);
      large_emission_[y] = 0;  // all of it matches
    }
    if (!goes_on(t)) return;
    for (const auto& [from, to, u, y, at] : stays(t)) {
      going_on_.push_back({from, to, weight(u, y) * emission_[y]});
    }
  }

  // Products of the matching labels of t - 1 with the pairs that end their item. At the end of the
  // gold item those that go on are at large with the counts that they had.
  HWY_INLINE void multiply_matching(std::size_t t, std::size_t cells) {
    const std::span<const std::uint16_t> labels = peers(t - 1);
    grow(peer_rows_, width_ * stride_);
    for (std::size_t k = 0; k < labels.size(); ++k) {
      std::copy_n(ending(labels[k]), stride_, peer_rows_.data() + k * stride_);
    }
    grow(w_.ended, (cells + 1) * stride_);
    multiply_rows({matching(first_), cells, width_}, labels.size(), peer_rows_.data(), stride_,
                  w_.ended.data());
    std::fill_n(w_.ended.data() + cells * stride_, stride_, 0.0f);
    if (goes_on(t)) return;
    for (const auto& [from, to, u, y, at] : stays(t - 1)) {
      if (w_.begins[y] != 0) continue;  // see add_apart()
      float* product = w_.products.data() + y;
      for (std::size_t i = 0; i < cells; ++i, product += stride_) {
        *product += matching(first_ + i)[from] * weight(u, y);
      }
    }
  }

  // The cell (n, d) of a token from those of d and d - 1 before it, of n and, where a matching item
  // ended, of n_before.
  HWY_INLINE void gather(std::uint32_t n, std::uint32_t d, std::uint32_t n_before) {
    const std::size_t same = before_(n, d), begun = before_(n, d - 1), none = before_.nowhere();
    const std::size_t ended_same = ended_ ? before_(n_before, d) : none;
    const std::size_t ended_begun = ended_ ? before_(n_before, d - 1) : none;
    if (same == none && begun == none && ended_same == none && ended_begun == none) return;
    const std::size_t cell = add_cell(n, d);
    const float *products = w_.products.data(), *ended = w_.ended.data();
    const Sources from{products + begun * stride_, products + same * stride_,
                       ended_ ? ended + ended_begun * stride_ : nullptr,
                       ended_ ? ended + ended_same * stride_ : nullptr};
    fill_row(from, large(cell));
    float* matches = matching(cell);
    for (const auto& [k, y] : landing_) {
      const float begin = from.begin[y] + (ended_ ? from.ended_begin[y] : 0);
      matches[k] = begin * emission_[y];
      matching_sums_[k] += matches[k];
    }
    if (same == none) return;
    const float* matched = matching(first_ + same);
    for (const auto& [source, target, factor] : going_on_) {
      const float value = matched[source] * factor;
      matches[target] += value;
      matching_sums_[target] += value;
    }
  }

  // What comes to a cell where items begin and elsewhere; and from what ended a matching item, or
  // null.
  struct Sources {
    const float *begin, *rest, *ended_begin, *ended_rest;
  };
  HWY_INLINE void fill_row(Sources from, float* out) {
    const Tag d;
    const float* begins = w_.begins.data();
    const float* emission = large_emission_.data();
    float* sums = sums_.data();
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      auto begin = hn::Load(d, from.begin + y), rest = hn::Load(d, from.rest + y);
      if (from.ended_begin != nullptr) {
        begin = hn::Add(begin, hn::Load(d, from.ended_begin + y));
        rest = hn::Add(rest, hn::Load(d, from.ended_rest + y));
      }
      const auto is_begin = hn::Gt(hn::Load(d, begins + y), hn::Zero(d));
      const auto value = hn::Mul(hn::IfThenElse(is_begin, begin, rest), hn::Load(d, emission + y));
      hn::Store(value, d, out + y);
      hn::Store(hn::Add(value, hn::Load(d, sums + y)), d, sums + y);
    }
  }

  // The pairs that are not in the tables: items that go on, with the counts that they had.
  void add_apart(std::size_t t) {
    for (std::size_t cell = w_.token_begin[t]; cell < w_.cells.size(); ++cell) {
      const auto [n, d] = w_.cells[cell];
      const std::size_t same = before_(n, d);
      if (same == before_.nowhere()) continue;
      for (const auto& [u, y, weight] : apart_) {
        add_apart(cell, y, large(first_ + same)[u] * weight);
      }
      if (!ended_ || goes_on(t)) continue;
      for (const auto& [from, to, u, y, at] : stays(t - 1)) {  // longer than the gold item
        if (w_.begins[y] != 0) add_apart(cell, y, matching(first_ + same)[from] * weight(u, y));
      }
    }
  }
  HWY_INLINE void add_apart(std::size_t cell, std::size_t y, float value) {
    large(cell)[y] += value * emission_[y];
    sums_[y] += value * emission_[y];
  }

  // Scales, and keeps the cells that are probable enough.
  bool close_token(std::size_t t) {
    if (has_gold(t)) {
      for (std::size_t k = 0; k < peers(t).size(); ++k) sums_[peers(t)[k]] += matching_sums_[k];
    }
    const float sum = std::accumulate(sums_.begin(), sums_.end(), 0.0f);
    if (!(sum > 1e-30f && sum < 1e30f)) return false;
    w_.scale[t] = 1 / sum;
    result_.log_partition += std::log(static_cast<double>(sum));
    const float* posterior = input_.posteriors + t * stride_;
    const Tag d;
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto total = hn::Load(d, sums_.data() + y);
      const auto share = hn::Div(hn::Load(d, posterior + y), total);
      hn::Store(hn::IfThenElseZero(hn::Gt(total, hn::Zero(d)), share), d, sums_.data() + y);
    }
    keep_cells(t);
    return w_.cells.size() > w_.token_begin[t];
  }

  void keep_cells(std::size_t t) {
    const std::size_t first = w_.token_begin[t], cells = w_.cells.size() - first;
    find_probabilities(t, cells);
    std::size_t kept = first;
    for (std::size_t i = 0; i < cells; ++i) {
      if (!(w_.probability[i] >= input_.least_probability)) {
        result_.cut += std::max(0.0f, w_.probability[i]);
        continue;
      }
      scale_to(first + i, w_.scale[t], kept);
      w_.cells[kept++] = w_.cells[first + i];
    }
    w_.cells.resize(kept);
    w_.token_begin.push_back(static_cast<std::uint32_t>(kept));
    result_.largest = std::max(result_.largest, kept - first);
  }

  // Of all cells before any is judged: branches would hold it up.
  HWY_INLINE void find_probabilities(std::size_t t, std::size_t cells) {
    const std::size_t first = w_.token_begin[t];
    grow(w_.probability, cells);
    for (std::size_t i = 0; i < cells; ++i) {
      w_.probability[i] = dot(large(first + i), sums_.data(), stride_);
    }
    if (!has_gold(t)) return;
    for (std::size_t k = 0; k < peers(t).size(); ++k) {
      const float share = sums_[peers(t)[k]];
      for (std::size_t i = 0; i < cells; ++i) w_.probability[i] += matching(first + i)[k] * share;
    }
  }

  // Without the labels that hardly any sequence has: numbers too small for floats are slow.
  HWY_INLINE void scale_to(std::size_t cell, float factor, std::size_t kept) {
    const Tag d;
    const auto least = hn::Set(d, 1e-18f);
    const float *row = large(cell), *sums = sums_.data();
    float* out = large(kept);
    for (std::size_t y = 0; y < stride_; y += hn::Lanes(d)) {
      const auto value = hn::Load(d, row + y);
      const auto matters = hn::Gt(hn::Mul(value, hn::Load(d, sums + y)), least);
      hn::Store(hn::IfThenElseZero(matters, hn::Mul(hn::Set(d, factor), value)), d, out + y);
    }
    for (std::size_t k = 0; k < width_; ++k) {
      const float value = factor * matching(cell)[k];
      matching(kept)[k] = value > 1e-30f ? value : 0;
    }
  }

  void set_goal() {
    const GoalGrid grid(cells_of(length_ - 1));
    std::vector<double> sums(grid.size(), 0.0);
    for (std::size_t cell = w_.token_begin[length_ - 1]; cell < w_.cells.size(); ++cell) {
      const auto [n, d] = w_.cells[cell];
      sums[grid.place({n, d})] += std::accumulate(large(cell), large(cell) + labels_, 0.0f);
      sums[grid.place({n + 1, d})] +=
          std::accumulate(matching(cell), matching(cell) + width_, 0.0f);
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (sums[k] > 0) result_.goal.push_back({grid.counts(k), sums[k]});
    }
  }

  const CountInput& input_;
  CountResult& result_;
  float* emission_ = nullptr;  // of the token
  std::size_t first_ = 0;      // cell of the token before
  CountIndex before_;          // the cells of the token before
  AlignedVector<float> sums_;  // of the token's cells by label; then what makes them posteriors
  std::vector<float> matching_sums_;  // by peer
  AlignedVector<float> large_emission_;
  // Labels that begin to match at the token: their places among peers, and themselves.
  std::vector<std::pair<std::size_t, std::size_t>> landing_;
  struct GoingOn {
    std::size_t from, to;  // places among peers
    float factor;
  };
  std::vector<GoingOn> going_on_;
  bool ended_ = false;              // do matching items end at the token?
  AlignedVector<float> ones_;       // stand for transitions where there are none
  AlignedVector<float> peer_rows_;  // of the table of ending pairs
};

bool forward_counts(const CountInput& input, const CountRules& rules, CountWorkspace& workspace,
                    CountResult& result) {
  return CountForward(input, rules, workspace, result).run();
}

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::chain {

HWY_EXPORT(forward_counts);

bool count_forward(const CountInput& input, const CountRules& rules, CountWorkspace& workspace,
                   CountResult& result) {
  return HWY_DYNAMIC_DISPATCH(forward_counts)(input, rules, workspace, result);
}

}  // namespace coppice::chain
#endif
