// Rows of floats in vectors, for the dense kernels of chains: included once a target, between
// HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE by way of foreach_target. Rows are aligned and of
// row_stride(labels) floats; what is past the last label is padding.
#if defined(COPPICE_CHAIN_DENSE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COPPICE_CHAIN_DENSE_ROWS_INL_H
#undef COPPICE_CHAIN_DENSE_ROWS_INL_H
#else
#define COPPICE_CHAIN_DENSE_ROWS_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace coppice::chain::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 8>;
using Vector = hn::Vec<Tag>;

// out = x * matrix for kVectors vectors of columns; two rows at a time to hide the latency.
template <int kVectors>
HWY_INLINE void multiply_columns(const float* x, std::size_t n, const float* matrix,
                                 std::size_t stride, float* out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vector even[kVectors], odd[kVectors];
  for (int v = 0; v < kVectors; ++v) even[v] = odd[v] = hn::Zero(d);
  for (const float* end = x + n / 2 * 2; x != end; x += 2, matrix += 2 * stride) {
    const auto first = hn::Set(d, x[0]), second = hn::Set(d, x[1]);
    for (int v = 0; v < kVectors; ++v) {
      even[v] = hn::MulAdd(first, hn::Load(d, matrix + v * lanes), even[v]);
      odd[v] = hn::MulAdd(second, hn::Load(d, matrix + stride + v * lanes), odd[v]);
    }
  }
  if (n % 2 != 0) {
    const auto last = hn::Set(d, x[0]);
    for (int v = 0; v < kVectors; ++v) {
      even[v] = hn::MulAdd(last, hn::Load(d, matrix + v * lanes), even[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) hn::Store(hn::Add(even[v], odd[v]), d, out + v * lanes);
}

HWY_INLINE void multiply(const float* x, std::size_t n, const float* matrix, std::size_t stride,
                         float* out) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t left = stride / lanes;
  std::size_t column = 0;
  while (left > 0) {
    const std::size_t now = std::min<std::size_t>(left, 4);
    if (now == 4) multiply_columns<4>(x, n, matrix + column, stride, out + column);
    if (now == 3) multiply_columns<3>(x, n, matrix + column, stride, out + column);
    if (now == 2) multiply_columns<2>(x, n, matrix + column, stride, out + column);
    if (now == 1) multiply_columns<1>(x, n, matrix + column, stride, out + column);
    column += now * lanes;
    left -= now;
  }
}

// Of the vector at y, those that are not padding.
HWY_INLINE hn::Mask<Tag> are_labels(std::size_t y, std::size_t labels) {
  return hn::FirstN(Tag(), labels - std::min(y, labels));
}

// emission = exp(scores - their largest), padding 0; returns the largest.
HWY_INLINE float exponentiate(const float* scores, std::size_t labels, std::size_t stride,
                              float* emission) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  auto most = hn::Set(d, scores[0]);
  for (std::size_t y = 0; y < stride; y += lanes) {
    most = hn::IfThenElse(are_labels(y, labels), hn::Max(most, hn::Load(d, scores + y)), most);
  }
  const auto shift = hn::MaxOfLanes(d, most);
  for (std::size_t y = 0; y < stride; y += lanes) {
    const auto weight = hn::Exp(d, hn::Sub(hn::Load(d, scores + y), shift));
    hn::Store(hn::IfThenElseZero(are_labels(y, labels), weight), d, emission + y);
  }
  return hn::GetLane(shift);
}

// row *= factors; returns the sum.
HWY_INLINE float multiply_and_sum(float* row, const float* factors, std::size_t stride) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  for (std::size_t y = 0; y < stride; y += lanes) {
    const auto product = hn::Mul(hn::Load(d, row + y), hn::Load(d, factors + y));
    hn::Store(product, d, row + y);
    sum = hn::Add(sum, product);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

HWY_INLINE void scale_row(float* row, float factor, std::size_t stride) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor);
  for (std::size_t y = 0; y < stride; y += lanes) {
    hn::Store(hn::Mul(hn::Load(d, row + y), f), d, row + y);
  }
}

// pairs += forward^T * backward over the positions, four rows by up to kVectors vectors in
// registers.
template <int kVectors>
HWY_INLINE void add_pairs(const float* forward, const float* backward, std::size_t positions,
                          std::size_t stride, float* pairs) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vector sum[4][kVectors];
  for (int u = 0; u < 4; ++u) {
    for (int v = 0; v < kVectors; ++v) sum[u][v] = hn::Load(d, pairs + u * stride + v * lanes);
  }
  for (std::size_t t = 0; t < positions; ++t) {
    Vector right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::Load(d, backward + t * stride + v * lanes);
    for (int u = 0; u < 4; ++u) {
      const auto left = hn::Set(d, forward[t * stride + u]);
      for (int v = 0; v < kVectors; ++v) sum[u][v] = hn::MulAdd(left, right[v], sum[u][v]);
    }
  }
  for (int u = 0; u < 4; ++u) {
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[u][v], d, pairs + u * stride + v * lanes);
  }
}

