// Any text is a cost matrix or a ParseError, and any text is costs or an InvalidArgument.
#include <string_view>

#include "coppice/base/error.h"
#include "coppice/learn/training_objective.h"
#include "fuzz/property.h"

namespace {

using coppice::testing::fuzz_require;
using namespace coppice::learn;  // NOLINT(google-build-using-namespace)

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const LabelCost& entry : parse_cost_matrix(text, "costs")) {
      fuzz_require(entry.cost >= 0 && !entry.gold.empty() && !entry.answer.empty(),
                   "an entry has two labels and a cost");
    }
  } catch (const coppice::ParseError&) {
  }
  try {
    for (const ItemCost& cost : parse_costs(text)) {
      fuzz_require(cost.costs.false_negative >= 0 && cost.costs.false_positive >= 0,
                   "costs are not negative");
    }
  } catch (const coppice::InvalidArgument&) {
  }
  return 0;
}
