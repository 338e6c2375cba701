// A linear potential for prediction: from attribute keys to rows of weights, without names.
//
// The arrays are laid out to be used as they lie in a mapped model file: a table of slots with open
// addressing (linear probing, at most 3/4 full), rows of `stride` floats for attributes with many
// labels, and short lists of (weight, label) for the others. Equal attributes (design.h) share
// their weights.
//
// Cost of an attribute: one probe, usually one cache line, and one row or list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "score/dictionary.h"
#include "score/linear.h"

namespace coppice {

class FrozenLinear {
 public:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t begin = 0;  // in the rows, counted in rows, or in the lists
    std::uint16_t size = 0;   // of the list; dense_row; 0 for a free slot
    std::uint16_t unused = 0;
  };
  static constexpr std::uint16_t dense_row = 0xffff;
  struct Weight {
    float weight = 0;
    std::uint32_t label = 0;
  };

  // What a model file holds.
  struct Arrays {
    std::vector<Slot> slots;
    std::vector<float> rows;
    std::vector<Weight> lists;
  };
  // The weights of an attribute that the potential does not know.
  struct KeyedRow {
    std::uint64_t key = 0;
    std::vector<LinearPotential::Entry> row;
  };
  // `keys` are those of the design matrix's attributes; `others` have none of them. Attributes
  // whose weights are all 0 are left out.
  static Arrays freeze(const LinearPotential& potential, std::span<const std::uint64_t> keys,
                       std::span<const float> weights, std::span<const KeyedRow> others = {});

  FrozenLinear() = default;
  // Views the arrays, which must outlive this; rows must be aligned to 32 bytes. `fold` is that of
  // the keys in training. Throws InvalidArgument when the arrays do not fit together: after that,
  // no key can lead out of them.
  FrozenLinear(std::size_t labels, std::span<const Slot> slots, std::span<const float> rows,
               std::span<const Weight> lists, KeyFold fold = {});

  std::size_t num_labels() const noexcept { return labels_; }
  std::size_t stride() const noexcept { return stride_; }
  // All of them, the free ones too.
  std::span<const Slot> slots() const noexcept { return slots_; }

  // The slot of `key` (a whole one: it is folded here), or null.
  const Slot* find(std::uint64_t key) const noexcept {
    key = fold_(key);
    for (std::size_t at = key & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.size == 0) return nullptr;
      if (slot.key == key) return &slot;
    }
  }
  // Asks for memory ahead of find(), and of add().
  void prefetch(std::uint64_t key) const noexcept {
    __builtin_prefetch(&slots_[fold_(key) & mask_]);
  }
  void prefetch(const Slot& slot) const noexcept {
    if (slot.size == dense_row) {
      const float* row = rows_.data() + slot.begin * stride_;
      __builtin_prefetch(row);
      __builtin_prefetch(row + stride_ - 1);
    } else {
      __builtin_prefetch(lists_.data() + slot.begin);
    }
  }

  // Adds value times the slot's weights to `scores` (stride floats, aligned to 32 bytes).
  void add(const Slot& slot, float value, float* scores) const noexcept;

  // The weights of a slot, label by label.
  void read(const Slot& slot, std::vector<LinearPotential::Entry>& row) const;

 private:
  std::size_t labels_ = 0;
  std::size_t stride_ = 0;
  std::size_t mask_ = 0;
  KeyFold fold_;
  std::span<const Slot> slots_;
  std::span<const float> rows_;
  std::span<const Weight> lists_;
};

}  // namespace coppice
