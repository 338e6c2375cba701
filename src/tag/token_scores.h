// The scores of labels at every token, for prediction: the sum of the weights of its attributes.
//
//     s[t][y]  =  sum over word places p of  word(p, w_{t+p})[y]
//              +  sum over phrase places p of  phrase(p, texts of p at t)[y]
//              +  sum over the other attributes a of token t of  value(a) weight(a)[y]
//
// Two thirds of the attributes of usual templates depend on one word and its distance alone, and
// text repeats its words: the sum word(p, w) over those attributes is taken when a word is first
// seen at a place, and is one row to add from then on. So is what templates give that combine some
// of the texts that a longer one combines (pairs within a triple of tags): the phrase's row. The
// order of the sums is fixed by the
// templates, so that a score does not depend on what was read before.
//
// The other attributes of a sentence are looked up in one sweep, which asks for the memory of keys
// ahead of it, and then added in a second, which finds their weights fetched.
//
// Cost of a token: a row of additions a word place; a probe of the dictionary (a cache line, at
// random) an attribute of several cells, and the weights of those that are found. The memory of the
// words' rows is bounded: words past it are summed again at every occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.h"
#include "coppice/text/extractor.h"
#include "coppice/text/sentence.h"
#include "score/frozen_linear.h"
#include "tag/phrase_rows.h"

namespace coppice::tag {

struct TokenScoresOptions {
  std::size_t word_bytes = std::size_t{1} << 26;    // of the words' rows, over all places
  std::size_t phrase_bytes = std::size_t{1} << 25;  // of the phrases' rows
};

// Not for several threads at once.
class TokenScores {
 public:
  // Copies the extractor; the potential must outlive this.
  TokenScores(const FrozenLinear& potential, const text::Extractor& extractor,
              const TokenScoresOptions& options = {});

  // Replaces `scores` by rows of potential.stride() floats, one a token. `cells` are the feature
  // columns of the sentence, which may bring attributes of its own. Throws as Extractor does.
  void score(const text::Cells& cells, const text::Sentence& sentence,
             AlignedVector<float>& scores);
  // What templates that are conjoined with pairs of labels gave for the sentence.
  const text::AttributeList& pair_attributes() const noexcept { return attributes_.transitions; }

 private:
  // The sums of a place's words, by their numbers.
  struct WordRows {
    AlignedVector<float> rows;
    std::vector<unsigned char> known;
  };
  struct Hit {
    const FrozenLinear::Slot* slot;
    float value;
    std::uint32_t token;
  };

  void add_words(std::size_t place, float* scores);
  const float* row_of(std::size_t place, std::uint32_t word);
  void sum_word(std::size_t place, std::uint32_t word, float* row);
  void add_phrases(float* scores);
  // The sum of the weights of keys_.
  void sum_keys(float* row) const;
  void find_joint();
  void add_own(const text::Sentence& sentence, float* scores) const;

  const FrozenLinear* potential_;
  text::Extractor extractor_;
  std::size_t max_words_;  // that have rows, a place
  std::uint64_t epoch_ = 0;
  std::vector<WordRows> places_;
  PhraseRows phrases_;
  AlignedVector<float> spare_row_;  // of a word or phrase without one
  text::Attributes attributes_;
  std::vector<std::uint64_t> keys_;
  std::vector<Hit> hits_;
};

}  // namespace coppice::tag
