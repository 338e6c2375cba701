// Any bytes are a mark-up file with good and bad entries.
#include <cstdint>
#include <string_view>

#include "coppice/ccg/markup.h"
#include "fuzz/property.h"

using namespace coppice::ccg;  // NOLINT(google-build-using-namespace)
using namespace coppice;       // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Forms forms;
  const Markup markup =
      parse_markup(forms, text, "fuzz", {.on_error = coppice::text::OnError::kSkip});
  for (const Supertag& tag : markup.entries()) {
    const Supertag* found = markup.find(tag.category);
    coppice::testing::fuzz_require(found != nullptr && *found == tag, "an entry is found again");
  }
  return 0;
}
