#include "fuzz/reader_fuzz.h"

using namespace coppice::text;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require_round_trip(text, {.format = Format::kConllu, .policy = {.on_error = OnError::kSkip}}, 3);
  return 0;
}
