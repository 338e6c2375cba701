// Any bytes are a list of strings or damaged; a list is coded and read back as it is.
#include <string>
#include <string_view>
#include <vector>

#include "base/front_coding.h"
#include "fuzz/property.h"

namespace {

using coppice::testing::fuzz_require;

std::vector<std::string> decoded(coppice::FrontDecoder& decoder) {
  std::vector<std::string> texts;
  while (decoder.next()) texts.emplace_back(decoder.text());
  return texts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  coppice::FrontDecoder decoder({reinterpret_cast<const char*>(data), size});
  const std::vector<std::string> texts = decoded(decoder);
  coppice::FrontCoder coder;
  for (const std::string& text : texts) coder.add(text);
  coppice::FrontDecoder again(coder.bytes());
  fuzz_require(decoded(again) == texts && !again.is_damaged(), "a list comes back as it was");
  fuzz_require(decoder.is_damaged() || coder.bytes().size() <= size,
               "front coding is as small as it can be");
  return 0;
}
