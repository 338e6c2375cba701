// Any bytes are a grammar or a ParseError; a grammar can be checked, printed and parsed with.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/span/grammar.h"
#include "coppice/span/parse.h"

namespace {

// A few words of the grammar itself, in the order in which they were met.
std::vector<std::string> some_words(const coppice::span::Grammar& grammar) {
  std::vector<std::string> words;
  for (coppice::span::SymbolId symbol : grammar.symbols()) {
    if (grammar.is_word(symbol) && words.size() < 6) words.push_back(grammar.name(symbol));
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice::span;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Grammar grammar = parse_grammar(text);
    check(grammar);
    for (RuleId rule : grammar.rules()) to_string(grammar, rule);
    const std::vector<std::string> words = some_words(grammar);
    parse(grammar, words, {.unary_cycles = UnaryCycles::kVisitOnce, .max_edges = 10'000});
  } catch (const coppice::Error&) {
  }
  return 0;
}
