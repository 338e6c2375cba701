#pragma once
#include <limits>

namespace coppice::chain {

/// The score of what a constraint rules out; it stays what it is under addition.
constexpr float kForbidden = -std::numeric_limits<float>::infinity();

}  // namespace coppice::chain
