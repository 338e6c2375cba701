// Training n-gram language models: interpolated modified Kneser-Ney smoothing (Chen and Goodman
// 1998), by sorting and merging n-grams on disk under a limit of memory (Heafield et al. 2013).
//
//     Training training({.order = 4});
//     auto reader = text::open_sentences("news.txt");
//     training.read(*reader);
//     const Estimate estimate = training.estimate(threads);
//     binary_model(estimate.ngrams, Storage::kTrie).writer.write("news.lm", ...);
//
// p(w | h) with the discounts D of discounts.h, a(x) the count of x where x has the full length or
// begins with <s>, and otherwise the number of distinct words seen before x:
//
//     p(w | h)  =  (a(hw) - D(a(hw))) / A(h)  +  b(h) p(w | h')      A(h) = sum over x of a(hx)
//
// h' is h without its first word; b(h) is what makes the sum over w one; the shortest distribution
// is mixed with the uniform one over all words, </s> and <unk> among them. So <unk>, which the text
// does not have, gets what any unseen word gets.
//
// The text is plain sentences: each is scored as its words and </s> after <s>. The result depends
// neither on the memory allowed nor on the number of threads.
//
// Memory: Workspace::memory for n-grams; besides, the words' text and four bytes for each word and
// length. Cost: a radix sort of the text's n-grams, then two of the distinct ones of each length.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/progress.h"
#include "coppice/base/symbols.h"
#include "coppice/base/threads.h"
#include "coppice/lm/discounts.h"
#include "coppice/lm/ngrams.h"
#include "coppice/text/reader.h"

namespace coppice::lm {

struct TrainingOptions {
  unsigned order = 5;
  // N-grams of length n whose count is at most prune[n - 1] are left out; the last number is for
  // all lengths from its own on, none means that all are kept. The first must be 0 and none may be
  // below the one before it: what a longer n-gram is made of must stay.
  std::vector<std::uint64_t> prune{};
  Workspace workspace{};
};

struct LengthReport {
  std::uint64_t ngrams = 0;  // distinct ones in the text
  std::uint64_t kept = 0;    // in the model; of length 1, with <unk> and <s>
  Discounts discounts{};
};

struct Estimate {
  Ngrams ngrams;
  std::vector<LengthReport> lengths;  // [n - 1] for length n
};

class Training {
 public:
  // Throws InvalidArgument for an order of 0 or above kMaxOrder, or thresholds as said above.
  explicit Training(const TrainingOptions& options);
  ~Training();
  Training(Training&&) noexcept;
  Training& operator=(Training&&) noexcept;

  // Counts the words of all sentences. Throws ParseError: E290 for <s>, </s> or <unk> in the text,
  // E146 for sentences without words; what the reader throws; IoError.
  void read(text::SentenceReader& reader);

  // The same for one sentence. Throws InvalidArgument for the words above.
  void add(std::span<const std::string_view> sentence);

  const TrainingOptions& options() const noexcept;
  std::uint64_t num_sentences() const noexcept;
  std::uint64_t num_words() const noexcept;  // without </s>
  // Of the sentences so far, in 16 hexadecimal digits; the files that they came in do not count.
  std::string digest() const;

  // Once, after all of the text. Throws InvalidArgument when there was no sentence.
  Estimate estimate(const Threads& threads, Progress& progress = no_progress());

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::lm
