// Context-free grammars: symbols, rules of any length with optional weights, and a text format.
//
//     %start S              # the start symbol; without it, the left side of the first rule
//     S  -> NP VP
//     NP -> Det N [0.6] | NP PP [0.4]
//     Det -> 'the' | "a"
//
// Names without quotes are nonterminals, quoted ones are words; the nonterminal `the` and the word
// 'the' are two symbols. Text is bytes: no encoding is assumed. docs/grammar-format.md has it all.
//
// Conventions:
//   * a weight [p] is a positive number, usually a probability; [ln s] gives its logarithm. The
//     score of a rule is ln p, and 0 where no weight was given;
//   * a rule given twice is one rule, so it never doubles the number of parses. Two weights are
//     added, which leaves the distribution over trees as it was; otherwise what came first stands;
//   * an empty right side is refused: no rule of ours derives the empty string;
//   * a nonterminal without rules, rules that no sentence can use and unary cycles are no errors:
//     check() lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coppice/base/id.h"

namespace coppice::span {

enum class SymbolId : std::uint32_t {};
enum class RuleId : std::uint32_t {};

template <class T>
using SymbolMap = IdMap<SymbolId, T>;
template <class T>
using RuleMap = IdMap<RuleId, T>;

inline constexpr RuleId kNoRule{std::numeric_limits<std::uint32_t>::max()};

enum class SymbolKind : unsigned char { kNonterminal, kWord };

class Grammar {
 public:
  // The symbol of this kind and name, made if it is new. Throws InvalidArgument for an empty name.
  SymbolId add_symbol(SymbolKind kind, std::string_view name);

  // Adds a rule, or merges it into the equal one that is there; returns the rule's id. `line` is
  // where it stands in its file, 0 if it stands in none. Throws InvalidArgument when `left` is
  // a word, `right` is empty, an id is unknown, or the score is not finite.
  RuleId add_rule(SymbolId left, std::span<const SymbolId> right,
                  std::optional<double> score = std::nullopt, std::size_t line = 0);

  // Throws InvalidArgument when `start` is not a nonterminal of this grammar.
  void set_start(SymbolId start);

  std::size_t num_symbols() const noexcept { return names_.size(); }
  std::size_t num_rules() const noexcept { return left_.size(); }
  IdRange<SymbolId> symbols() const noexcept { return IdRange<SymbolId>(num_symbols()); }
  IdRange<RuleId> rules() const noexcept { return IdRange<RuleId>(num_rules()); }

  SymbolKind kind(SymbolId symbol) const noexcept { return kinds_[symbol]; }
  bool is_word(SymbolId symbol) const noexcept { return kinds_[symbol] == SymbolKind::kWord; }
  // Without quotes; lives as long as the grammar and its symbols are left alone.
  const std::string& name(SymbolId symbol) const noexcept { return names_[symbol]; }
  std::optional<SymbolId> find(SymbolKind kind, std::string_view name) const;

  SymbolId left(RuleId rule) const noexcept { return left_[rule]; }
  std::span<const SymbolId> right(RuleId rule) const noexcept {
    const std::size_t begin = right_begin_[index(rule)];
    return {right_.data() + begin, right_begin_[index(rule) + 1] - begin};
  }
  // ln of the weight; 0 where there is none.
  double score(RuleId rule) const noexcept { return score_[rule]; }
  bool is_weighted(RuleId rule) const noexcept { return is_weighted_[rule] != 0; }
  // The line of the file where the rule was given first; 0 if unknown.
  std::size_t line(RuleId rule) const noexcept { return line_[rule]; }

  // The symbol set by set_start, else the left side of the first rule; none in an empty grammar.
  std::optional<SymbolId> start() const noexcept { return start_; }

  // A rule that was given again, and where.
  struct Repetition {
    RuleId rule;
    std::size_t line;
  };
  std::span<const Repetition> repetitions() const noexcept { return repetitions_; }

 private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library asks for it
  };
  using NameIndex = std::unordered_map<std::string, SymbolId, TextHash, std::equal_to<>>;

  void require_symbol(SymbolId symbol) const;

  SymbolMap<std::string> names_;
  SymbolMap<SymbolKind> kinds_;
  NameIndex nonterminals_;
  NameIndex words_;
  RuleMap<SymbolId> left_;
  std::vector<std::uint32_t> right_begin_{0};
  std::vector<SymbolId> right_;
  RuleMap<double> score_;
  RuleMap<unsigned char> is_weighted_;
  RuleMap<std::size_t> line_;
  std::unordered_map<std::u32string, RuleId> rule_of_;  // left side and right side -> rule
  std::vector<Repetition> repetitions_;
  std::optional<SymbolId> start_;
};

// Reads the format above; `name` stands for the file in messages. Throws ParseError with line and
// column: E230 no rules, E231 not a rule, E232 empty right side, E233 bad word, E234 bad weight,
// E235 bad directive. O(length of the text).
Grammar parse_grammar(std::string_view text, const std::string& name = "<grammar>");

// The same from a file; also throws IoError.
Grammar read_grammar(const std::string& path);

// In the format's own spelling: "NP" or "'big'", and "NP -> Det 'big' N".
std::string to_string(const Grammar& grammar, SymbolId symbol);
std::string to_string(const Grammar& grammar, RuleId rule);

enum class FindingKind : unsigned char {
  kUndefined,     // a nonterminal is used but has no rule
  kUnproductive,  // a rule derives no string of words
  kUnreachable,   // a productive rule is in no derivation from the start symbol
  kRepeated,      // a rule is given more than once
  kUnaryCycle,    // rules A -> B, B -> A: sentences may have infinitely many parses
  kUnnormalized,  // the weights of a nonterminal's rules do not add up to 1, or some are missing
};

struct Finding {
  FindingKind kind;
  std::string message;   // one line
  std::size_t line = 0;  // in the grammar's file; 0 if unknown
};

// What is odd about a grammar but no error, by kind and then in the order of the rules.
// O(size of the grammar).
std::vector<Finding> check(const Grammar& grammar);

}  // namespace coppice::span
