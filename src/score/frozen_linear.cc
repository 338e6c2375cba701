#include "score/frozen_linear.h"

#include <bit>

#include "coppice/base/error.h"

namespace coppice {

namespace {

// A list entry takes twice the memory of a row's slot, and is added one by one.
constexpr std::size_t kDenseRowShare = 3;

struct Frozen {
  std::uint32_t begin;
  std::uint16_t size;
};

}  // namespace

FrozenLinear::Arrays FrozenLinear::freeze(const LinearPotential& potential,
                                          std::span<const std::uint64_t> keys,
                                          std::span<const float> weights,
                                          std::span<const KeyedRow> others) {
  const std::size_t labels = potential.num_labels(), stride = potential.stride();
  const MergedColumns& columns = potential.columns();
  Arrays arrays;
  const auto store = [&](std::span<const LinearPotential::Entry> row) -> Frozen {
    if (row.size() * kDenseRowShare > labels) {
      const auto number = static_cast<std::uint32_t>(arrays.rows.size() / stride);
      arrays.rows.resize(arrays.rows.size() + stride, 0.0f);
      float* values = arrays.rows.data() + number * stride;
      for (const auto& entry : row) values[entry.label] = entry.weight;
      return {number, dense_row};
    }
    const auto begin = static_cast<std::uint32_t>(arrays.lists.size());
    for (const auto& entry : row) arrays.lists.push_back({entry.weight, entry.label});
    return {begin, static_cast<std::uint16_t>(row.size())};
  };
  std::vector<Frozen> frozen(columns.size());
  std::vector<LinearPotential::Entry> row;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    potential.read_row(weights, c, row);
    frozen[c] = store(row);
  }
  std::vector<Slot> used;
  for (std::size_t a = 0; a < keys.size(); ++a) {
    const std::uint32_t column = columns.column_of[a];
    if (column == kNoColumn || frozen[column].size == 0) continue;
    used.push_back({keys[a], frozen[column].begin, frozen[column].size, 0});
  }
  for (const KeyedRow& other : others) {
    const Frozen stored = store(other.row);
    if (stored.size > 0) used.push_back({other.key, stored.begin, stored.size, 0});
  }
  arrays.slots.resize(std::bit_ceil(used.size() + used.size() / 3 + 1));
  const std::size_t mask = arrays.slots.size() - 1;
  for (const Slot& slot : used) {
    std::size_t at = slot.key & mask;
    while (arrays.slots[at].size != 0) at = (at + 1) & mask;
    arrays.slots[at] = slot;
  }
  return arrays;
}

FrozenLinear::FrozenLinear(std::size_t labels, std::span<const Slot> slots,
                           std::span<const float> rows, std::span<const Weight> lists, KeyFold fold)
    : labels_(labels),
      stride_(row_stride(labels)),
      mask_(slots.size() - 1),
      fold_(fold),
      slots_(slots),
      rows_(rows),
      lists_(lists) {
  require(labels > 0 && std::has_single_bit(slots.size()) && rows.size() % stride_ == 0,
          "linear weights: ", slots.size(), " slots and ", rows.size(), " floats for ", labels,
          " labels");
  bool has_free = false;
  for (const Slot& slot : slots) {
    has_free = has_free || slot.size == 0;
    const bool fits = slot.size == dense_row ? slot.begin < rows.size() / stride_
                                             : std::size_t{slot.begin} + slot.size <= lists.size();
    require(fits, "linear weights: a slot points past the weights");
  }
  require(has_free, "linear weights: no free slot");
  for (const Weight& weight : lists) {
    require(weight.label < labels, "linear weights: label ", weight.label, " of ", labels);
  }
}

void FrozenLinear::add(const Slot& slot, float value, float* scores) const noexcept {
  if (slot.size == dense_row) {
    const float* row = rows_.data() + slot.begin * stride_;
    for (std::size_t y = 0; y < stride_; ++y) scores[y] += value * row[y];
    return;
  }
  for (std::size_t i = slot.begin; i < slot.begin + slot.size; ++i) {
    scores[lists_[i].label] += value * lists_[i].weight;
  }
}

void FrozenLinear::read(const Slot& slot, std::vector<LinearPotential::Entry>& row) const {
  row.clear();
  const auto push = [&](std::size_t label, float weight) {
    if (weight != 0) row.push_back({static_cast<std::uint16_t>(label), weight});
  };
  if (slot.size == dense_row) {
    for (std::size_t y = 0; y < labels_; ++y) push(y, rows_[slot.begin * stride_ + y]);
  } else {
    for (std::size_t i = slot.begin; i < slot.begin + slot.size; ++i) {
      push(lists_[i].label, lists_[i].weight);
    }
  }
}

}  // namespace coppice
