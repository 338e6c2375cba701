#include "lm/trie_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "coppice/base/error.h"

namespace coppice::lm {

namespace {

std::string section_name(const char* what, unsigned length) { return concat(what, '.', length); }

[[noreturn]] void fail_trie(const ModelFile& file, unsigned length) {
  throw ModelError(concat("the trie of ", length, "-grams is damaged"),
                   {.code = "E404", .where = {.file = file.name()}});
}

PackedView packed_section(const ModelFile& file, const char* what, unsigned length,
                          std::uint64_t size, unsigned bits) {
  const auto bytes = file.as<unsigned char>(section_name(what, length));
  if (bytes.size() != packed_bytes(size, bits)) fail_trie(file, length);
  return {bytes.data(), bits};
}

}  // namespace

std::uint32_t find_packed(const PackedView& words, std::uint32_t begin, std::uint32_t end,
                          Word word) noexcept {
  std::uint32_t first = begin;
  for (std::uint32_t size = end - begin; size > 1;) {
    const std::uint32_t half = size / 2;
    first += words[first + std::uint64_t{half}] <= word ? half : 0;
    size -= half;
  }
  return begin != end && words[first] == word ? first : end;
}

TrieTables::TrieTables(const ModelFile& file, unsigned order, std::size_t num_words)
    : order_(order) {
  for (unsigned length = 1; length <= order; ++length) {
    const bool is_longest = length == order && length > 1;
    Level& level = levels_[length - 1];
    std::size_t size = 0;
    if (is_longest) {
      longest_ = file.as<float>(section_name("weights", length));
      size = longest_.size();
    } else {
      level.weights = file.as<Weights>(section_name("weights", length));
      size = level.weights.size();
    }
    if (size >= std::numeric_limits<Word>::max() || (length == 1 && size != num_words))
      fail_trie(file, length);
    level.size = static_cast<std::uint32_t>(size);
    if (length == 1) continue;
    level.words = packed_section(file, "words", length, size, bits_for(num_words - 1));
    Level& above = levels_[length - 2];
    above.begins =
        packed_section(file, "begins", length - 1, std::uint64_t{above.size} + 1, bits_for(size));
    for (std::uint64_t i = 0; i < above.size; ++i)
      if (above.begins[i] > above.begins[i + 1]) fail_trie(file, length);
    if (above.begins[0] != 0 || above.begins[above.size] != size) fail_trie(file, length);
    for (std::uint64_t i = 0; i < size; ++i)
      if (level.words[i] >= num_words) fail_trie(file, length);
  }
}

class TrieBuilder {
 public:
  explicit TrieBuilder(const Ngrams& ngrams) : ngrams_(ngrams), order_(ngrams.order()) {
    tables_.order_ = order_;
  }

  void build() {
    for (unsigned length = 1; length <= order_; ++length) {
      require(ngrams_.count(length) < std::numeric_limits<Word>::max(), "there are ",
              ngrams_.count(length), ' ', length, "-grams, too many for a model");
      add_level(length);
    }
  }

  void add_sections(ModelWriter& writer) {
    for (unsigned length = 1; length <= order_; ++length) {
      if (length > 1) writer.add_section(section_name("words", length), words_[length - 1].take());
      if (length == 1 || length < order_)
        writer.add_section(section_name("weights", length), std::move(weights_[length - 1]));
      else
        writer.add_section(section_name("weights", length), std::move(longest_));
      if (length < order_)
        writer.add_section(section_name("begins", length), begins_[length - 1].take());
    }
  }

 private:
  void add_level(unsigned length) {
    const bool is_longest = length == order_ && length > 1;
    const std::uint64_t size = ngrams_.count(length);
    const std::uint64_t above_size = length == 1 ? 0 : ngrams_.count(length - 1);
    words_.emplace_back(length == 1 ? 0 : size, bits_for(ngrams_.count(1) - 1));
    weights_.emplace_back();
    if (is_longest)
      longest_.reserve(static_cast<std::size_t>(size));
    else
      weights_.back().reserve(static_cast<std::size_t>(size));
    if (length > 1) begins_.emplace_back(above_size + 1, bits_for(size));
    fill(length, is_longest);
    TrieTables::Level& level = tables_.levels_[length - 1];
    level.size = static_cast<std::uint32_t>(size);
    level.weights = weights_.back();
    level.words = words_.back().view();
    if (length > 1) tables_.levels_[length - 2].begins = begins_.back().view();
  }

  // Goes through the n-grams of a length and their suffixes, in the same order.
  void fill(unsigned length, bool is_longest) {
    Ngrams::Reader reader = ngrams_.read(length);
    Ngrams::Reader suffixes = ngrams_.read(length == 1 ? 1 : length - 1);
    WeightedNgram suffix{};
    std::uint32_t num_suffixes = 0;
    std::uint32_t number = 0;
    for (WeightedNgram ngram{}; reader.next(ngram); ++number) {
      float log_prob = ngram.log10_prob;
      if (length > 1) {
        while (num_suffixes == 0 ||
               !std::equal(suffix.words, suffix.words + length - 1, ngram.words)) {
          suffixes.next(suffix);
          begins_.back().push(number);
          ++num_suffixes;
        }
        Weights& shorter = weights_[length - 2][num_suffixes - 1];
        shorter.prob = with_extension(shorter.prob);
        if (std::isnan(log_prob))
          log_prob = context_backoff({ngram.words + 1, length - 1}) + log10_of(shorter.prob);
        words_.back().push(ngram.words[length - 1]);
      }
      if (is_longest)
        longest_.push_back(without_extension(log_prob));
      else
        weights_.back().push_back({without_extension(log_prob), ngram.backoff});
    }
    if (length == 1) return;
    for (; num_suffixes <= ngrams_.count(length - 1); ++num_suffixes) begins_.back().push(number);
  }

  float context_backoff(std::span<const Word> words) const {
    TrieTables::Path path{words[0]};
    for (unsigned length = 2; length <= words.size(); ++length)
      tables_.find(length, path, words[length - 1]);
    return tables_.weights(static_cast<unsigned>(words.size()), path.ngram).backoff;
  }

  const Ngrams& ngrams_;
  unsigned order_;
  std::vector<PackedBuilder> words_{};  // [n - 1] for length n, as all below
  std::vector<std::vector<Weights>> weights_{};
  std::vector<float> longest_{};
  std::vector<PackedBuilder> begins_{};
  TrieTables tables_;  // of the lengths so far
};

void TrieTables::add_sections(ModelWriter& writer, const Ngrams& ngrams) {
  TrieBuilder builder(ngrams);
  builder.build();
  builder.add_sections(writer);
}

}  // namespace coppice::lm
