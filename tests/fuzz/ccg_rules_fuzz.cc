// Any bytes are a rule list or a ParseError; its unary rules can be applied.
#include <cstdint>
#include <string_view>

#include "coppice/base/error.h"
#include "coppice/ccg/combination.h"
#include "fuzz/property.h"

using namespace coppice::ccg;  // NOLINT(google-build-using-namespace)
using namespace coppice;       // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Forms forms;
    const Rules rules = parse_rules(forms, text, "fuzz");
    Combiner combiner(forms, rules);
    for (const UnaryRule& rule : rules.unary)
      combiner.combine(forms.add(rule.child, rule.child_variables));
  } catch (const Error&) {
  }
  return 0;
}
