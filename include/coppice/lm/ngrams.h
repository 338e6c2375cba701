// All n-grams of a language model with their weights: what training and an ARPA file give, and what
// a binary model or an ARPA file is made of.
//
//     log10 p(w | h)  =  weight of hw                        if hw is there
//                     =  backoff of h + log10 p(w | h')      otherwise, h' being h without its
//                                                            first word; no h: backoff 0
//
// The n-grams of each order come sorted by their last word, then the one before it, and so on
// ("suffix order"), so that those with a common suffix are neighbours. What does not fit in memory
// waits in unnamed files, which vanish with the program however it ends.
//
// Words are numbers as in vocabulary.h. An n-gram's words are given last word first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "coppice/base/symbols.h"
#include "coppice/lm/vocabulary.h"

namespace coppice::lm {

// The longest n-grams of any model; states (state.h) have room for one word less.
inline constexpr unsigned kMaxOrder = 10;

// What sorting may take. Blocks of n-grams that are full are sorted and set aside in `folder`.
struct Workspace {
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes
  std::string folder{};                           // empty: $TMPDIR, or else /tmp
};

// The backoff of an n-gram that is no context: adding it changes nothing, and it differs from the 0
// of a context that gives away all of its mass.
inline constexpr float kNoBackoff = -0.0F;

// Whether some longer n-gram begins with one of this backoff, or the backoff itself matters.
inline bool extends_right(float backoff) noexcept {
  return std::bit_cast<std::uint32_t>(backoff) != std::bit_cast<std::uint32_t>(kNoBackoff);
}

struct WeightedNgram {
  const std::uint32_t* words;  // the last word first; valid until the next one is read
  float log10_prob;            // NaN for a blank: the n-gram is there only as a suffix of others
  float backoff;               // kNoBackoff when it is no context
};

class NgramStore;

class Ngrams {
 public:
  Ngrams(Symbols words, std::unique_ptr<NgramStore> store);
  ~Ngrams();
  Ngrams(Ngrams&&) noexcept;
  Ngrams& operator=(Ngrams&&) noexcept;

  unsigned order() const noexcept;
  const Symbols& words() const noexcept { return words_; }
  // N-grams of that length, blanks among them.
  std::uint64_t count(unsigned length) const;
  std::uint64_t num_blanks(unsigned length) const;

  // Reads the n-grams of one length; several readers may be at work at the same time.
  class Reader {
   public:
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    // False at the end. Throws IoError.
    bool next(WeightedNgram& ngram);

   private:
    friend class Ngrams;
    struct State;
    explicit Reader(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
  };
  // Requires 1 <= length <= order().
  Reader read(unsigned length) const;

 private:
  Symbols words_;
  std::unique_ptr<NgramStore> store_;
};

}  // namespace coppice::lm
