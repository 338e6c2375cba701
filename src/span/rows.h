// Lists of values under dense keys, in two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace coppice::span {

template <class T>
class Rows {
 public:
  Rows() = default;
  // Groups pairs (key, value) by key, key < num_rows; within a key they keep their order.
  Rows(std::size_t num_rows, std::span<const std::pair<std::uint32_t, T>> pairs)
      : begin_(num_rows + 1, 0), values_(pairs.size()) {
    for (const auto& [key, value] : pairs) ++begin_[key + 1];
    for (std::size_t row = 0; row < num_rows; ++row) begin_[row + 1] += begin_[row];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [key, value] : pairs) values_[next[key]++] = value;
  }

  std::span<const T> operator[](std::size_t row) const noexcept {
    return {values_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<T> values_;
};

}  // namespace coppice::span
