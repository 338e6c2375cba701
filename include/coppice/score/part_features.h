// What potentials see of the parts of one example.
//
// A part is a cell (row, output). The row is what is looked at: a token, a span, a split of a span,
// with its features; the output is what is said of it: a label, a rule. So features factor: those
// of a row are found once, however many parts look at it, and the score of a part is
//
//     score(row, output) = sum over the row's features f of  value(f) * weight(f, output) (linear)
//                        + sum over the trees t of `output` of  t(row)                      (trees)
//
// Outputs of rows of different kinds (labels of spans, rules at splits) are numbered through, so
// that they do not meet.
//
//     const std::uint32_t row = features.add_row();
//     features.add(key_of_name("first=the"));
//     const PartId first = features.add_parts(row, 0, num_labels);  // first + y: label y
//
// A feature is a 64-bit key, as text/extractor.h gives them. Made when an example is visited and
// dropped afterwards. Memory: 12 bytes per feature of a row, 8 per part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/forest/part_forest.h"

namespace coppice {

struct PartCell {
  std::uint32_t row = 0;
  std::uint32_t output = 0;
};

class PartFeatures {
 public:
  // Begins the next row, whose features add() gives.
  std::uint32_t add_row();
  // A feature of the row begun last. Requires a row. A key that comes twice counts twice.
  void add(std::uint64_t key, float value = 1) {
    keys_.push_back(key);
    values_.push_back(value);
    ++begin_.back();
  }
  PartId add_part(std::uint32_t row, std::uint32_t output) { return add_parts(row, output, 1); }
  // Parts of the outputs [output, output + count) at a row; returns the first, the others follow.
  PartId add_parts(std::uint32_t row, std::uint32_t output, std::size_t count);
  void clear();

  std::size_t num_rows() const noexcept { return begin_.size() - 1; }
  std::size_t num_parts() const noexcept { return cells_.size(); }
  const PartCell& cell(PartId part) const noexcept { return cells_[index(part)]; }
  std::span<const PartCell> cells() const noexcept { return cells_; }
  std::span<const std::uint64_t> keys(std::size_t row) const noexcept {
    return {keys_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }
  std::span<const float> values(std::size_t row) const noexcept {
    return {values_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }

 private:
  std::vector<std::uint32_t> begin_{0};  // row r has keys_[begin_[r] .. begin_[r + 1])
  std::vector<std::uint64_t> keys_;
  std::vector<float> values_;
  std::vector<PartCell> cells_;
};

}  // namespace coppice
