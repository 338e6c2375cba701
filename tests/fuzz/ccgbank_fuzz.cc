// Any bytes are derivations or faults; what is read keeps its bytes, and can be derived.
#include <sstream>

#include "coppice/ccg/derivation.h"
#include "fuzz/reader_fuzz.h"

using namespace coppice::text;  // NOLINT(google-build-using-namespace)
using namespace coppice;        // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CcgbankReader reader(LineReader::over(text, "fuzz"), {.on_error = OnError::kSkip});
  std::string raw;
  std::size_t sum = 0;
  ccg::Forms forms;
  ccg::Deriver deriver(forms, ccg::default_rules(forms.categories()));
  for (Sentence sentence; reader.next(sentence);) {
    raw += sentence.raw();
    sum += look_at(sentence);
    try {
      const ccg::Derivation derivation = deriver.derive(sentence, reader.derivation());
      std::ostringstream out;
      write_parg(out, ccg::parg_of(sentence, derivation, forms.categories()));
      PargReader again(LineReader::over(out.str(), "parg"));
      PargSentence parg;
      const bool is_read = again.next(parg);
      coppice::testing::fuzz_require(is_read, "dependencies of a derivation are PARG");
    } catch (const ParseError&) {
    }
  }
  const bool was_clean = reader.counts().problems == 0;
  raw += reader.trailing();
  coppice::testing::fuzz_require(!was_clean || raw == text, "what is read is kept byte for byte");
  coppice::testing::fuzz_require(sum != static_cast<std::size_t>(-1), "cells can be looked at");
  return 0;
}
