// Any bytes with checksums that fit them: a model is refused, or answers and lists its n-grams.
#include <string>

#include "coppice/base/error.h"
#include "coppice/lm/model.h"
#include "fuzz/property.h"
#include "support/model_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice::lm;
  const std::string bytes = coppice::testing::resealed({reinterpret_cast<const char*>(data), size});
  try {
    const Model model(coppice::ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
    State state = model.sentence_begin();
    for (WordId word : model.vocabulary().ids()) {
      const Score score = model.score(state, word, state);
      coppice::testing::fuzz_require(state.length < kMaxOrder, "a state has room for its words");
      if (score.extends_left && score.length < model.order())
        model.extend_left(score.ngram, score.length, std::span(state.words).first(state.length),
                          std::span(state.backoffs).first(state.length));
      model.vocabulary().find(model.vocabulary()[word]);
    }
    model.ngrams();
  } catch (const coppice::ModelError& error) {
    coppice::testing::fuzz_require(!error.code().empty(), "an error has a code");
  }
  return 0;
}
