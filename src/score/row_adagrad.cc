#include "score/row_adagrad.h"

#include <algorithm>
#include <cmath>

namespace coppice {

namespace {

constexpr float kInitialSum = 1e-3f;

// sign(w) max(0, |w| - l1) / (1 + l2)
float shrunk(float weight, float l1, float l2) {
  const float size = std::max(0.0f, std::abs(weight) - l1) / (1 + l2);
  return weight < 0 ? -size : size;
}

}  // namespace

RowAdaGrad::RowAdaGrad(const LinearPotential& potential, RowAdaGradOptions options)
    : potential_(potential),
      options_(options),
      sums_(potential.num_dense_ + potential.list_label_.size(),
            options.adaptive ? kInitialSum : 1.0f),
      shares_(sums_.size(), Share{0, 0}) {
  const LinearPotential& p = potential_;
  for (std::size_t row = 0; row < p.columns_.size(); ++row) {
    const bool is_list = row >= p.num_dense_;
    if (is_list && p.list_size(static_cast<std::uint32_t>(row)) == 0) continue;  // no parameters
    const std::size_t column = p.column_of_row_[row];
    const auto count = static_cast<double>(p.columns_.count[column]);
    const auto copies = static_cast<double>(p.columns_.multiplicity[column]);
    const std::size_t at =
        is_list ? p.num_dense_ + p.list_begin_[row - p.num_dense_] - p.list_begin_[0] : row;
    shares_[at] = {static_cast<float>(options_.l1 / count),
                   static_cast<float>(2 * options_.l2 / (copies * count))};
  }
}

void RowAdaGrad::update(std::size_t token, const float* derivatives, std::span<float> weights) {
  const LinearPotential& p = potential_;
  const auto eta = static_cast<float>(options_.step);
  float square = 0;
  for (std::size_t y = 0; options_.adaptive && y < p.stride_; ++y) {
    square += derivatives[y] * derivatives[y];
  }

  for (std::uint32_t k = p.dense_begin_[token]; k < p.dense_begin_[token + 1]; ++k) {
    const std::uint32_t row = p.dense_[k];
    sums_[row] += square;
    const float step = eta / std::sqrt(sums_[row]);
    const float move = p.dense_value_.empty() ? step : step * p.dense_value_[k];
    const float keep = 1 / (1 + step * shares_[row].l2);
    const float l1 = step * shares_[row].l1;
    float* w = weights.data() + row * p.stride_;
    const unsigned char* mask = p.mask_.data() + row * p.stride_;
    for (std::size_t y = 0; y < p.stride_; ++y) {
      w[y] = (w[y] - move * derivatives[y] * static_cast<float>(mask[y])) * keep;
    }
    if (l1 > 0) {
      for (std::size_t y = 0; y < p.stride_; ++y) w[y] = shrunk(w[y], l1, 0);
    }
  }
  for (std::uint32_t k = p.short_begin_[token]; k < p.short_begin_[token + 1]; ++k) {
    const std::size_t first = p.short_[k] - p.list_begin_[0];
    const std::size_t at = p.num_dense_ + first;
    sums_[at] += square;
    const float step = eta / std::sqrt(sums_[at]);
    const float move = p.short_value_.empty() ? step : step * p.short_value_[k];
    for (std::size_t i = 0; i < p.short_size_[k]; ++i) {
      float& weight = weights[p.short_[k] + i];
      weight = shrunk(weight - move * derivatives[p.list_label_[first + i]], step * shares_[at].l1,
                      step * shares_[at].l2);
    }
  }
}

}  // namespace coppice
