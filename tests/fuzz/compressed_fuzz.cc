// Any bytes are decompressed or refused, and the pieces in which they arrive make no difference.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/decompression.h"
#include "coppice/base/error.h"
#include "fuzz/property.h"
#include "support/memory_source.h"

namespace {

using coppice::detail::open_input;
using coppice::testing::MemorySource;

constexpr std::size_t kMostOutput = 1 << 18;  // enough of a bomb

// The first bytes that come out, and how they end.
std::string unpacked(std::string_view text, std::size_t piece, std::size_t room) {
  const auto input = open_input(std::make_unique<MemorySource>(text, piece), "fuzz");
  std::string all;
  std::string buffer(room, '\0');
  try {
    while (all.size() < kMostOutput) {
      const std::size_t got =
          input.bytes->read(buffer.data(), std::min(room, kMostOutput - all.size()));
      if (got == 0) return all + "[end]";
      all.append(buffer, 0, got);
    }
  } catch (const coppice::ParseError& error) {
    coppice::testing::fuzz_require(error.code() == "E216", "damage has its code");
    return all + "[damaged]";
  }
  return all + "[more]";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = unpacked(text, std::max<std::size_t>(size, 1), kMostOutput);
  // Less may come out before the damage when there is less room, never something else.
  const std::string pieces = unpacked(text, 1 + size / 7, 1000);
  const bool same =
      whole == pieces || (whole.ends_with("[damaged]") && pieces.ends_with("[damaged]"));
  coppice::testing::fuzz_require(same, "pieces make no difference");
  return 0;
}
