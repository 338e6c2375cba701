// Precision, recall and F1 of labelled spans (chunks, entities, slots) read off token labels.
//
// A label is a prefix, a '-' and a type ("B-NP"); "O" is outside. How labels become spans decides
// the score, so there are two ways, and a report names the one it used:
//
// kConlleval   As the CoNLL shared tasks' script: forgiving. A span begins at B, at I after O, and
//              wherever the type changes; it ends before such a place, before O, and with the
//              sentence. E and S (L and U) end a span and S (U) is one, as in seqeval.
// kStrict      Only what the scheme allows is a span:  IOB2 B I*;  BIOES B I* E or S;  BILOU B I* L
//              or U;  IOB1 I I*, where a span that touches one of the same type begins with B.
//              Other sequences are no span at all.
//
// A predicted span is correct when a gold span has the same bounds and type. Every ratio with an
// empty denominator is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/spans.h"

namespace coppice::eval {

enum class Match : std::uint8_t { kConlleval, kStrict };
using text::Scheme;

// "conlleval", "strict"; "iob1", "iob2", "bioes", "bilou", "raw": as in options and signatures.
std::string_view name(Match match) noexcept;
std::string_view name(Scheme scheme) noexcept;

// Tokens [begin, end) of a sentence. `type` points into the label it was read from.
struct LabelledSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view type;

  bool operator==(const LabelledSpan&) const = default;
};

// The spans of a sentence, from left to right. `scheme` matters to kStrict only; raw labels have no
// strict spans.
std::vector<LabelledSpan> spans_of(std::span<const std::string_view> labels, Match match,
                                   Scheme scheme);

struct Counts {
  std::uint64_t gold = 0;
  std::uint64_t predicted = 0;
  std::uint64_t correct = 0;  // true positives

  std::uint64_t false_positives() const noexcept { return predicted - correct; }
  std::uint64_t false_negatives() const noexcept { return gold - correct; }
  double precision() const noexcept;
  double recall() const noexcept;
  double f1() const noexcept;

  Counts& operator+=(const Counts& other) noexcept;
  bool operator==(const Counts&) const = default;
};

struct Averages {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

// Adds up sentences.
class SpanScorer {
 public:
  explicit SpanScorer(Match match = Match::kConlleval, Scheme scheme = Scheme::kIob2) noexcept
      : match_(match), scheme_(scheme) {}

  // Returns the counts of this sentence alone (what resampling needs). Throws InvalidArgument when
  // the two differ in length.
  Counts add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted);

  const Counts& total() const noexcept { return total_; }  // its ratios are the micro averages
  const std::map<std::string, Counts, std::less<>>& by_type() const noexcept { return by_type_; }

  // Mean over the types that occur in gold or predicted spans.
  Averages macro() const noexcept;

  std::uint64_t tokens() const noexcept { return tokens_; }
  std::uint64_t correct_tokens() const noexcept { return correct_tokens_; }
  double token_accuracy() const noexcept;

 private:
  Counts& of_type(std::string_view type);

  Match match_;
  Scheme scheme_;
  Counts total_;
  std::map<std::string, Counts, std::less<>> by_type_;
  std::uint64_t tokens_ = 0;
  std::uint64_t correct_tokens_ = 0;
};

}  // namespace coppice::eval
