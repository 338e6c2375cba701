// The combinators on forms, one pair at a time: what Combiner computes once and keeps.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "coppice/ccg/combination.h"

namespace coppice::ccg {

// Appends every combination of the pair, whatever the marks of items.
void combine_pair(Forms& forms, const Rules& rules, const CombinatorOptions& options,
                  std::pair<FormId, FormId> pair, std::vector<Combination>& found);

// A unary rule without a comma; none when it does not fit the child.
std::optional<Combination> combine_unary(Forms& forms, const UnaryRule& rule, FormId child);

}  // namespace coppice::ccg
