#include "coppice/lm/training.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <utility>

#include "coppice/base/error.h"
#include "lm/adjusted_counts.h"
#include "lm/interpolation.h"
#include "lm/ngram_sorter.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace coppice::lm {

namespace {

// The memory is shared by what exists at one time: counted n-grams, adjusted counts, weights.
constexpr std::uint64_t kStages = 3;

std::vector<std::uint64_t> thresholds_of(const TrainingOptions& options) {
  require(options.order >= 1 && options.order <= kMaxOrder,
          "the order of a language model is a number from 1 to ", kMaxOrder, ", not ",
          options.order);
  std::vector<std::uint64_t> thresholds = options.prune;
  require(thresholds.size() <= options.order, "there are ", thresholds.size(),
          " numbers to prune by for a model of order ", options.order);
  thresholds.resize(options.order, thresholds.empty() ? 0 : thresholds.back());
  require(thresholds.front() == 0, "words cannot be pruned: the first number must be 0");
  require(std::ranges::is_sorted(thresholds),
          "a number to prune by is below the one before it, but what longer n-grams are made of "
          "must stay");
  return thresholds;
}

bool is_special(std::uint32_t word) noexcept {
  return word <= static_cast<std::uint32_t>(kSentenceEnd);
}

}  // namespace

struct Training::State {
  explicit State(const TrainingOptions& chosen)
      : options(chosen),
        thresholds(thresholds_of(chosen)),
        counts(std::in_place, chosen.order, NgramOrder::kSuffix, add_counts,
               shared_among(chosen.workspace, kStages)) {
    padded.assign(chosen.order - 1, kBeginWord);
  }

  // Adds a word to the sentence; false when it is one of the special ones.
  bool push(std::string_view text) {
    const auto id = static_cast<Word>(words.add(text));
    padded.push_back(id);
    key += text;
    key += ' ';
    return !is_special(id);
  }

  // Counts the n-grams that end in each word of the sentence and in </s>.
  void end_sentence() {
    ++num_sentences;
    num_words += padded.size() - (options.order - 1);
    digest = XXH3_64bits_withSeed(key.data(), key.size(), digest);
    padded.push_back(static_cast<Word>(kSentenceEnd));
    for (std::size_t last = options.order - 1; last < padded.size(); ++last) {
      Word* const record = counts->append();
      for (std::size_t i = 0; i < options.order; ++i) record[i] = padded[last - i];
      put_count(record + options.order, 1);
    }
    drop_sentence();
  }

  void drop_sentence() {
    padded.resize(options.order - 1);
    key.clear();
  }

  TrainingOptions options;
  std::vector<std::uint64_t> thresholds;
  Symbols words = special_words();
  std::optional<NgramSorter> counts;
  std::vector<Word> padded{};  // the sentence, after order - 1 times <s>
  std::string key{};           // the sentence, for the digest
  std::uint64_t num_sentences = 0;
  std::uint64_t num_words = 0;
  std::uint64_t digest = 0;
};

Training::Training(const TrainingOptions& options) : state_(std::make_unique<State>(options)) {}
Training::~Training() = default;
Training::Training(Training&&) noexcept = default;
Training& Training::operator=(Training&&) noexcept = default;

const TrainingOptions& Training::options() const noexcept { return state_->options; }
std::uint64_t Training::num_sentences() const noexcept { return state_->num_sentences; }
std::uint64_t Training::num_words() const noexcept { return state_->num_words; }

std::string Training::digest() const {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64, state_->digest);
  return text.data();
}

void Training::read(text::SentenceReader& reader) {
  text::Sentence sentence;
  while (reader.next(sentence)) {
    const auto column = sentence.form_column();
    if (!column)
      throw ParseError("the file has no words", {.code = "E146", .where = sentence.where()});
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      const std::string_view word = sentence.cell(row, *column);
      if (state_->push(word)) continue;
      state_->drop_sentence();
      throw ParseError(concat("the text has the word ", word, ", which stands for something else"),
                       {.code = "E290",
                        .where = {reader.name(), sentence.line_of(row)},
                        .help = "leave <s>, </s> and <unk> out of the text: the first two are "
                                "added to each sentence"});
    }
    state_->end_sentence();
  }
}

void Training::add(std::span<const std::string_view> sentence) {
  for (std::string_view word : sentence) {
    if (state_->push(word)) continue;
    state_->drop_sentence();
    throw InvalidArgument(concat("a sentence has the word ", word));
  }
  state_->end_sentence();
}

Estimate Training::estimate(const Threads& threads, Progress& progress) {
  require(state_->num_sentences > 0, "a language model needs at least one sentence");
  const unsigned order = state_->options.order;
  progress.begin("sorting n-grams", 3);
  const SortedNgrams counted = std::exchange(state_->counts, std::nullopt)->finish();
  progress.update(1);
  const Workspace stage = shared_among(state_->options.workspace, kStages);
  AdjustedCounts adjusted =
      adjust_counts(counted, order, state_->thresholds, shared_among(stage, order));
  std::vector<SortedNgrams> counts(order);
  threads.for_chunks(
      order, [&](std::size_t i, unsigned) { counts[i] = adjusted.lengths[i].ngrams.finish(); });
  progress.update(2);
  std::vector<LengthReport> lengths(order);
  std::vector<Discounts> discounts;
  for (unsigned i = 0; i < order; ++i) {
    discounts.push_back(discounts_from(adjusted.lengths[i].counts_of_counts));
    lengths[i].ngrams = adjusted.lengths[i].num_ngrams;
    lengths[i].discounts = discounts[i];
  }
  auto store = interpolate(counts, discounts, state_->words.size(), stage, threads);
  for (unsigned i = 0; i < order; ++i) lengths[i].kept = store->lengths[i].count;
  progress.update(3);
  progress.end();
  return {Ngrams(std::move(state_->words), std::move(store)), std::move(lengths)};
}

}  // namespace coppice::lm
