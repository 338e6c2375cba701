// clang-format off: foreach_target includes this file again, once a target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "score/rows.cc"
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/highway.h>

#include "score/rows.h"

HWY_BEFORE_NAMESPACE();
namespace coppice::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 8>;

// kVectors vectors of every row, kept in registers.
template <int kVectors>
HWY_INLINE void sum_columns(const float* table, std::size_t stride,
                            std::span<const std::uint32_t> rows, std::span<const float> values,
                            float* out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t ahead = 8;  // entries to fetch ahead: rare rows lie outside the caches
  hn::Vec<Tag> sum[kVectors];
  for (auto& vector : sum) vector = hn::Zero(d);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + ahead < rows.size()) __builtin_prefetch(table + rows[i + ahead] * stride);
    const float* row = table + rows[i] * stride;
    if (values.empty()) {
      for (int v = 0; v < kVectors; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, row + v * lanes));
    } else {
      const auto scale = hn::Set(d, values[i]);
      for (int v = 0; v < kVectors; ++v) {
        sum[v] = hn::MulAdd(scale, hn::Load(d, row + v * lanes), sum[v]);
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) hn::Store(sum[v], d, out + v * lanes);
}

void sum_all_rows(const float* table, std::size_t stride, std::span<const std::uint32_t> rows,
                  std::span<const float> values, float* out) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t left = stride / lanes;
  while (left > 0) {
    const std::size_t now = left < 4 ? left : 4;
    if (now == 4) sum_columns<4>(table, stride, rows, values, out);
    if (now == 3) sum_columns<3>(table, stride, rows, values, out);
    if (now == 2) sum_columns<2>(table, stride, rows, values, out);
    if (now == 1) sum_columns<1>(table, stride, rows, values, out);
    table += now * lanes;
    out += now * lanes;
    left -= now;
  }
}

}  // namespace coppice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice {

HWY_EXPORT(sum_all_rows);

void sum_rows(const float* table, std::size_t stride, std::span<const std::uint32_t> rows,
              std::span<const float> values, float* out) {
  HWY_DYNAMIC_DISPATCH(sum_all_rows)(table, stride, rows, values, out);
}

}  // namespace coppice
#endif
