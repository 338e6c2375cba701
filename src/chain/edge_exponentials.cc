// clang-format off: foreach_target includes this file again, once a target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chain/edge_exponentials.cc"
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

#include "chain/edge_exponentials.h"

HWY_BEFORE_NAMESPACE();
namespace coppice::chain::HWY_NAMESPACE {

void exponentiate_edges(const float* scores, std::size_t count, float shift, double* weights) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<double, 4> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  const auto shifts = hn::Set(narrow, shift);
  const auto exponentiate = [&](const float* from, double* to) {
    const auto difference = hn::Sub(hn::LoadU(narrow, from), shifts);
    hn::StoreU(hn::Exp(d, hn::PromoteTo(d, difference)), d, to);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) exponentiate(scores + i, weights + i);
  if (i == count) return;
  float rest[4];  // the last few, filled up
  double found[4];
  std::fill_n(rest, 4, shift);
  std::copy(scores + i, scores + count, rest);
  exponentiate(rest, found);
  std::copy(found, found + (count - i), weights + i);
}

}  // namespace coppice::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::chain {

namespace {
HWY_EXPORT(exponentiate_edges);
}  // namespace

void edge_exponentials(const float* scores, std::size_t count, float shift, double* weights) {
  HWY_DYNAMIC_DISPATCH(exponentiate_edges)(scores, count, shift, weights);
}

}  // namespace coppice::chain
#endif
