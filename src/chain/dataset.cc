#include "chain/dataset.h"

#include <algorithm>

namespace coppice::chain {

Annotation Dataset::annotation(std::size_t sentence) const noexcept {
  const std::size_t begin = sentence_begin[sentence];
  const std::size_t length = sentence_begin[sentence + 1] - begin;
  Annotation found{std::span(gold_begin).subspan(begin, length + 1), gold, true};
  for (std::size_t t = 0; t < length; ++t) {
    found.complete = found.complete && found.at(t).size() == 1;
  }
  return found;
}

SoftTargets Dataset::soft_targets(std::size_t sentence) const noexcept {
  if (soft.empty()) return {};
  const std::size_t begin = sentence_begin[sentence];
  const std::size_t length = sentence_begin[sentence + 1] - begin;
  const std::size_t square = num_labels * num_labels;
  SoftTargets found{num_labels, std::span(soft).subspan(begin * num_labels, length * num_labels)};
  if (!soft_pairs.empty())
    found.pairs = std::span(soft_pairs).subspan(begin * square, length * square);
  return found;
}

std::optional<std::size_t> first_impossible(const Dataset& data, std::size_t sentence,
                                            const Constraints& constraints) {
  const std::size_t begin = data.sentence_begin[sentence], end = data.sentence_begin[sentence + 1];
  std::vector<std::size_t> before, reached, possible;
  for (std::size_t t = begin; t < end; ++t) {
    const auto gold = data.gold_of(t);
    possible.assign(gold.begin(), gold.end());
    for (std::size_t y = 0; gold.empty() && y < data.num_labels; ++y) possible.push_back(y);
    reached.clear();
    for (const std::size_t y : possible) {
      const auto precedes = [&](std::size_t u) {
        return constraints.allows(u, y, data.num_labels);
      };
      const bool can_be = t == begin ? constraints.may_begin(y)
                                     : std::any_of(before.begin(), before.end(), precedes);
      const bool can_stay = t + 1 < end || constraints.may_end(y);
      if (can_be && can_stay) reached.push_back(y);
    }
    if (reached.empty()) return t;
    before.swap(reached);
  }
  return std::nullopt;
}

}  // namespace coppice::chain
