#include "fuzz/reader_fuzz.h"

using namespace coppice::text;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bool was_clean = false;
  read_and_rewrite(text, {.format = Format::kJsonl, .policy = {.on_error = OnError::kSkip}}, 1,
                   was_clean);
  return 0;
}
