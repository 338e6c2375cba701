// Models with broken bytes: refused when a checksum does not fit, and harmless when a forger has
// made it fit.
#include <gtest/gtest.h>

#include "coppice/lm/perplexity.h"
#include "lm/small_text.h"
#include "support/model_bytes.h"

namespace coppice::lm {
namespace {

using namespace testing;

std::string small_model(Storage storage) {
  Random random(2);
  return bytes_of(binary_model(estimate_of(random_text(random), {.order = 3}).ngrams, storage));
}

TEST(LmDamage, BytesThatChangedAreRefused) {
  for (const Storage storage : {Storage::kHash, Storage::kTrie}) {
    const std::string good = small_model(storage);
    for (std::size_t at = 0; at < good.size(); at += 7) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 0x10);
      EXPECT_THROW(opened(bad), ModelError) << at;
    }
    for (std::size_t size = 0; size < good.size(); size += 13)
      EXPECT_THROW(opened(good.substr(0, size)), ModelError) << size;
  }
}

TEST(LmDamage, ForgedBytesDoNoHarm) {
  std::size_t survived = 0;
  for (const Storage storage : {Storage::kHash, Storage::kTrie}) {
    const std::string good = small_model(storage);
    Random random(4);
    for (int i = 0; i < 3000; ++i) {
      std::string bad = good;
      bad[random.below(bad.size())] = static_cast<char>(random.below(256));
      try {
        const Model model = opened(coppice::testing::resealed(bad));
        SentenceScorer scorer(model);
        scorer.begin();
        for (const char* word : {"a", "b", "a", "c", "b", "b"}) scorer.word(word);
        scorer.end();
        ++survived;
        model.ngrams();
      } catch (const ModelError&) {
      }
    }
  }
  EXPECT_GT(survived, 100U) << "weights may be anything";
}

}  // namespace
}  // namespace coppice::lm
