#include "lm/adjusted_counts.h"

#include <algorithm>
#include <utility>

namespace coppice::lm {

namespace {

class CountAdjuster {
 public:
  CountAdjuster(unsigned order, std::span<const std::uint64_t> thresholds,
                const Workspace& workspace)
      : order_(order), thresholds_(thresholds), open_(order) {
    for (unsigned length = 1; length <= order; ++length)
      counts_.lengths.push_back(
          {.ngrams = NgramSorter(length, NgramOrder::kContext, nullptr, workspace)});
  }

  AdjustedCounts adjust(const SortedNgrams& counted) {
    SortedNgrams::Reader reader = counted.read();
    while (const Word* record = reader.next()) take(record, count_at(record + order_));
    if (!is_first_) close_beyond(0);
    return std::move(counts_);
  }

 private:
  // A suffix of the current n-gram that following ones may share.
  struct Open {
    std::uint64_t count = 0;
    std::uint64_t words_before = 0;
  };

  void take(const Word* record, std::uint64_t count) {
    unsigned common = 0;
    if (!is_first_) {
      while (common + 1 < order_ && record[common] == words_[common]) ++common;
      close_beyond(common);
    }
    is_first_ = false;
    std::copy_n(record, order_, words_.begin());
    for (unsigned length = 1; length < order_; ++length) {
      open_[length].count += count;
      if (length >= common) ++open_[length].words_before;
    }
    if (is_real(order_)) emit(order_, count, count);
  }

  // Emits what the next n-gram does not share: suffixes longer than `common`.
  void close_beyond(unsigned common) {
    for (unsigned length = common + 1; length < order_; ++length) {
      const Open open = std::exchange(open_[length], {});
      if (!is_real(length)) continue;
      const bool at_begin = words_[length - 1] == kBeginWord;
      emit(length, at_begin ? open.count : open.words_before, open.count);
    }
  }

  bool is_real(unsigned length) const {
    return length < 2 || words_[length - 1] != kBeginWord || words_[length - 2] != kBeginWord;
  }

  void emit(unsigned length, std::uint64_t adjusted, std::uint64_t count) {
    AdjustedCounts::OfLength& to = counts_.lengths[length - 1];
    const bool is_pruned = count <= thresholds_[length - 1];
    Word* const record = to.ngrams.append();
    std::copy_n(words_.begin(), length, record);
    put_count(record + length, AdjustedCount{adjusted, is_pruned}.packed());
    if (adjusted <= to.counts_of_counts.size()) ++to.counts_of_counts[adjusted - 1];
    ++to.num_ngrams;
    if (is_pruned) ++to.num_pruned;
  }

  unsigned order_;
  std::span<const std::uint64_t> thresholds_;
  std::vector<Open> open_;  // [length]
  std::array<Word, kMaxOrder> words_{};
  bool is_first_ = true;
  AdjustedCounts counts_{};
};

}  // namespace

AdjustedCounts adjust_counts(const SortedNgrams& counted, unsigned order,
                             std::span<const std::uint64_t> thresholds,
                             const Workspace& workspace) {
  return CountAdjuster(order, thresholds, workspace).adjust(counted);
}

}  // namespace coppice::lm
