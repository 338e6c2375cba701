// What is odd about a grammar: check() of grammar.h.
#include <cmath>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/span/grammar.h"
#include "span/rows.h"
#include "span/unary_order.h"

namespace coppice::span {

namespace {

constexpr double kSumTolerance = 1e-6;  // of printed probabilities such as 0.333333

class Checker {
 public:
  explicit Checker(const Grammar& grammar)
      : grammar_(grammar),
        is_productive_(grammar.num_symbols(), 0),
        is_reachable_(grammar.num_symbols(), 0) {
    std::vector<std::pair<std::uint32_t, RuleId>> by_left;
    std::vector<std::pair<std::uint32_t, RuleId>> by_symbol;
    for (RuleId rule : grammar.rules()) {
      by_left.emplace_back(static_cast<std::uint32_t>(grammar.left(rule)), rule);
      for (SymbolId symbol : grammar.right(rule)) {
        by_symbol.emplace_back(static_cast<std::uint32_t>(symbol), rule);
      }
    }
    rules_of_ = {grammar.num_symbols(), by_left};
    uses_of_ = {grammar.num_symbols(), by_symbol};
    find_productive();
    find_reachable();
  }

  std::vector<Finding> findings() && {
    report_undefined();
    report_useless_rules();
    for (const auto& [rule, line] : grammar_.repetitions()) {
      report(FindingKind::kRepeated, line, "rule given again: ", to_string(grammar_, rule));
    }
    report_cycles();
    for (SymbolId symbol : grammar_.symbols()) report_weights(symbol);
    return std::move(findings_);
  }

 private:
  template <class... Parts>
  void report(FindingKind kind, std::size_t line, const Parts&... parts) {
    findings_.push_back({kind, concat(parts...), line});
  }

  // A symbol is productive when it is a word, or when all symbols of one of its rules are.
  void find_productive() {
    RuleMap<std::size_t> missing(grammar_.num_rules(), 0);
    for (RuleId rule : grammar_.rules()) missing[rule] = grammar_.right(rule).size();
    std::vector<SymbolId> queue;
    for (SymbolId symbol : grammar_.symbols()) {
      if (grammar_.is_word(symbol)) mark(symbol, is_productive_, queue);
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (RuleId rule : uses_of_[index(queue[i])]) {
        if (--missing[rule] == 0) mark(grammar_.left(rule), is_productive_, queue);
      }
    }
  }

  // From the start symbol down, through rules that derive something.
  void find_reachable() {
    std::vector<SymbolId> queue;
    if (const auto start = grammar_.start()) mark(*start, is_reachable_, queue);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (RuleId rule : rules_of_[index(queue[i])]) {
        if (!is_productive(rule)) continue;
        for (SymbolId symbol : grammar_.right(rule)) mark(symbol, is_reachable_, queue);
      }
    }
  }

  static void mark(SymbolId symbol, SymbolMap<unsigned char>& set, std::vector<SymbolId>& queue) {
    if (set[symbol] != 0) return;
    set[symbol] = 1;
    queue.push_back(symbol);
  }

  bool is_productive(RuleId rule) const {
    for (SymbolId symbol : grammar_.right(rule)) {
      if (is_productive_[symbol] == 0) return false;
    }
    return true;
  }

  void report_undefined() {
    for (SymbolId symbol : grammar_.symbols()) {
      if (grammar_.is_word(symbol) || !rules_of_[index(symbol)].empty()) continue;
      const auto uses = uses_of_[index(symbol)];
      const std::string& name = grammar_.name(symbol);
      if (uses.empty()) {
        report(FindingKind::kUndefined, 0, "the start symbol ", name, " has no rule");
      } else {
        report(FindingKind::kUndefined, grammar_.line(uses[0]), "nonterminal ", name,
               " has no rule; a word stands in quotes: '", name, "'");
      }
    }
  }

  void report_useless_rules() {
    for (RuleId rule : grammar_.rules()) {
      if (is_productive(rule)) continue;
      report(FindingKind::kUnproductive, grammar_.line(rule),
             "rule derives no words: ", to_string(grammar_, rule));
    }
    for (RuleId rule : grammar_.rules()) {
      if (!is_productive(rule) || is_reachable_[grammar_.left(rule)] != 0) continue;
      report(FindingKind::kUnreachable, grammar_.line(rule),
             "rule is not reached from the start symbol: ", to_string(grammar_, rule));
    }
  }

  void report_cycles() {
    const UnaryOrder order(grammar_);
    for (SymbolId symbol : order.cyclic_symbols()) {
      const auto rules = rules_of_[index(symbol)];
      report(FindingKind::kUnaryCycle, rules.empty() ? 0 : grammar_.line(rules[0]), "unary cycle ",
             describe_cycle(grammar_, order, symbol));
    }
  }

  void report_weights(SymbolId symbol) {
    std::size_t weighted = 0;
    double sum = 0;
    const auto rules = rules_of_[index(symbol)];
    for (RuleId rule : rules) {
      if (!grammar_.is_weighted(rule)) continue;
      ++weighted;
      sum += std::exp(grammar_.score(rule));
    }
    if (weighted == 0) return;
    const std::string& name = grammar_.name(symbol);
    if (weighted < rules.size()) {
      report(FindingKind::kUnnormalized, grammar_.line(rules[0]), "only ", weighted, " of ",
             rules.size(), " rules of ", name, " have a weight");
    } else if (!(std::abs(sum - 1) <= kSumTolerance)) {
      report(FindingKind::kUnnormalized, grammar_.line(rules[0]), "the weights of ", name,
             " add up to ", sum);
    }
  }

  const Grammar& grammar_;
  Rows<RuleId> rules_of_;
  Rows<RuleId> uses_of_;  // a rule that has the symbol twice is there twice
  SymbolMap<unsigned char> is_productive_;
  SymbolMap<unsigned char> is_reachable_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check(const Grammar& grammar) { return Checker(grammar).findings(); }

}  // namespace coppice::span
