// How annealed risk cools: the temperature T falls to 0, then the scale gamma rises.
//
// At stage k = 0, 1, 2 ... the objective is  R - T_k H  under p proportional to e^{gamma_k s}:
//
//     T_k = temperature * cooling^k        while that is at least `least_temperature`, then 0
//     gamma_k = 1                          while T_k > 0, then `sharpening` to the number of stages
//                                          since, up to `largest_scale`
//
// so that a smooth problem turns by and by into the risk, and that into the loss of the best
// answer (Smith and Eisner 2006). The last stage is the first one whose successor is the same.
#pragma once

#include <cstddef>

#include "coppice/forest/risk.h"

namespace coppice::learn {

struct AnnealingSchedule {
  double temperature = 1;  // at least 0; 0 begins with the risk itself
  double cooling = 0.5;    // in (0, 1)
  double least_temperature = 0.05;
  double sharpening = 2;  // above 1
  double largest_scale = 1;

  // Throws InvalidArgument for numbers out of the ranges above.
  void check() const;
  std::size_t num_stages() const;
  // Beyond the last stage nothing changes any more.
  AnnealedRiskOptions stage(std::size_t k) const;
};

}  // namespace coppice::learn
