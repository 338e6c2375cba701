// Which rows are in each bin: a sparse table stored by bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/trees/examples.h"

namespace coppice::trees {

// As large as the table itself. Rows of a bin ascend.
class RowIndex {
 public:
  RowIndex(const BinMatrix& matrix, std::size_t num_bins)
      : begin_(num_bins + 1), rows_(matrix.bins.size()) {
    for (const std::uint32_t bin : matrix.bins) ++begin_[bin + 1];
    for (std::size_t bin = 0; bin < num_bins; ++bin) begin_[bin + 1] += begin_[bin];
    std::vector<std::size_t> at(begin_.begin(), begin_.end() - 1);
    for (std::size_t row = 0; row < matrix.size(); ++row) {
      for (const std::uint32_t bin : matrix.row(row)) {
        rows_[at[bin]++] = static_cast<std::uint32_t>(row);
      }
    }
  }

  std::span<const std::uint32_t> rows(std::uint32_t bin) const noexcept {
    return std::span(rows_).subspan(begin_[bin], begin_[bin + 1] - begin_[bin]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace coppice::trees
