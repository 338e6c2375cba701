// Scores of constituency trees: labelled brackets right and wrong (PARSEVAL), as the program EVALB
// counts them under the parameters of COLLINS.prm, and as it would without losing sentences.
//
// What counts: every phrase is a bracket (label, first word, last word), unary chains several.
// Words whose tag is deleted (, : `` '' . -NONE-) do not count, so that brackets that differ by
// punctuation at an edge are the same; a phrase that is left without words does not count, nor one
// whose label is TOP or one of those tags. Labels are cut at '-' and '=', PRT is ADVP. A predicted
// bracket is right when a gold bracket is equal that no other one has been matched with.
//
// score_strict does what EVALB does. The words to delete are found in each tree by its own tags;
// where then the numbers of words differ, quotes that only one tree deletes come back (as EVALB's
// fix_quote has it); where numbers or words still differ, the sentence is an error, and one whose
// predicted tree has no words is skipped. Neither counts. A root called ROOT or S1 is a
// bracket like others; one without label is taken for TOP (EVALB would count it).
//
// score_total counts every sentence. The gold tree's tags say which words go from both trees, the
// root does not count whatever its name, and a prediction that has no words or other words than
// the gold tree is unparsed: it has no brackets.
//
// Black et al. (1991), "A procedure for quantitatively comparing the syntactic coverage of English
// grammars"; Collins (1997), "Three generative, lexicalised models for statistical parsing".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/eval/significance.h"
#include "coppice/eval/span_score.h"
#include "coppice/text/tree.h"

namespace coppice::eval {

enum class TreeStatus : std::uint8_t {
  kScored,
  kError,     // strict: the words differ
  kSkipped,   // strict: the predicted tree has no words
  kUnparsed,  // total: either of these; counted without predicted brackets
};

// One sentence. All counts are 0 for kError and kSkipped.
struct TreeScore {
  TreeStatus status = TreeStatus::kScored;
  Counts brackets{};
  std::uint64_t crossing = 0;  // predicted brackets that overlap a gold one and are not nested
  std::uint64_t words = 0;     // that count
  std::uint64_t correct_tags = 0;
  std::size_t length = 0;  // words of the gold tree but empty elements

  // All brackets right, and none missing.
  bool is_exact() const noexcept {
    return status == TreeStatus::kScored && brackets.gold == brackets.predicted &&
           brackets.gold == brackets.correct;
  }
  bool operator==(const TreeScore&) const = default;
};

using CountsByLabel = std::map<std::string, Counts, std::less<>>;

// Adds the brackets of each label to `by_label` unless it is null.
TreeScore score_strict(const text::Tree& gold, const text::Tree& predicted,
                       CountsByLabel* by_label = nullptr);
TreeScore score_total(const text::Tree& gold, const text::Tree& predicted,
                      CountsByLabel* by_label = nullptr);

// Sums over sentences.
struct TreeTotals {
  std::uint64_t sentences = 0;  // all of them
  std::uint64_t scored = 0;
  std::uint64_t errors = 0;
  std::uint64_t skipped = 0;
  std::uint64_t unparsed = 0;
  Counts brackets{};
  std::uint64_t exact = 0;
  std::uint64_t crossing = 0;
  std::uint64_t without_crossing = 0;    // sentences
  std::uint64_t at_most_2_crossing = 0;  // sentences
  std::uint64_t words = 0;
  std::uint64_t correct_tags = 0;

  void add(const TreeScore& score) noexcept;

  // The sentences that the brackets are of: those scored, and those unparsed.
  std::uint64_t counted() const noexcept { return scored + unparsed; }
  // Shares of these, 0 over none. The crossing ones leave out unparsed sentences.
  double exact_match() const noexcept;
  double mean_crossing() const noexcept;
  double no_crossing() const noexcept;
  double two_or_less_crossing() const noexcept;
  double tag_accuracy() const noexcept;

  bool operator==(const TreeTotals&) const = default;
};

// Sentences of lengths from `shortest` to `longest`.
struct LengthBand {
  std::size_t shortest = 1;
  std::size_t longest = 0;
  TreeTotals totals{};
};

// A corpus, scored in both ways.
class TreeScorer {
 public:
  TreeScorer();

  void add(const text::Tree& gold, const text::Tree& predicted);

  const TreeTotals& strict() const noexcept { return strict_; }
  const TreeTotals& total() const noexcept { return total_; }
  // Sentences whose brackets the two ways count differently.
  std::uint64_t num_different() const noexcept { return num_different_; }

  // All that follows is of the total way.
  const CountsByLabel& by_label() const noexcept { return by_label_; }
  // 1-10, 11-15, 16-20, 21-30, 31-40 and longer ones.
  const std::vector<LengthBand>& by_length() const noexcept { return by_length_; }
  // The sentences up to 15 words, and up to 40.
  const std::array<LengthBand, 2>& up_to() const noexcept { return up_to_; }
  const std::vector<TreeScore>& sentences() const noexcept { return sentences_; }

  // Gold, predicted and correct brackets of each sentence, for intervals and tests.
  SentenceCounts sentence_counts() const;

 private:
  TreeTotals strict_;
  TreeTotals total_;
  std::uint64_t num_different_ = 0;
  CountsByLabel by_label_;
  std::vector<LengthBand> by_length_;
  std::array<LengthBand, 2> up_to_;
  std::vector<TreeScore> sentences_;
};

}  // namespace coppice::eval
