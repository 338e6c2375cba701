#include "coppice/span/grammar.h"

#include <cmath>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/semiring/log.h"

namespace coppice::span {

namespace {

// Equal rules have equal keys, and only they do.
std::u32string rule_key(SymbolId left, std::span<const SymbolId> right) {
  std::u32string key(1, static_cast<char32_t>(left));
  for (SymbolId symbol : right) key.push_back(static_cast<char32_t>(symbol));
  return key;
}

std::string quoted(const std::string& word) {
  const char quote = word.find('\'') == std::string::npos ? '\'' : '"';
  return quote + word + quote;
}

}  // namespace

SymbolId Grammar::add_symbol(SymbolKind kind, std::string_view name) {
  require(!name.empty(), "grammar: a symbol without a name");
  if (const auto known = find(kind, name)) return *known;
  require(num_symbols() < kMaxIds, "grammar: more than ", kMaxIds, " symbols");
  const auto symbol = static_cast<SymbolId>(num_symbols());
  (kind == SymbolKind::kWord ? words_ : nonterminals_).emplace(name, symbol);
  names_.push_back(std::string(name));
  kinds_.push_back(kind);
  return symbol;
}

std::optional<SymbolId> Grammar::find(SymbolKind kind, std::string_view name) const {
  const NameIndex& names = kind == SymbolKind::kWord ? words_ : nonterminals_;
  const auto found = names.find(name);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

void Grammar::require_symbol(SymbolId symbol) const {
  require(index(symbol) < num_symbols(), "grammar: symbol ", index(symbol), " of ", num_symbols());
}

RuleId Grammar::add_rule(SymbolId left, std::span<const SymbolId> right,
                         std::optional<double> score, std::size_t line) {
  require_symbol(left);
  for (SymbolId symbol : right) require_symbol(symbol);
  require(!is_word(left), "grammar: the word ", quoted(name(left)), " on the left of a rule");
  require(!right.empty(), "grammar: an empty right side in a rule of ", name(left));
  require(!score || std::isfinite(*score), "grammar: a rule of ", name(left), " has score ",
          score.value_or(0));
  require(num_rules() + 1 < kMaxIds && right_.size() + right.size() < kMaxIds,
          "grammar: more than ", kMaxIds, " rules or symbols in them");
  const auto [entry, is_new] =
      rule_of_.try_emplace(rule_key(left, right), static_cast<RuleId>(num_rules()));
  const RuleId rule = entry->second;
  if (!is_new) {
    if (score && is_weighted(rule)) score_[rule] = LogSemiring::plus(score_[rule], *score);
    repetitions_.push_back({rule, line});
    return rule;
  }
  left_.push_back(left);
  right_.insert(right_.end(), right.begin(), right.end());
  right_begin_.push_back(static_cast<std::uint32_t>(right_.size()));
  score_.push_back(score.value_or(0.0));
  is_weighted_.push_back(score ? 1 : 0);
  line_.push_back(line);
  if (!start_) start_ = left;
  return rule;
}

void Grammar::set_start(SymbolId start) {
  require_symbol(start);
  require(!is_word(start), "grammar: the start symbol is the word ", quoted(name(start)));
  start_ = start;
}

std::string to_string(const Grammar& grammar, SymbolId symbol) {
  const std::string& name = grammar.name(symbol);
  return grammar.is_word(symbol) ? quoted(name) : name;
}

std::string to_string(const Grammar& grammar, RuleId rule) {
  std::string text = grammar.name(grammar.left(rule)) + " ->";
  for (SymbolId symbol : grammar.right(rule)) text += ' ' + to_string(grammar, symbol);
  return text;
}

}  // namespace coppice::span
