// The penalty on weights, in the same words for every optimiser:
//
//     penalty(w) = sum over i of  scale[i] * (l1 * |w[i]| + l2 * w[i]^2)
//
// (no factor 1/2: l2 is CRFsuite's c2 and l1 its c1; a Gaussian prior of variance v is
// l2 = 1 / (2 v)). A weight of scale 0 is free.
#pragma once

#include <vector>

namespace coppice::learn {

struct Penalty {
  double l1 = 0;
  double l2 = 0;
  std::vector<float> scale{};  // one for each weight, or empty: 1 for all

  bool operator==(const Penalty&) const = default;
};

}  // namespace coppice::learn
