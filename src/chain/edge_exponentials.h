// Exponentials of a token's pair scores, in vectors.
#pragma once

#include <cstddef>

namespace coppice::chain {

// weights[i] = exp(scores[i] - shift), 0 for a score of -inf. Requires a finite shift.
void edge_exponentials(const float* scores, std::size_t count, float shift, double* weights);

}  // namespace coppice::chain
