// Any bytes are a co-indexed category or an error; what is read prints as itself.
#include <string>

#include "coppice/base/error.h"
#include "coppice/ccg/combination.h"
#include "fuzz/property.h"

using namespace coppice::ccg;  // NOLINT(google-build-using-namespace)
using namespace coppice;       // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Forms forms;
    const Supertag tag = forms.parse_supertag(text);
    const std::string printed = forms.text(tag.form);
    coppice::testing::fuzz_require(forms.parse(printed) == tag.form, "a form prints as itself");
    const CategoryId category = forms.category(tag.form);
    const std::string bare = forms.categories().text(category);
    coppice::testing::fuzz_require(forms.categories().parse(bare) == category,
                                   "a category prints as itself");
    coppice::testing::fuzz_require(forms.categories().unify(category, category).has_value(),
                                   "a category unifies with itself");
    const Rules rules = default_rules(forms.categories());
    Combiner combiner(forms, rules, {.composition_limits = false, .tolerant = true});
    combiner.combine(tag.form, tag.form);
  } catch (const Error&) {
  }
  return 0;
}
