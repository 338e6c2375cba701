#include "coppice/text/bigrams.h"

#include <algorithm>
#include <numeric>

#include "coppice/base/error.h"

namespace coppice::text {

namespace {

constexpr std::size_t kMaxTokens = std::size_t{1} << 31;
constexpr std::uint32_t kEnd = 0xffffffff;  // of a sentence

std::uint64_t packed(WordId first, WordId second) {
  return static_cast<std::uint64_t>(first) << 32 | second;
}

bool fits_in_a_line(std::string_view word) {
  return word.find_first_of("\t\n\r") == std::string_view::npos;
}

}  // namespace

WordBigrams::Lists WordBigrams::lists_of(std::span<const std::uint64_t> pairs, std::size_t size) {
  Lists lists;
  lists.begin.assign(size + 1, 0);
  for (std::size_t i = 0; i < pairs.size();) {
    const std::uint64_t pair = pairs[i];
    const std::size_t begin = i;
    while (i < pairs.size() && pairs[i] == pair) ++i;
    lists.neighbours.push_back(
        {static_cast<WordId>(pair & 0xffffffff), static_cast<std::uint32_t>(i - begin)});
    ++lists.begin[(pair >> 32) + 1];
  }
  std::partial_sum(lists.begin.begin(), lists.begin.end(), lists.begin.begin());
  return lists;
}

void BigramCounter::add(std::span<const std::string_view> sentence) {
  if (sentence.empty()) return;
  require(text_.size() + sentence.size() < kMaxTokens, "raw text of more than ", kMaxTokens,
          " tokens");
  for (const std::string_view word : sentence) {
    const std::size_t symbol = index(symbols_.add(word));
    if (symbol == counts_.size()) counts_.push_back(0);
    ++counts_[symbol];
    text_.push_back(static_cast<std::uint32_t>(symbol));
  }
  text_.push_back(kEnd);
  ++num_sentences_;
}

// Fills in the words and their counts.
std::vector<WordId> BigramCounter::ids_of_symbols(WordBigrams& out, std::uint64_t min_count) const {
  std::vector<std::uint32_t> frequent;
  for (const SymbolId id : symbols_.ids()) {
    if (counts_[index(id)] >= min_count && fits_in_a_line(symbols_[id])) {
      frequent.push_back(static_cast<std::uint32_t>(id));
    }
  }
  std::sort(frequent.begin(), frequent.end(), [this](std::uint32_t a, std::uint32_t b) {
    if (counts_[a] != counts_[b]) return counts_[a] > counts_[b];
    return symbols_[SymbolId{a}] < symbols_[SymbolId{b}];
  });
  std::vector<WordId> ids(symbols_.size(), kRareWord);
  out.counts_ = {num_sentences_, num_tokens()};
  for (const std::uint32_t symbol : frequent) {
    ids[symbol] = static_cast<WordId>(out.counts_.size());
    out.words_.emplace_back(symbols_[SymbolId{symbol}]);
    out.counts_.push_back(counts_[symbol]);
    out.counts_[kRareWord] -= counts_[symbol];
  }
  return ids;
}

WordBigrams BigramCounter::bigrams(std::uint64_t min_count) const {
  WordBigrams out;
  const std::vector<WordId> ids = ids_of_symbols(out, min_count);
  std::vector<std::uint64_t> pairs;
  pairs.reserve(text_.size());
  WordId previous = kBoundaryWord;
  for (const std::uint32_t symbol : text_) {
    const WordId word = symbol == kEnd ? kBoundaryWord : ids[symbol];
    pairs.push_back(packed(previous, word));
    previous = word;
  }
  std::sort(pairs.begin(), pairs.end());
  out.after_ = WordBigrams::lists_of(pairs, out.size());
  for (std::uint64_t& pair : pairs) pair = pair << 32 | pair >> 32;
  std::sort(pairs.begin(), pairs.end());
  out.before_ = WordBigrams::lists_of(pairs, out.size());
  return out;
}

}  // namespace coppice::text
