// Items of label sequences as lists, to count them without the rules of chain/items.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "coppice/forest/split.h"
#include "coppice/text/spans.h"

namespace coppice::chain::testing {

using Labels = std::vector<std::uint16_t>;

inline const std::vector<std::string> kIob2{"O", "B-X", "I-X", "B-Y", "I-Y"};
inline const std::vector<std::string> kBioes{"O", "S-X", "B-X", "E-X"};
inline const std::vector<std::string> kRaw{"N", "V", "D"};

struct Scheme {
  const std::vector<std::string>& labels;
  text::Scheme scheme;
};
inline const Scheme kSchemes[] = {
    {kIob2, text::Scheme::kIob2}, {kBioes, text::Scheme::kBioes}, {kRaw, text::Scheme::kRaw}};

inline std::vector<std::tuple<std::size_t, std::size_t, std::string>> items_of(
    const Scheme& scheme, const Labels& labels) {
  std::vector<std::string_view> names;
  for (const std::uint16_t label : labels) names.push_back(scheme.labels[label]);
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> items;
  if (scheme.scheme == text::Scheme::kRaw) {
    for (std::size_t t = 0; t < names.size(); ++t) items.emplace_back(t, t + 1, names[t]);
  }
  for (const auto& span : text::spans_of(names, scheme.scheme, text::Reading::kLenient)) {
    items.emplace_back(span.begin, span.end, span.type);
  }
  return items;
}

// (n, d) by comparing lists of items.
inline Counts counts_of(const Scheme& scheme, const Labels& gold, const Labels& answer) {
  const auto right = items_of(scheme, gold), found = items_of(scheme, answer);
  Counts counts{0, static_cast<std::uint32_t>(found.size())};
  for (const auto& item : found) {
    counts.n += static_cast<std::uint32_t>(std::count(right.begin(), right.end(), item));
  }
  return counts;
}

inline std::uint32_t number_of_items(const Scheme& scheme, const Labels& gold) {
  return static_cast<std::uint32_t>(items_of(scheme, gold).size());
}

}  // namespace coppice::chain::testing
