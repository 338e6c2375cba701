#include "lm/interpolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "lm/adjusted_counts.h"
#include "lm/ngram_sorter.h"

namespace coppice::lm {

namespace {

constexpr float kLowestLog = -99.0F;  // in place of log10 of 0

float bounded_log10(double p) {
  return p <= 0 ? kLowestLog : std::min(0.0F, static_cast<float>(std::log10(p)));
}

// The n-grams of one length, one context after the other.
class ContextGroups {
 public:
  struct Member {
    Word word;
    AdjustedCount count;
  };

  ContextGroups(const SortedNgrams& counts, unsigned length)
      : length_(length), reader_(counts.read()), ahead_(reader_.next()) {}

  // Whether there is a next group and its context ends in `suffix`, given last word first.
  bool continues(std::span<const Word> suffix) const {
    return ahead_ != nullptr && std::equal(suffix.begin(), suffix.end(), ahead_ + 1);
  }

  // Requires continues({}).
  void read_group() {
    std::copy_n(ahead_ + 1, length_ - 1, context_.begin());
    members_.clear();
    do {
      members_.push_back({ahead_[0], AdjustedCount::unpacked(count_at(ahead_ + length_))});
      ahead_ = reader_.next();
    } while (continues(context()));
  }

  std::span<const Word> context() const { return std::span(context_).first(length_ - 1); }
  std::span<const Member> members() const { return members_; }

 private:
  unsigned length_;
  SortedNgrams::Reader reader_;
  const Word* ahead_;
  std::array<Word, kMaxOrder> context_{};
  std::vector<Member> members_{};
};

// Weights of one length, on the way to their store.
struct WeightSorters {
  WeightSorters(unsigned length, const Workspace& workspace)
      : weights(length, NgramOrder::kSuffix, nullptr, workspace),
        contexts(length, NgramOrder::kSuffix, nullptr, workspace) {}
  NgramSorter weights;
  NgramSorter contexts;
  std::uint64_t count = 0;
};

class Interpolation {
 public:
  Interpolation(std::span<const SortedNgrams> counts, std::span<const Discounts> discounts,
                std::size_t num_words, const Workspace& workspace)
      : order_(static_cast<unsigned>(counts.size())),
        discounts_(discounts),
        probabilities_(order_, std::vector<float>(num_words)) {
    const Workspace share = shared_among(workspace, std::uint64_t{2} * order_);
    for (unsigned length = 1; length <= order_; ++length) {
      groups_.emplace_back(counts[length - 1], length);
      sorters_.emplace_back(length, share);
    }
  }

  // Contexts of all lengths come in one order, each before those that end in it.
  void run() {
    unigrams();
    for (unsigned length = 1; length > 0;) {
      if (length < order_ && groups_[length].continues(groups_[length - 1].context())) {
        ++length;
        group(length);
      } else {
        --length;
      }
    }
  }

  std::unique_ptr<NgramStore> finish(const Threads& threads) {
    auto store = std::make_unique<NgramStore>();
    store->lengths.resize(order_);
    threads.for_chunks(order_, [&](std::size_t i, unsigned) {
      store->lengths[i] = {.weights = sorters_[i].weights.finish(),
                           .contexts = sorters_[i].contexts.finish(),
                           .count = sorters_[i].count};
    });
    return store;
  }

 private:
  struct Sums {
    double total = 0;  // A(h)
    double backoff = 0;
    bool keeps_any = false;
  };

  Sums sums_of(unsigned length) const {
    Sums sums;
    for (const auto& [word, count] : groups_[length - 1].members()) {
      sums.total += static_cast<double>(count.count);
      sums.backoff += count.is_pruned ? static_cast<double>(count.count)
                                      : discounts_[length - 1].of(count.count);
      sums.keeps_any |= !count.is_pruned;
    }
    sums.backoff /= sums.total;
    return sums;
  }

  void unigrams() {
    const std::size_t num_words = probabilities_[0].size();
    const double uniform = 1.0 / static_cast<double>(num_words - 1);
    groups_[0].read_group();
    const Sums sums = sums_of(1);
    emit_unigram(static_cast<Word>(kUnknownWord), sums.backoff * uniform);
    emit_unigram(kBeginWord, 0);
    for (const auto& [word, count] : groups_[0].members()) {
      const double own = static_cast<double>(count.count) - discounts_[0].of(count.count);
      emit_unigram(word, own / sums.total + sums.backoff * uniform);
    }
  }

  void emit_unigram(Word word, double p) {
    probabilities_[0][word] = static_cast<float>(p);
    emit(1, word, p);
  }

  void group(unsigned length) {
    groups_[length - 1].read_group();
    const Sums sums = sums_of(length);
    if (!sums.keeps_any) return;  // all of the mass is the backoff's: as if it were no context
    const std::vector<float>& lower = probabilities_[length - 2];
    for (const auto& [word, count] : groups_[length - 1].members()) {
      if (count.is_pruned) continue;
      const double own = static_cast<double>(count.count) - discounts_[length - 1].of(count.count);
      const double p = own / sums.total + sums.backoff * static_cast<double>(lower[word]);
      probabilities_[length - 1][word] = static_cast<float>(p);
      emit(length, word, p);
    }
    emit_context(length - 1, sums.backoff);
  }

  void emit(unsigned length, Word word, double p) {
    WeightSorters& to = sorters_[length - 1];
    ++to.count;
    Word* const record = to.weights.append();
    record[0] = word;
    std::ranges::copy(groups_[length - 1].context(), record + 1);
    std::ranges::copy(FloatPair{bounded_log10(p), kNoBackoff}.words(), record + length);
  }

  void emit_context(unsigned length, double backoff) {
    Word* const record = sorters_[length - 1].contexts.append();
    std::ranges::copy(groups_[length].context(), record);
    std::ranges::copy(FloatPair{bounded_log10(backoff), 0}.words(), record + length);
  }

  unsigned order_;
  std::span<const Discounts> discounts_;
  std::vector<ContextGroups> groups_{};  // [n - 1] for length n, as all below
  std::vector<WeightSorters> sorters_{};
  // Of each word after the current context of one word less: what longer n-grams fall back to.
  std::vector<std::vector<float>> probabilities_;
};

}  // namespace

std::unique_ptr<NgramStore> interpolate(std::span<const SortedNgrams> counts,
                                        std::span<const Discounts> discounts, std::size_t num_words,
                                        const Workspace& workspace, const Threads& threads) {
  Interpolation interpolation(counts, discounts, num_words, workspace);
  interpolation.run();
  return interpolation.finish(threads);
}

}  // namespace coppice::lm
