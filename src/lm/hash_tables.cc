#include "lm/hash_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "lm/paged_array.h"

namespace coppice::lm {

namespace {

std::string table_name(unsigned length) { return concat("ngrams.", length); }

[[noreturn]] void fail_tables(const std::string& file, const std::string& message) {
  throw ModelError(message, {.code = "E404", .where = {.file = file}});
}

template <class Entry>
std::span<const Entry> table_of(const ModelFile& file, unsigned length) {
  const auto entries = file.as<Entry>(table_name(length));
  // A free slot ends every search. Two slots in three are taken: one is found soon.
  const bool has_end =
      std::ranges::any_of(entries, [](const Entry& entry) { return entry.word == kFreeWord; });
  if (!has_end || entries.size() > std::numeric_limits<Word>::max())
    fail_tables(file.name(), concat("the table of ", length, "-grams is damaged"));
  return entries;
}

// Numbers of n-grams fit in 32 bits.
std::size_t num_slots(const Ngrams& ngrams, unsigned length) {
  const std::uint64_t count = ngrams.count(length);
  const std::uint64_t slots = count + count / 2 + 1;
  require(slots < kFreeWord, "there are ", count, ' ', length,
          "-grams, too many for a hash; a trie takes more");
  return static_cast<std::size_t>(slots);
}

class HashBuilder {
 public:
  HashBuilder(const Ngrams& ngrams, const Workspace& workspace)
      : ngrams_(ngrams), workspace_(workspace), order_(ngrams.order()) {}

  void build() {
    unigrams_ = {ngrams_.count(1), workspace_};
    Ngrams::Reader reader = ngrams_.read(1);
    for (WeightedNgram ngram{}; reader.next(ngram);)
      unigrams_[ngram.words[0]] = {without_extension(ngram.log10_prob), ngram.backoff};
    for (unsigned length = 2; length < order_; ++length) {
      middle_.emplace_back(num_slots(ngrams_, length), workspace_);
      std::ranges::fill(middle_.back().span(), MiddleEntry{0, kFreeWord, {0, 0}});
      fill(length, middle_.back(), [](MiddleEntry& entry, float prob, float backoff) {
        entry.weights = {prob, backoff};
      });
    }
    if (order_ == 1) return;
    longest_ = {num_slots(ngrams_, order_), workspace_};
    std::ranges::fill(longest_.span(), LongestEntry{0, kFreeWord, 0});
    fill(order_, longest_, [](LongestEntry& entry, float prob, float) { entry.prob = prob; });
  }

  void add_sections(BinaryModel& model) {
    add_section(model, 1, unigrams_);
    for (unsigned length = 2; length < order_; ++length)
      add_section(model, length, middle_[length - 2]);
    if (order_ > 1) add_section(model, order_, longest_);
  }

 private:
  template <class T>
  static void add_section(BinaryModel& model, unsigned length, const PagedArray<T>& table) {
    model.writer.add_section(table_name(length), table.span());
    model.tables.push_back(table.owner());
  }

  // An n-gram's hash and slot.
  struct Place {
    std::uint64_t hash;
    Word slot;
  };

  template <class Entry, class Put>
  void fill(unsigned length, PagedArray<Entry>& entries, const Put& put) {
    Ngrams::Reader reader = ngrams_.read(length);
    std::array<Word, kMaxOrder> words{};  // of the n-gram before, whose suffixes are known
    std::array<Place, kMaxOrder> path{};  // [i]: of the n-gram words[0..i]
    unsigned known = 0;
    for (WeightedNgram ngram{}; reader.next(ngram);) {
      unsigned common = 0;
      while (common < known && words[common] == ngram.words[common]) ++common;
      std::copy_n(ngram.words, length, words.begin());
      for (known = common; known + 1 < length; ++known)
        path[known] = known == 0 ? Place{hash_of_unigram(words[0]), words[0]}
                                 : middle_place(known + 1, path[known - 1], words[known]);
      const Place suffix = path[length - 2];
      const Word first = words[length - 1];
      Weights& shorter = weights_of(length - 1, suffix.slot);
      shorter.prob = with_extension(shorter.prob);
      const float log_prob =
          std::isnan(ngram.log10_prob)
              ? context_backoff(std::span(words).subspan(1, length - 1)) + log10_of(shorter.prob)
              : ngram.log10_prob;
      const std::size_t home = home_of(hash_with(suffix.hash, first), entries.size());
      Entry& entry = entries[slot_of(std::as_const(entries).span(), home, suffix.slot, first)];
      entry.suffix = suffix.slot;
      entry.word = first;
      put(entry, without_extension(log_prob), ngram.backoff);
    }
  }

  Place middle_place(unsigned length, const Place& suffix, Word word) const {
    const std::span<const MiddleEntry> entries = middle_[length - 2].span();
    const std::uint64_t hash = hash_with(suffix.hash, word);
    const std::size_t home = home_of(hash, entries.size());
    return {hash, static_cast<Word>(slot_of(entries, home, suffix.slot, word))};
  }

  Weights& weights_of(unsigned length, Word ngram) {
    return length == 1 ? unigrams_[ngram] : middle_[length - 2][ngram].weights;
  }

  // The context is there: readers see to that.
  float context_backoff(std::span<const Word> words) {
    Place place{hash_of_unigram(words[0]), words[0]};
    for (unsigned length = 2; length <= words.size(); ++length)
      place = middle_place(length, place, words[length - 1]);
    return weights_of(static_cast<unsigned>(words.size()), place.slot).backoff;
  }

  const Ngrams& ngrams_;
  const Workspace& workspace_;
  unsigned order_;
  PagedArray<Weights> unigrams_{};
  std::vector<PagedArray<MiddleEntry>> middle_{};
  PagedArray<LongestEntry> longest_{};
};

}  // namespace

HashTables::HashTables(const ModelFile& file, unsigned order, std::size_t num_words)
    : order_(order), unigrams_(file.as<Weights>(table_name(1))) {
  if (unigrams_.size() != num_words)
    fail_tables(file.name(), "the table of single words is damaged");
  for (unsigned length = 2; length < order; ++length)
    middle_[length - 2] = table_of<MiddleEntry>(file, length);
  if (order > 1) longest_ = table_of<LongestEntry>(file, order);
}

std::uint64_t HashTables::hash_of_ngram(unsigned length, Word ngram) const noexcept {
  std::array<Word, kMaxOrder> words{};
  for (unsigned at = length - 1; at > 0; --at) {
    const MiddleEntry& entry = middle_[at - 1][ngram];
    words[at] = entry.word;
    ngram = entry.suffix;
  }
  std::uint64_t hash = hash_of_unigram(ngram);
  for (unsigned i = 1; i < length; ++i) hash = hash_with(hash, words[i]);
  return hash;
}

void HashTables::words_of(unsigned length, Word suffix, Word word,
                          std::array<Word, kMaxOrder>& words) const {
  for (unsigned at = length - 1;; --at) {
    words[at] = word;
    if (word >= unigrams_.size()) fail_tables("", "an n-gram has a word that is not there");
    if (at == 0) return;
    if (at == 1) {
      word = suffix;
      continue;
    }
    const std::span<const MiddleEntry> entries = middle_[at - 2];
    if (suffix >= entries.size()) fail_tables("", "an n-gram has a suffix that is not there");
    word = entries[suffix].word;
    suffix = entries[suffix].suffix;
  }
}

void HashTables::add_sections(BinaryModel& model, const Ngrams& ngrams,
                              const Workspace& workspace) {
  HashBuilder builder(ngrams, workspace);
  builder.build();
  builder.add_sections(model);
}

}  // namespace coppice::lm
