#include "coppice/learn/engine.h"

#include <cmath>

#include "coppice/base/error.h"

namespace coppice::learn {

std::string describe(const SplitStatistics& statistics) {
  if (statistics.splits == 0) return {};
  return concat(std::round(100 * statistics.average_splits()) / 100, " splits a state on average, ",
                statistics.largest_splits, " at the most; at most ", statistics.largest_cut,
                " of a sentence's mass cut");
}

void Engine::refuse_partial(std::string_view example, std::string_view all) {
  throw InvalidArgument(concat(example, " is annotated in part; a loss needs ", all),
                        {.code = "E313"});
}

}  // namespace coppice::learn
