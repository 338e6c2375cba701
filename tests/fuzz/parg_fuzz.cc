// Any bytes are PARG or a ParseError; what is read can be written.
#include <sstream>

#include "coppice/base/error.h"
#include "coppice/text/parg.h"
#include "fuzz/property.h"

using namespace coppice::text;  // NOLINT(google-build-using-namespace)
using namespace coppice;        // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    PargReader reader(LineReader::over(text, "fuzz"));
    for (PargSentence sentence; reader.next(sentence);) {
      std::ostringstream out, deps;
      write_parg(out, sentence);
      write_deps(deps, sentence);
      PargReader again(LineReader::over(out.str(), "again"));
      PargSentence copy;
      const bool is_read = again.next(copy);
      copy.line = sentence.line;
      coppice::testing::fuzz_require(is_read && copy == sentence, "what is written is read again");
    }
  } catch (const Error&) {
  }
  return 0;
}
