// Any bytes are an ARPA file or a ParseError; what is read is written as text that reads the same,
// and both storages answer alike.
#include <sstream>
#include <string>

#include "coppice/base/error.h"
#include "coppice/lm/arpa.h"
#include "coppice/lm/model.h"
#include "fuzz/property.h"

namespace {

using namespace coppice::lm;
using coppice::testing::fuzz_require;

std::string arpa_text(const Ngrams& ngrams) {
  std::ostringstream out;
  write_arpa(ngrams, out);
  return std::move(out).str();
}

Model model_in_memory(const Ngrams& ngrams, Storage storage) {
  std::ostringstream out;
  binary_model(ngrams, storage).writer.write(out);
  const std::string bytes = std::move(out).str();
  return Model(coppice::ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Ngrams ngrams = read_arpa(coppice::LineReader::over(text, "fuzz"));
    const std::string written = arpa_text(ngrams);
    const Ngrams again = read_arpa(coppice::LineReader::over(written, "again"));
    fuzz_require(arpa_text(again) == written, "what is written is read as the same");
    const Model hash = model_in_memory(ngrams, Storage::kHash);
    const Model trie = model_in_memory(ngrams, Storage::kTrie);
    State in_hash = hash.sentence_begin();
    State in_trie = trie.sentence_begin();
    for (std::uint32_t i = 0; i < 3 * hash.vocabulary().size() && i < 100; ++i) {
      const WordId word{static_cast<std::uint32_t>(i * 7 % hash.vocabulary().size())};
      const Score a = hash.score(in_hash, word, in_hash);
      const Score b = trie.score(in_trie, word, in_trie);
      fuzz_require(a.log10_prob == b.log10_prob && in_hash == in_trie, "hash and trie agree");
    }
  } catch (const coppice::ParseError& error) {
    fuzz_require(!error.code().empty(), "an error has a code");
  }
  return 0;
}
