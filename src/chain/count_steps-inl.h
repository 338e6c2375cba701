// What the sweeps of src/chain/count_kernel.h share: included once a target, as dense_rows-inl.h.
#if defined(COPPICE_CHAIN_COUNT_STEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COPPICE_CHAIN_COUNT_STEPS_INL_H
#undef COPPICE_CHAIN_COUNT_STEPS_INL_H
#else
#define COPPICE_CHAIN_COUNT_STEPS_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/count_kernel.h"
#include "chain/dense_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace coppice::chain::HWY_NAMESPACE {

template <class Values>
void grow(Values& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

// Finds cells by their counts, which are within 1 of those of some given cells.
class CountIndex {
 public:
  void set(std::span<const Counts> near, std::span<const Counts> cells) {
    least_ = most_ = near[0];
    for (const Counts& cell : near) {
      least_ = {std::min(least_.n, cell.n), std::min(least_.d, cell.d)};
      most_ = {std::max(most_.n, cell.n), std::max(most_.d, cell.d)};
    }
    columns_ = most_.d - least_.d + 3;
    nowhere_ = static_cast<std::uint32_t>(cells.size());
    cell_.assign((most_.n - least_.n + 3) * std::size_t{columns_}, nowhere_);
    for (std::uint32_t i = 0; i < nowhere_; ++i) cell_[place(cells[i])] = i;
  }
  Counts least() const { return least_; }
  Counts most() const { return most_; }
  // The number of cells, where there is none of these counts.
  std::size_t operator()(std::uint32_t n, std::uint32_t d) const { return cell_[place({n, d})]; }
  std::size_t nowhere() const { return nowhere_; }

 private:
  // Counts may be -1, wrapped.
  std::size_t place(Counts c) const {
    return std::size_t{c.n + 1 - least_.n} * columns_ + (c.d + 1 - least_.d);
  }

  Counts least_, most_;
  std::uint32_t columns_ = 0, nowhere_ = 0;
  std::vector<std::uint32_t> cell_;
};

// Places for the counts of whole sequences: those of the last token's cells, or one more in n.
class GoalGrid {
 public:
  explicit GoalGrid(std::span<const Counts> cells) : least_(cells[0]) {
    Counts most = cells[0];
    for (const Counts& cell : cells) {
      least_ = {std::min(least_.n, cell.n), std::min(least_.d, cell.d)};
      most = {std::max(most.n, cell.n), std::max(most.d, cell.d)};
    }
    columns_ = most.d - least_.d + 1;
    size_ = std::size_t{most.n - least_.n + 2} * columns_;
  }
  std::size_t size() const { return size_; }
  std::size_t place(Counts c) const {
    return std::size_t{c.n - least_.n} * columns_ + (c.d - least_.d);
  }
  Counts counts(std::size_t place) const {
    return {least_.n + static_cast<std::uint32_t>(place / columns_),
            least_.d + static_cast<std::uint32_t>(place % columns_)};
  }

 private:
  Counts least_;
  std::size_t columns_, size_;
};

// What forward and backward know of a sentence.
class CountSteps {
 protected:
  CountSteps(const CountInput& input, const CountRules& rules, CountWorkspace& workspace)
      : gold_(input.gold),
        rules_(rules),
        labels_(rules.labels),
        stride_(rules.stride),
        width_(rules.of_type.most()),
        length_(input.gold.labels.size()),
        transitions_(input.transitions),
        w_(workspace) {}

  // A pair of labels that goes on with an item, in a column where items begin too.
  struct Apart {
    std::size_t previous, next;
    float weight;
  };

  float weight(std::size_t u, std::size_t y) const {
    return transitions_.none() ? 1.0f : transitions_.weights()[u * stride_ + y];
  }
  bool begins_item(std::size_t u, std::size_t y) const {
    return rules_.begins[u * stride_ + y] != 0;
  }
  bool has_gold(std::size_t t) const { return gold_.begins[t] != 0 || gold_.goes_on[t] != 0; }
  bool begins(std::size_t t) const { return gold_.begins[t] != 0; }
  bool goes_on(std::size_t t) const { return gold_.goes_on[t] != 0; }
  std::span<const std::uint16_t> peers(std::size_t t) const {
    return rules_.of_type.of(gold_.labels[t]).labels;
  }
  std::span<const ItemPeers::Stay> stays(std::size_t t) const {
    return rules_.of_type.of(gold_.labels[t]).stays;
  }
  std::span<const Counts> cells_of(std::size_t t) const {
    return std::span(w_.cells).subspan(w_.token_begin[t],
                                       w_.token_begin[t + 1] - w_.token_begin[t]);
  }
  float* large(std::size_t cell) const { return w_.large.data() + cell * stride_; }
  float* matching(std::size_t cell) const { return w_.matching.data() + cell * width_; }
  // Rows of the tables.
  const float* ending(std::size_t u) const { return w_.ending.data() + u * stride_; }

  // The pairs that the tables leave out: in columns of a begin, those that go on.
  void find_apart() {
    apart_.clear();
    for (std::size_t u = 0; u < labels_; ++u) {
      for (const std::size_t y : rules_.of_type.of(u).labels) {
        if (w_.begins[y] == 0 || begins_item(u, y) || weight(u, y) == 0) continue;
        apart_.push_back({u, y, weight(u, y)});
      }
    }
  }

  const GoldItems& gold_;
  const CountRules& rules_;
  std::size_t labels_, stride_, width_, length_;
  const Transitions& transitions_;
  CountWorkspace& w_;
  std::vector<Apart> apart_;
};

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // COPPICE_CHAIN_COUNT_STEPS_INL_H
