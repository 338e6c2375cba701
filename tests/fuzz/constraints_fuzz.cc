// Any text is a list of rules or a ParseError; rules leave the constraints whole.
#include <string>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/chain/constraints.h"
#include "fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using coppice::testing::fuzz_require;
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> labels{"O", "B-X", "I-X", "*"};
  coppice::chain::Constraints constraints;
  try {
    coppice::chain::ConstraintRules::parse(text, "<fuzz>").apply(labels, constraints);
  } catch (const coppice::ParseError& error) {
    fuzz_require(error.where().line > 0, "an error has its line");
  }
  const std::size_t n = labels.size();
  fuzz_require(constraints.pairs.empty() || constraints.pairs.size() == n * n, "pairs are whole");
  fuzz_require(constraints.first.empty() || constraints.first.size() == n, "beginnings are whole");
  fuzz_require(constraints.last.empty() || constraints.last.size() == n, "ends are whole");
  return 0;
}
