// Interpolated modified Kneser-Ney as its formulas say it, over maps of strings; see training.h.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "coppice/lm/discounts.h"
#include "lm/small_text.h"

namespace coppice::lm::testing {

class SlowKneserNey {
 public:
  SlowKneserNey(const Text& text, std::size_t order, std::vector<std::uint64_t> thresholds)
      : order_(order), thresholds_(std::move(thresholds)) {
    thresholds_.resize(order, thresholds_.empty() ? 0 : thresholds_.back());
    for (Words sentence : text) {
      sentence.insert(sentence.begin(), "<s>");
      sentence.emplace_back("</s>");
      for (std::size_t end = 2; end <= sentence.size(); ++end)
        for (std::size_t n = 1; n <= std::min(order + 1, end); ++n)
          ++counts_[Words(sentence.begin() + static_cast<std::ptrdiff_t>(end - n),
                          sentence.begin() + static_cast<std::ptrdiff_t>(end))];
    }
    for (const auto& [ngram, count] : counts_) {
      if (ngram.size() == 1) words_.insert(ngram[0]);
      if (ngram.size() > 1 && ngram.size() <= order + 1)
        before_[Words(ngram.begin() + 1, ngram.end())].insert(ngram[0]);
    }
    for (std::size_t n = 1; n <= order; ++n) discounts_.push_back(discounts_of(n));
  }

  // p(w | h), h having any number of words.
  double p(Words context, const std::string& word) const {
    if (context.size() >= order_)
      context.erase(context.begin(), context.end() - static_cast<std::ptrdiff_t>(order_ - 1));
    double total = 0;
    double backoff = 0;
    double own = 0;
    for (const auto& [ngram, count] : counts_) {
      if (ngram.size() != context.size() + 1 ||
          !std::equal(context.begin(), context.end(), ngram.begin()))
        continue;
      const std::uint64_t adjusted = adjusted_count(ngram);
      const double discount = discounts_[ngram.size() - 1].of(adjusted);
      const bool pruned = count <= thresholds_[ngram.size() - 1];
      total += static_cast<double>(adjusted);
      backoff += pruned ? static_cast<double>(adjusted) : discount;
      if (ngram.back() == word && !pruned) own = static_cast<double>(adjusted) - discount;
    }
    const bool is_shortest = context.empty();
    const double lower = is_shortest ? 1.0 / static_cast<double>(words_.size() + 1)  // and <unk>
                                     : p(Words(context.begin() + 1, context.end()), word);
    return total == 0 ? lower : own / total + backoff / total * lower;
  }

 private:
  std::uint64_t adjusted_count(const Words& ngram) const {
    if (ngram.size() == order_ || ngram[0] == "<s>") return counts_.at(ngram);
    return before_.at(ngram).size();
  }

  Discounts discounts_of(std::size_t length) const {
    std::array<std::uint64_t, 4> counts_of_counts{};
    for (const auto& [ngram, count] : counts_) {
      if (ngram.size() != length) continue;
      const std::uint64_t adjusted = adjusted_count(ngram);
      if (adjusted <= 4) ++counts_of_counts[adjusted - 1];
    }
    return discounts_from(counts_of_counts);
  }

  std::size_t order_;
  std::vector<std::uint64_t> thresholds_;
  std::map<Words, std::uint64_t> counts_;
  std::map<Words, std::set<std::string>> before_;
  std::set<std::string> words_;
  std::vector<Discounts> discounts_{};
};

}  // namespace coppice::lm::testing
