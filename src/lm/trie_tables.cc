#include "lm/trie_tables.h"

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

constexpr std::uint32_t kFirstStep = 16;  // of a search: about half a cache line

std::string section_name(const char* what, unsigned length) { return concat(what, '.', length); }

[[noreturn]] void fail_trie(const ModelFile& file, unsigned length) {
  throw ModelError(concat("the trie of ", length, "-grams is damaged"),
                   {.code = "E404", .where = {.file = file.name()}});
}

std::span<const unsigned char> packed_section(const ModelFile& file, const char* what,
                                              unsigned length, std::uint64_t size, unsigned bits) {
  const auto bytes = file.as<unsigned char>(section_name(what, length));
  if (bytes.size() != packed_bytes(size, bits)) fail_trie(file, length);
  return bytes;
}

// How many n-grams of each length there are; [n - 1] for length n.
std::vector<std::uint32_t> sizes_of(const ModelFile& file, unsigned order) {
  const auto sizes = file.as<std::uint32_t>("sizes");
  if (sizes.size() != order) fail_trie(file, order);
  return {sizes.begin(), sizes.end()};
}

}  // namespace

std::uint32_t find_packed(const PackedView& words, std::uint32_t begin, std::uint32_t end,
                          Word word) noexcept {
  // Words of small numbers came first in the text: most are frequent, and most words of context
  // are such.
  std::uint32_t first = begin;
  std::uint32_t size = end - begin;
  for (std::uint32_t step = kFirstStep; size > step; step *= 4) {
    if (words[first + std::uint64_t{step}] > word) {
      size = step;
      break;
    }
    first += step;
    size -= step;
  }
  while (size > 1) {
    const std::uint32_t half = size / 2;
    first += words[first + std::uint64_t{half}] <= word ? half : 0;
    size -= half;
  }
  return begin != end && words[first] == word ? first : end;
}

TrieTables::TrieTables(const ModelFile& file, unsigned order, std::size_t num_words)
    : order_(order) {
  const std::vector<std::uint32_t> sizes = sizes_of(file, order);
  if (sizes[0] != num_words) fail_trie(file, 1);
  for (unsigned length = 1; length <= order; ++length) {
    Level& level = levels_[length - 1];
    level.size = sizes[length - 1];
    if (length > 1) {
      const unsigned bits = bits_for(num_words - 1);
      level.words = {packed_section(file, "words", length, level.size, bits).data(), bits};
      for (std::uint64_t i = 0; i < level.size; ++i)
        if (level.words[i] >= num_words) fail_trie(file, length);
    }
    if (length > 1 && length == order) {
      longest_ = file.as<float>(section_name("weights", length));
      if (longest_.size() != level.size) fail_trie(file, length);
      continue;
    }
    const std::uint32_t below = length == order ? 0 : sizes[length];
    const unsigned bits = RecordView::bits_with(below);
    const std::uint64_t records = std::uint64_t{level.size} + 1;
    level.records = {packed_section(file, "records", length, records, bits).data(), bits};
    for (std::uint64_t i = 0; i < level.size; ++i)
      if (level.records.begin(i) > level.records.begin(i + 1)) fail_trie(file, length);
    if (level.records.begin(0) != 0 || level.records.begin(level.size) != below)
      fail_trie(file, length);
  }
}

class TrieBuilder {
 public:
  TrieBuilder(const Ngrams& ngrams, const Workspace& workspace)
      : ngrams_(ngrams), workspace_(workspace), order_(ngrams.order()) {
    tables_.order_ = order_;
  }

  void build() {
    for (unsigned length = 1; length <= order_; ++length) {
      require(ngrams_.count(length) < std::numeric_limits<Word>::max(), "there are ",
              ngrams_.count(length), ' ', length, "-grams, too many for a model");
      add_level(length);
    }
  }

  void add_sections(BinaryModel& model) {
    model.writer.add_section("sizes", std::move(sizes_));
    for (unsigned length = 1; length <= order_; ++length) {
      if (length > 1) add_section(model, "words", length, words_[length - 1].bytes());
      if (length <= records_.size())
        add_section(model, "records", length, records_[length - 1].bytes());
      else
        add_section(model, "weights", length, longest_);
    }
  }