// The pairs of neighbours of a sentence, of which there is at least one token.
// Rows past the last label belong to padding: the forward vectors are 0 there.
HWY_INLINE void pair_counts(std::size_t length, std::size_t labels, std::size_t stride,
                            const float* all_forward, const float* all_backward, float* pairs) {
  const std::size_t lanes = hn::Lanes(Tag());
  const std::size_t positions = length - 1;
  for (std::size_t u = 0; u < labels; u += 4) {
    for (std::size_t y = 0; y < stride;) {
      const float* forward = all_forward + u;
      const float* backward = all_backward + stride + y;
      float* out = pairs + u * stride + y;
      const std::size_t now = std::min<std::size_t>((stride - y) / lanes, 3);
      if (now == 3) add_pairs<3>(forward, backward, positions, stride, out);
      if (now == 2) add_pairs<2>(forward, backward, positions, stride, out);
      if (now == 1) add_pairs<1>(forward, backward, positions, stride, out);
      y += now * lanes;
    }
  }
}

// Rows that follow one another, `apart` floats from one to the next.
struct Rows {
  const float* data;
  std::size_t count, apart;
};

// out = rows * matrix for kRows rows, and kVectors vectors of columns, in registers.
template <int kRows, int kVectors>
HWY_INLINE void multiply_block(const float* rows, std::size_t apart, std::size_t n,
                               const float* matrix, std::size_t stride, float* out) {
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
      const auto left = hn::Set(d, rows[r * apart + u]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, out + r * stride + v * lanes);
  }
}

template <int kRows>
HWY_INLINE void multiply_some(const float* rows, std::size_t apart, std::size_t n,
                              const float* matrix, std::size_t stride, float* out) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::size_t y = 0; y < stride;) {
    const std::size_t now = std::min<std::size_t>((stride - y) / lanes, 3);
    if (now == 3) multiply_block<kRows, 3>(rows, apart, n, matrix + y, stride, out + y);
    if (now == 2) multiply_block<kRows, 2>(rows, apart, n, matrix + y, stride, out + y);
    if (now == 1) multiply_block<kRows, 1>(rows, apart, n, matrix + y, stride, out + y);
    y += now * lanes;
  }
}

// The same for all rows, with a matrix of n: it is read once for four.
HWY_INLINE void multiply_rows(Rows rows, std::size_t n, const float* matrix, std::size_t stride,
                              float* out) {
  const float* row = rows.data;
  std::size_t left = rows.count;
  for (; left >= 4; left -= 4, row += 4 * rows.apart, out += 4 * stride) {
    multiply_some<4>(row, rows.apart, n, matrix, stride, out);
  }
  if (left == 3) multiply_some<3>(row, rows.apart, n, matrix, stride, out);
  if (left == 2) multiply_some<2>(row, rows.apart, n, matrix, stride, out);
  if (left == 1) multiply_some<1>(row, rows.apart, n, matrix, stride, out);
}

// out += the sum of all rows, each times its factor, for kVectors vectors of columns; two rows at a
// time to hide the latency.
template <int kVectors>
HWY_INLINE void add_combined_columns(Rows rows, const float* factors, std::size_t apart,
                                     float* out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  Vector even[kVectors], odd[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    even[v] = hn::Load(d, out + v * lanes);
    odd[v] = hn::Zero(d);
  }
  const float* row = rows.data;
  std::size_t left = rows.count;
  for (; left >= 2; left -= 2, row += 2 * rows.apart, factors += 2 * apart) {
    const auto first = hn::Set(d, factors[0]), second = hn::Set(d, factors[apart]);
    for (int v = 0; v < kVectors; ++v) {
      even[v] = hn::MulAdd(first, hn::Load(d, row + v * lanes), even[v]);
      odd[v] = hn::MulAdd(second, hn::Load(d, row + rows.apart + v * lanes), odd[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    if (left == 1) {
      even[v] = hn::MulAdd(hn::Set(d, factors[0]), hn::Load(d, row + v * lanes), even[v]);
    }
    hn::Store(hn::Add(even[v], odd[v]), d, out + v * lanes);
  }
}

// The same for whole rows. Factors are `apart` floats from one to the next.
HWY_INLINE void add_combined(Rows rows, const float* factors, std::size_t apart, std::size_t stride,
                             float* out) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::size_t y = 0; y < stride;) {
    const std::size_t now = std::min<std::size_t>((stride - y) / lanes, 3);
    const Rows columns{rows.data + y, rows.count, rows.apart};
    if (now == 3) add_combined_columns<3>(columns, factors, apart, out + y);
    if (now == 2) add_combined_columns<2>(columns, factors, apart, out + y);
    if (now == 1) add_combined_columns<1>(columns, factors, apart, out + y);
    y += now * lanes;
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

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // COPPICE_CHAIN_DENSE_ROWS_INL_H
