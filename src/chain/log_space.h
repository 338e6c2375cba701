// Forward-backward in double and log space: slow, and safe for scores of any size. The kernels fall
// back on it, and the tests hold them to it.
#pragma once

#include <cstddef>

#include "chain/kernel.h"

namespace coppice::chain {

double log_space_partition(const float* scores, std::size_t length, const Transitions& transitions);

// As marginals() in kernel.h.
double log_space_marginals(float* scores, std::size_t length, const Transitions& transitions,
                           float* pairs);

}  // namespace coppice::chain
