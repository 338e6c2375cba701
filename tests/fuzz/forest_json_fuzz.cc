// Any bytes: JSON lines are refused with ParseError, or read, written and read again as the same.
#include <sstream>
#include <string_view>

#include "coppice/forest/draw.h"
#include "coppice/forest/json.h"
#include "fuzz/property.h"

namespace {

std::string to_json(const coppice::ForestRecord& record) {
  std::ostringstream out;
  coppice::write_forest_json(out, record);
  return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using coppice::testing::fuzz_require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const coppice::ForestRecord record = coppice::parse_forest_json(text);
    const std::string written = to_json(record);
    const coppice::ForestRecord again = coppice::parse_forest_json(written);
    fuzz_require(again == record, "what is written is read as the same record");
    fuzz_require(to_json(again) == written, "what is read is written as the same text");
    fuzz_require(!coppice::to_svg(record, {.max_nodes = 20}).empty(), "what is read is drawn");
    fuzz_require(!coppice::to_dot(record, {.max_nodes = 20}).empty(), "what is read is drawn");
  } catch (const coppice::ParseError& error) {
    fuzz_require(!error.code().empty(), "an error has a code");
  }
  return 0;
}
