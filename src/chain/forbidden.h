// Minus infinity, by what it stands for.
#pragma once

#include <limits>

namespace coppice::chain {

// The score of a label or a pair of labels that a constraint rules out.
constexpr float kForbidden = -std::numeric_limits<float>::infinity();

// The logarithm of the sum over no sequences.
constexpr double kLogZero = -std::numeric_limits<double>::infinity();

}  // namespace coppice::chain
