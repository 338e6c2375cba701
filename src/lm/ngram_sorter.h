// Sorting n-grams of one length, in blocks that fit in memory, merged from disk when there are
// several.
//
// A record is the n-gram's words, last word first, and a payload of two more 32-bit numbers. Equal
// n-grams become one if a function to combine their payloads is given; otherwise each stays. The
// result does not depend on the memory allowed.
//
// Cost: radix sort, linear in records and words; each record is written and read once where there
// are several blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "coppice/lm/ngrams.h"
#include "lm/spill_file.h"

namespace coppice::lm {

using Word = std::uint32_t;

inline constexpr Word kBeginWord = static_cast<Word>(kSentenceBegin);
inline constexpr std::size_t kPayloadWords = 2;

// kSuffix compares the last word, then those before it; kContext leaves the last word to the end,
// so that n-grams with a common context are neighbours.
enum class NgramOrder : std::uint8_t { kSuffix, kContext };

// Puts what is known of two equal n-grams into the first. `length` words stand before the payload.
using Combine = void (*)(Word* kept, const Word* other, unsigned length);

// Payloads are counts of 64 bits, or two floats.
inline std::uint64_t count_at(const Word* payload) noexcept {
  std::uint64_t count{};
  std::memcpy(&count, payload, sizeof count);
  return count;
}
inline void put_count(Word* payload, std::uint64_t count) noexcept {
  std::memcpy(payload, &count, sizeof count);
}
void add_counts(Word* kept, const Word* other, unsigned length);

class SortedNgrams {
 public:
  struct State;
  class Reader {
   public:
    explicit Reader(std::shared_ptr<const State> state);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    // A record, valid until the next call; null at the end. Throws IoError.
    const Word* next();

   private:
    struct Merge;
    std::shared_ptr<const State> state_;
    std::size_t at_ = 0;            // in memory
    std::unique_ptr<Merge> merge_;  // on disk
  };

  SortedNgrams() = default;
  explicit SortedNgrams(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  Reader read() const { return Reader(state_); }
  // Cost: reads everything where there are several blocks.
  std::uint64_t count() const;

 private:
  std::shared_ptr<const State> state_;
};

class NgramSorter {
 public:
  NgramSorter(unsigned length, NgramOrder order, Combine combine, Workspace workspace);
  ~NgramSorter();
  NgramSorter(NgramSorter&&) noexcept;
  NgramSorter& operator=(NgramSorter&&) noexcept;

  // Room for a record that the caller fills before the next call. Throws IoError.
  Word* append() {
    if (used_ == room_) make_room();
    Word* const record = begin_ + used_;
    used_ += stride_;
    return record;
  }
  void add(const Word* words, const Word* payload) {
    Word* const record = append();
    std::memcpy(record, words, (stride_ - kPayloadWords) * sizeof(Word));
    std::memcpy(record + stride_ - kPayloadWords, payload, kPayloadWords * sizeof(Word));
  }

  // Nothing can be added after it.
  SortedNgrams finish();

 private:
  void make_room();

  std::shared_ptr<SortedNgrams::State> state_;
  std::size_t stride_;
  std::size_t most_;  // words of a full block
  Word* begin_ = nullptr;
  std::size_t used_ = 0;  // words
  std::size_t room_ = 0;  // words
};

}  // namespace coppice::lm
