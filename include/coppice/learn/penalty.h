// The penalty on weights, in the same words for every optimiser:
//
//     penalty(w) = sum over i of  l1 * l1_scale[i] * |w[i]|  +  l2 * l2_scale[i] * w[i]^2
//
// (no factor 1/2: l2 is CRFsuite's c2 and l1 its c1; a Gaussian prior of variance v is
// l2 = 1 / (2 v)). A weight of scales 0 is free.
#pragma once

#include <vector>

namespace coppice::learn {

struct Penalty {
  double l1 = 0;
  double l2 = 0;
  std::vector<float> l1_scale{};  // one for each weight, or empty: 1 for all
  std::vector<float> l2_scale{};

  bool operator==(const Penalty&) const = default;
};

}  // namespace coppice::learn
