// The slow, obvious parser: lists every tree by trying every rule and every way to split. For
// grammars without unary cycles, or with each symbol at most once in a chain of unary rules.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "coppice/span/grammar.h"

namespace coppice::testing {

class ReferenceParser {
 public:
  ReferenceParser(const span::Grammar& grammar, const std::vector<std::string>& words)
      : grammar_(grammar), words_(words) {}

  // In bracket notation; a tree that is found twice is listed twice.
  std::vector<std::string> trees() const {
    if (words_.empty()) return {};
    return trees_of(*grammar_.start(), 0, words_.size(), {});
  }

 private:
  using Trees = std::vector<std::string>;
  using Chain = std::vector<span::SymbolId>;  // the symbols above, by unary rules

  Trees trees_of(span::SymbolId symbol, std::size_t begin, std::size_t end, Chain above) const {
    if (grammar_.is_word(symbol)) {
      if (end != begin + 1 || words_[begin] != grammar_.name(symbol)) return {};
      return {words_[begin]};
    }
    if (std::find(above.begin(), above.end(), symbol) != above.end()) return {};
    above.push_back(symbol);
    Trees all;
    for (span::RuleId rule : grammar_.rules()) {
      if (grammar_.left(rule) != symbol) continue;
      for (const std::string& inner : sequences(grammar_.right(rule), begin, end, above)) {
        all.push_back("(" + grammar_.name(symbol) + inner + ")");
      }
    }
    return all;
  }

  Trees sequences(std::span<const span::SymbolId> symbols, std::size_t begin, std::size_t end,
                  const Chain& above) const {
    if (symbols.size() > end - begin) return {};
    if (symbols.empty()) return begin == end ? Trees{""} : Trees{};
    const bool is_unary = symbols.size() == 1 && !above.empty();
    Trees all;
    for (std::size_t middle = begin + 1; middle <= end; ++middle) {
      if (symbols.size() == 1 && middle < end) continue;
      const Trees rest = sequences(symbols.subspan(1), middle, end, {});
      if (rest.empty()) continue;
      for (const std::string& first :
           trees_of(symbols[0], begin, middle, is_unary ? above : Chain{})) {
        for (const std::string& others : rest) all.push_back(" " + first + others);
      }
    }
    return all;
  }

  const span::Grammar& grammar_;
  const std::vector<std::string>& words_;
};

}  // namespace coppice::testing
