// The text format of grammars; its definition is docs/grammar-format.md.
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/span/grammar.h"

namespace coppice::span {

namespace {

constexpr std::string_view kDelimiters = "\n'\"|[]";  // of names, beside blanks

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_begin_ = 3;  // a byte-order mark
  }

  Grammar read() && {
    for (; at_ < text_.size(); next_line()) {
      skip_blanks();
      if (at_end_of_rule()) continue;
      if (text_[at_] == '%') {
        read_directive();
      } else {
        read_rule();
      }
    }
    if (grammar_.num_rules() == 0) {
      throw ParseError(
          "the grammar has no rules",
          {.code = "E230", .where = {.file = name_}, .help = "a rule looks like  S -> NP VP"});
    }
    return std::move(grammar_);
  }

 private:
  struct Failure {
    const char* code;
    std::string message;
    std::string help;
  };

  [[noreturn]] void fail(const Failure& failure) const {
    const std::size_t end = std::min(text_.find('\n', line_begin_), text_.size());
    throw ParseError(failure.message,
                     {.code = failure.code,
                      .where = {.file = name_, .line = line_, .column = at_ - line_begin_ + 1},
                      .excerpt = std::string(trimmed(text_.substr(line_begin_, end - line_begin_))),
                      .help = failure.help});
  }

  bool at(std::string_view expected) const { return text_.substr(at_).starts_with(expected); }

  // The length of a backslash and the end of the line after it; 0 where there is none.
  std::size_t continuation() const { return at("\\\n") ? 2 : at("\\\r\n") ? 3 : 0; }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (const std::size_t length = continuation(); length != 0) {
        at_ += length - 1;
        ++line_;
        line_begin_ = at_ + 1;
      } else if (!is_blank(text_[at_])) {
        return;
      }
    }
  }

  bool at_end_of_rule() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '#';
  }

  void next_line() {
    at_ = text_.find('\n', at_);
    if (at_ == std::string_view::npos) {
      at_ = text_.size();
      return;
    }
    line_begin_ = ++at_;
    ++line_;
  }

  bool at_end_of_name() const {
    return at_ == text_.size() || is_blank(text_[at_]) ||
           kDelimiters.find(text_[at_]) != std::string_view::npos || at("->") ||
           continuation() != 0;
  }

  // A name without quotes; empty where none begins.
  std::string_view read_name() {
    const std::size_t begin = at_;
    while (!at_end_of_name()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // What stands here, for messages.
  std::string found() const {
    if (at_end_of_rule()) return "the end of the line";
    return concat("'", text_[at_], "'");
  }

  void read_directive() {
    const std::size_t begin = at_;
    const std::string_view directive = read_name();
    if (directive != "%start") {
      at_ = begin;
      fail({"E235", concat("unknown directive ", directive), "the only directive is  %start NAME"});
    }
    if (start_is_given_) {
      at_ = begin;
      fail({"E235", "a second %start", "a grammar has one start symbol: remove one of the lines"});
    }
    skip_blanks();
    const std::string_view name = at_end_of_rule() ? std::string_view() : read_name();
    if (name.empty()) {
      fail({"E235", "expected the name of a nonterminal after %start, found " + found(),
            "for example  %start S"});
    }
    skip_blanks();
    if (!at_end_of_rule()) {
      fail({"E235", concat("expected the end of the line after %start ", name, ", found ", found()),
            "a grammar has one start symbol"});
    }
    grammar_.set_start(grammar_.add_symbol(SymbolKind::kNonterminal, name));
    start_is_given_ = true;
  }

  void read_rule() {
    const std::string_view name = read_name();
    if (name.empty()) {
      fail({"E231", "expected a nonterminal at the left of a rule, found " + found(),
            "a rule looks like  S -> NP VP ; only words of the right side stand in quotes"});
    }
    const SymbolId left = grammar_.add_symbol(SymbolKind::kNonterminal, name);
    skip_blanks();
    if (!at("->")) {
      fail({"E231", concat("expected '->' after ", name, ", found ", found()),
            "a rule looks like  S -> NP VP ; a line that goes on ends in a backslash"});
    }
    at_ += 2;
    for (read_alternative(left); at("|"); read_alternative(left)) ++at_;
  }

  // The symbols up to '|' or the end of the rule, and their weight.
  void read_alternative(SymbolId left) {
    right_.clear();
    skip_blanks();
    const std::size_t line = line_;
    while (!at_end_of_rule() && !at("|") && !at("[")) {
      right_.push_back(read_symbol());
      skip_blanks();
    }
    if (right_.empty()) {
      fail({"E232", "empty right side in a rule of " + grammar_.name(left),
            "empty rules are not supported: instead, list the rules that use " +
                grammar_.name(left) + " both with it and without it"});
    }
    const std::optional<double> score = read_weight();
    grammar_.add_rule(left, right_, score, line);
  }

  SymbolId read_symbol() {
    const char first = text_[at_];
    if (first == '\'' || first == '"') return read_word(first);
    if (at("->")) {
      fail({"E231", "a second '->' in one rule", "begin every rule on a line of its own"});
    }
    const std::string_view name = read_name();
    if (name.empty()) {
      fail({"E231", concat("expected a symbol, found ", found()),
            "put a word that has this character in quotes"});
    }
    return grammar_.add_symbol(SymbolKind::kNonterminal, name);
  }

  SymbolId read_word(char quote) {
    const std::size_t end = text_.find_first_of(std::string{quote, '\n'}, at_ + 1);
    if (end == std::string_view::npos || text_[end] == '\n') {
      fail({"E233", concat("the word that opens with ", quote, " is not closed on its line"),
            "a word with ' in it stands in double quotes: \"o'clock\""});
    }
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    if (word.empty()) {
      fail({"E233", "a word without letters",
            "empty rules are not supported: list the rules with and without the symbol"});
    }
    at_ = end + 1;
    return grammar_.add_symbol(SymbolKind::kWord, word);
  }

  std::optional<double> read_weight() {
    if (!at("[")) return std::nullopt;
    const std::size_t end = text_.find_first_of("]\n", at_);
    if (end == std::string_view::npos || text_[end] == '\n') {
      fail({"E234", "'[' without ']'", "a weight looks like [0.25], at the end of a rule"});
    }
    const double score = parse_score(trimmed(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
    skip_blanks();
    if (!at_end_of_rule() && !at("|")) {
      fail({"E234", "expected '|' or the end of the line after a weight, found " + found(),
            "the weight is the last thing in a rule"});
    }
    return score;
  }

  double parse_score(std::string_view text) const {
    std::string_view number = text;
    const bool is_log = text.starts_with("ln") && text.size() > 2 && is_blank(text[2]);
    if (is_log) number = trimmed(text.substr(2));
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool is_number = error == std::errc() && end == number.data() + number.size();
    if (!is_number || !std::isfinite(value) || (!is_log && value <= 0)) {
      fail({"E234", concat("expected a positive weight, found [", text, "]"),
            "give a probability [0.25] or its natural logarithm [ln -1.386]"});
    }
    return is_log ? value : std::log(value);
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
  bool start_is_given_ = false;
  std::vector<SymbolId> right_;
  Grammar grammar_;
};

}  // namespace

Grammar parse_grammar(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

Grammar read_grammar(const std::string& path) {
  return parse_grammar(read_file(path), path == "-" ? "<stdin>" : path);
}

}  // namespace coppice::span
