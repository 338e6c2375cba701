#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "coppice/lm/arpa.h"

namespace coppice::lm {

namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

void append_shortest(float number, std::string& text) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

void append_arpa_line(const WeightedNgram& ngram, unsigned length, const Symbols& words,
                      std::string& text) {
  append_shortest(ngram.log10_prob, text);
  for (unsigned i = length; i-- > 0;) {
    text += i + 1 == length ? '\t' : ' ';
    text += words[static_cast<SymbolId>(ngram.words[i])];
  }
  if (extends_right(ngram.backoff)) {
    text += '\t';
    append_shortest(ngram.backoff, text);
  }
  text += '\n';
}

}  // namespace

void write_arpa(const Ngrams& ngrams, std::ostream& out) {
  out << "\\data\\\n";
  for (unsigned length = 1; length <= ngrams.order(); ++length)
    out << "ngram " << length << '=' << ngrams.count(length) - ngrams.num_blanks(length) << '\n';
  std::string text;
  for (unsigned length = 1; length <= ngrams.order(); ++length) {
    text += "\n\\" + std::to_string(length) + "-grams:\n";
    Ngrams::Reader reader = ngrams.read(length);
    for (WeightedNgram ngram{}; reader.next(ngram);) {
      if (!std::isnan(ngram.log10_prob)) append_arpa_line(ngram, length, ngrams.words(), text);
      if (text.size() < kFlushBytes) continue;
      out << text;
      text.clear();
    }
  }
  out << text << "\n\\end\\\n";
}

}  // namespace coppice::lm
