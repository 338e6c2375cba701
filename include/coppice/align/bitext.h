// Bitext: two files of tokenised sentences, line k of one being the translation of line k of the
// other. Words are separated by blanks.
//
// Faults throw ParseError with file and line: E202 not UTF-8, E205 NUL byte, E281 a sentence
// without words, E282 a sentence longer than the limit, E283 files of different numbers of lines.
// With OnBadPair::kSkip, pairs with one of the first four are listed, counted and left without
// words, so that the lines of what is written still belong to those of what was read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/base/progress.h"
#include "coppice/base/symbols.h"

namespace coppice::align {

enum class OnBadPair { kStop, kSkip };

// The time of a pair grows with the product of its lengths or faster.
inline constexpr std::size_t kMaxSentenceLength = 2000;

struct BitextOptions {
  std::size_t max_length = 250;  // words; at most kMaxSentenceLength
  OnBadPair on_bad_pair = OnBadPair::kStop;
  std::size_t max_problems = 100;  // how many are listed; all are counted
};

// The words of two sentences; empty when the pair was skipped.
struct SentencePair {
  std::vector<std::string_view> source;
  std::vector<std::string_view> target;

  bool empty() const noexcept { return source.empty(); }
};

class BitextReader {
 public:
  // Throws InvalidArgument when options.max_length is 0 or above kMaxSentenceLength.
  BitextReader(LineReader source, LineReader target, const BitextOptions& options = {});

  // Reads the next pair, whose words are valid until the next call; false at the end.
  bool next(SentencePair& pair);

  std::size_t num_pairs() const noexcept { return num_pairs_; }
  std::size_t num_skipped() const noexcept { return num_skipped_; }
  const std::vector<ParseError>& problems() const noexcept { return problems_; }
  const LineReader& source() const noexcept { return source_; }
  const LineReader& target() const noexcept { return target_; }

 private:
  void split(std::string_view line, const LineReader& lines, std::vector<std::string_view>& words);

  LineReader source_, target_;
  BitextOptions options_;
  std::size_t num_pairs_ = 0;
  std::size_t num_skipped_ = 0;
  std::vector<ParseError> problems_;
};

// One language of a bitext, as numbers.
struct BitextSide {
  Symbols words;
  std::vector<std::uint32_t> tokens;  // of all sentences, end to end
  std::vector<std::size_t> begin{0};  // sentence k is [begin[k], begin[k + 1])

  std::size_t size() const noexcept { return begin.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t k) const noexcept {
    return std::span(tokens).subspan(begin[k], begin[k + 1] - begin[k]);
  }
  std::size_t longest() const noexcept;

  void add(std::span<const std::string_view> sentence);
};

struct Bitext {
  BitextSide source, target;

  std::size_t size() const noexcept { return source.size(); }
};

// Reads to the end. Throws ParseError (E284) when there is no pair with words, and as BitextReader.
Bitext read_bitext(BitextReader& reader, Progress& progress = no_progress());

}  // namespace coppice::align