 private:
  template <class T>
  static void add_section(BinaryModel& model, const char* what, unsigned length,
                          const PagedArray<T>& array) {
    model.writer.add_section(section_name(what, length), array.span());
    model.tables.push_back(array.owner());
  }

  void add_level(unsigned length) {
    const auto size = static_cast<std::uint32_t>(ngrams_.count(length));
    const unsigned word_bits = bits_for(ngrams_.count(1) - 1);
    sizes_.push_back(size);
    words_.emplace_back(length == 1 ? 0 : size, word_bits, workspace_);
    begins_ = {length == 1 ? 0 : sizes_[length - 2] + std::uint64_t{1}, workspace_};
    weights_above_ = std::exchange(weights_, {});
    if (length > 1 && length == order_)
      longest_ = {size, workspace_};
    else
      weights_ = {size, workspace_};
    fill(length, word_bits);
    tables_.levels_[length - 1].size = size;
    tables_.levels_[length - 1].words = {words_.back().bytes().data(), word_bits};
    if (length > 1) pack(length - 1, weights_above_, size);
    if (order_ == 1) {
      begins_ = {std::uint64_t{size} + 1, workspace_};
      pack(1, weights_, 0);
    }
  }

  // Records of a length whose children, `below` in number, are known.
  void pack(unsigned length, const PagedArray<Weights>& weights, std::uint32_t below) {
    const unsigned bits = RecordView::bits_with(below);
    records_.emplace_back(weights.size() + 1, bits, workspace_);
    for (std::size_t i = 0; i <= weights.size(); ++i) {
      records_.back().push(i < weights.size() ? weights[i] : Weights{0, 0});
      records_.back().push(begins_[i], bits - 64);
    }
    tables_.levels_[length - 1].records = {records_.back().bytes().data(), bits};
  }

  // Goes through the n-grams of a length and their suffixes, in the same order.
  void fill(unsigned length, unsigned word_bits) {
    Ngrams::Reader reader = ngrams_.read(length);
    Ngrams::Reader suffixes = ngrams_.read(length == 1 ? 1 : length - 1);
    WeightedNgram suffix{};
    std::size_t num_suffixes = 0;
    std::uint32_t number = 0;
    for (WeightedNgram ngram{}; reader.next(ngram); ++number) {
      float log_prob = ngram.log10_prob;
      if (length > 1) {
        while (num_suffixes == 0 ||
               !std::equal(suffix.words, suffix.words + length - 1, ngram.words)) {
          suffixes.next(suffix);
          begins_[num_suffixes++] = number;
        }
        Weights& shorter = weights_above_[num_suffixes - 1];
        shorter.prob = with_extension(shorter.prob);
        if (std::isnan(log_prob))
          log_prob = context_backoff({ngram.words + 1, length - 1}) + log10_of(shorter.prob);
        words_.back().push(ngram.words[length - 1], word_bits);
      }
      if (length > 1 && length == order_)
        longest_[number] = without_extension(log_prob);
      else
        weights_[number] = {without_extension(log_prob), ngram.backoff};
    }
    while (num_suffixes < begins_.size()) begins_[num_suffixes++] = number;
  }

  // The context is there: readers see to that. Its length is that of the level above.
  float context_backoff(std::span<const Word> words) const {
    Word ngram = words[0];
    for (unsigned length = 2; length <= words.size(); ++length)
      tables_.search(length, ngram, words[length - 1]);
    return weights_above_[ngram].backoff;
  }

  const Ngrams& ngrams_;
  const Workspace& workspace_;
  unsigned order_;
  std::vector<std::uint32_t> sizes_{};  // [n - 1] for length n, as the next two
  std::vector<PackedBuilder> words_{};
  std::vector<PackedBuilder> records_{};
  PagedArray<float> longest_{};
  PagedArray<Weights> weights_{};        // of the current length
  PagedArray<Weights> weights_above_{};  // of the one before, whose children these are
  PagedArray<std::uint32_t> begins_{};   // of their children
  TrieTables tables_;                    // of the lengths so far
};

void TrieTables::add_sections(BinaryModel& model, const Ngrams& ngrams,
                              const Workspace& workspace) {
  TrieBuilder builder(ngrams, workspace);
  builder.build();
  builder.add_sections(model);
}

}  // namespace coppice::lm
