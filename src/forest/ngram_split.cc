#include "coppice/forest/ngram_split.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/forest/prune.h"
#include "forest/split_builder.h"

namespace coppice {

namespace {

std::uint64_t longer_key(NgramId ngram, WordId word) noexcept {
  return std::uint64_t{index(ngram)} << 32 | index(word);
}

// The ends of a string: n - 1 words each, or all of them where there are fewer.
struct StringEnds {
  NgramId first = NgramTable::kEmpty;
  NgramId last = NgramTable::kEmpty;

  auto operator<=>(const StringEnds&) const = default;
};

// Puts strings together, of which it knows the ends, and notes the n-grams that this completes.
class StringJoiner {
 public:
  explicit StringJoiner(unsigned order) : order_(order) {}

  void start() {
    ends_ = {};
    completed_.clear();
  }

  void append(WordId word) {
    const NgramId unigram = ngrams_.extend(NgramTable::kEmpty, word);
    completed_.push_back(unigram);
    append(order_ > 1 ? StringEnds{unigram, unigram} : StringEnds{});
  }

  void append(const StringEnds& right) {
    const std::vector<WordId> before = ngrams_.words(ends_.last);
    const std::vector<WordId> after = ngrams_.words(right.first);
    for (std::size_t begin = 0; begin < before.size(); ++begin) {
      const auto own = std::span(before).subspan(begin);
      NgramId ngram = extended(NgramTable::kEmpty, own);
      for (WordId word : std::span(after).first(std::min(after.size(), order_ - own.size()))) {
        completed_.push_back(ngram = ngrams_.extend(ngram, word));
      }
    }
    const std::size_t missing = order_ - 1 - ngrams_.length(ends_.first);
    ends_.first = extended(ends_.first, std::span(after).first(std::min(after.size(), missing)));
    ends_.last = joined_last(before, right.last);
  }

  const StringEnds& ends() const noexcept { return ends_; }
  const std::vector<NgramId>& completed() const noexcept { return completed_; }
  NgramTable take_ngrams() && { return std::move(ngrams_); }

 private:
  NgramId extended(NgramId ngram, std::span<const WordId> words) {
    for (WordId word : words) ngram = ngrams_.extend(ngram, word);
    return ngram;
  }

  // The last n - 1 words of `before` followed by `right`.
  NgramId joined_last(std::span<const WordId> before, NgramId right) {
    const std::size_t missing = order_ - 1 - ngrams_.length(right);
    if (missing == 0) return right;
    const auto kept = before.last(std::min(before.size(), missing));
    return extended(extended(NgramTable::kEmpty, kept), ngrams_.words(right));
  }

  std::size_t order_;
  NgramTable ngrams_;
  StringEnds ends_;  // of what has been appended since start()
  std::vector<NgramId> completed_;
};

class NgramSplitter {
 public:
  NgramSplitter(const Forest& forest, const EdgeMap<Yield>& yields, unsigned order,
                const SplitOptions& options)
      : forest_(forest),
        yields_(yields),
        order_(order),
        useful_(useful_edges(forest)),
        splits_(forest.num_nodes(), {}),
        builder_("split_by_ngrams", options),
        joiner_(order) {}

  NgramForest split() {
    for (NodeId node : forest_.nodes()) split_node(node);
    RefinedForest refined;
    if (!forest_.empty()) refined = std::move(builder_).build(splits_[forest_.root()]);
    while (completed_.size() < refined.forest.num_edges()) completed_.add_edge({});  // the goal's
    return {std::move(refined), order_, std::move(joiner_).take_ngrams(), std::move(completed_)};
  }

 private:
  using Splits = detail::SplitBuilder<StringEnds>::Splits;

  void split_node(NodeId node) {
    for (EdgeId edge : forest_.incoming(node)) {
      if (useful_[edge]) split_edge(edge);
    }
    if (proposed_.edges.empty()) return;
    splits_[node] = builder_.add_old_node(proposed_, [&](std::size_t i) {
      completed_.add_edge(rows_[i], std::vector<double>(rows_[i].size(), 1.0));
    });
    rows_.clear();
  }

  // Proposes a version for each choice of the tails' splits, the last tail's changing fastest.
  void split_edge(EdgeId edge) {
    const auto tails = forest_.tails(edge);
    chosen_.assign(tails.size(), 0);
    do {
      propose(edge);
    } while (choose_next(tails));
  }

  bool choose_next(std::span<const NodeId> tails) {
    for (std::size_t i = tails.size(); i-- > 0;) {
      if (++chosen_[i] < splits_[tails[i]].size()) return true;
      chosen_[i] = 0;
    }
    return false;
  }

  void propose(EdgeId edge) {
    const auto tails = forest_.tails(edge);
    const auto chosen = [&](std::size_t i) { return splits_[tails[i]][chosen_[i]]; };
    joiner_.start();
    for (const YieldItem& item : yields_[edge]) {
      if (const auto* word = std::get_if<WordId>(&item)) {
        joiner_.append(*word);
      } else {
        joiner_.append(chosen(index(std::get<TailId>(item))).state);
      }
    }
    std::vector<NodeId> nodes(tails.size());
    for (std::size_t i = 0; i < tails.size(); ++i) nodes[i] = chosen(i).node;
    builder_.propose(proposed_, joiner_.ends(), edge, nodes);
    rows_.push_back(joiner_.completed());
  }

  const Forest& forest_;
  const EdgeMap<Yield>& yields_;
  unsigned order_;
  EdgeMap<unsigned char> useful_;
  NodeMap<Splits> splits_;
  detail::SplitBuilder<StringEnds> builder_;
  StringJoiner joiner_;
  detail::ProposedEdges<StringEnds> proposed_;  // of the node at hand
  std::vector<std::vector<NgramId>> rows_;      // what each proposed edge completes
  std::vector<std::size_t> chosen_;             // for each tail of the edge at hand
  EdgeFeatures completed_;
};

}  // namespace

std::vector<WordId> NgramTable::words(NgramId ngram) const {
  std::vector<WordId> words(length(ngram));
  for (std::size_t i = words.size(); i-- > 0; ngram = entries_[index(ngram)].shorter) {
    words[i] = entries_[index(ngram)].word;
  }
  return words;
}

NgramId NgramTable::extend(NgramId ngram, WordId word) {
  if (const auto found = find(ngram, word)) return *found;
  require(entries_.size() < kMaxIds, "n-grams: more than 32 bits can number");
  const auto added = static_cast<NgramId>(entries_.size());
  entries_.push_back({ngram, word, entries_[index(ngram)].length + 1});
  longer_.emplace(longer_key(ngram, word), added);
  return added;
}

std::optional<NgramId> NgramTable::find(NgramId ngram, WordId word) const {
  const auto found = longer_.find(longer_key(ngram, word));
  if (found == longer_.end()) return std::nullopt;
  return found->second;
}

NgramForest split_by_ngrams(const Forest& forest, const EdgeMap<Yield>& yields, unsigned order,
                            const SplitOptions& options) {
  require(order >= 1, "split_by_ngrams: an order of ", order, "; expected 1 or more");
  check_yields(forest, yields);
  return NgramSplitter(forest, yields, order, options).split();
}

}  // namespace coppice
