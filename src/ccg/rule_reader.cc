// The text format of Rules; rules.h defines it.
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "ccg/form_parser.h"
#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/ccg/rules.h"

namespace coppice::ccg {

namespace {

constexpr const char* kRuleHelp =
    "a line is root, punctuation or conjunction and a category; change NUMBER X Y; raise X Y; or "
    "seen X Y";

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    if (line[at] == '#') break;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class RuleReader {
 public:
  RuleReader(Forms& forms, std::string_view text, const std::string& name)
      : forms_(forms), lines_(LineReader::over(text, name)) {}

  Rules read() {
    for (std::string_view line; lines_.next(line);) {
      line_ = line;
      if (lines_.line_number() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      words_ = words_of(line);
      if (words_.empty()) continue;
      try {
        read_rule();
      } catch (const Error& error) {
        fail(error.what());
      }
    }
    return std::move(rules_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw ParseError(message, {.code = "E272",
                               .where = {.file = lines_.name(), .line = lines_.line_number()},
                               .excerpt = std::string(line_.substr(0, 120)),
                               .help = kRuleHelp});
  }

  void require_words(std::size_t count) const {
    if (words_.size() != count)
      throw ParseError(concat("expected ", count, " words, found ", words_.size()));
  }

  CategoryId category(std::size_t word) { return forms_.categories().parse(words_[word]); }

  void read_rule() {
    const std::string_view kind = words_.front();
    if (kind == "root" || kind == "punctuation" || kind == "conjunction") {
      require_words(2);
      auto& list = kind == "root"          ? rules_.roots
                   : kind == "punctuation" ? rules_.punctuation
                                           : rules_.conjunctions;
      list.push_back(category(1));
    } else if (kind == "seen") {
      require_words(3);
      rules_.add_seen(category(1), category(2));
    } else if (kind == "raise") {
      require_words(3);
      rules_.unary.push_back(has_variables()
                                 ? written({.kind = UnaryKind::kTypeRaising}, 1, 2)
                                 : make_raise(forms_.categories(), category(1), category(2)));
    } else if (kind == "change") {
      rules_.unary.push_back(read_change());
    } else {
      throw ParseError(concat("unknown rule \"", kind, "\""));
    }
  }

  bool has_variables() const { return line_.find('{') != std::string_view::npos; }

  UnaryRule read_change() {
    if (words_.size() < 4) throw ParseError("expected a number, a category and its new category");
    const std::uint16_t number = read_number(words_[1]);
    std::size_t child = 2;
    Comma comma = Comma::kNone;
    if (words_.size() == 5 && words_[2] == ",") {
      comma = Comma::kLeft;
      child = 3;
    } else if (words_.size() == 5 && words_[3] == ",") {
      comma = Comma::kRight;
    } else {
      require_words(4);
    }
    const std::size_t result = words_.size() - 1;
    if (has_variables())
      return written({.kind = UnaryKind::kTypeChange, .comma = comma, .number = number}, child,
                     result);
    return make_change(forms_.categories(), category(child), category(result), number, comma);
  }

  static std::uint16_t read_number(std::string_view word) {
    std::uint16_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number == 0)
      throw ParseError(concat("expected a number from 1 to 65535, found ", word));
    return number;
  }

  // A rule whose variables are written out.
  UnaryRule written(UnaryRule rule, std::size_t child_word, std::size_t result_word) {
    VariableNames names;
    ParsedForm child = parse_form(forms_.categories(), words_[child_word], names);
    ParsedForm result = parse_form(forms_.categories(), words_[result_word], names);
    if (names.count > kMaxUnaryVariables) throw ParseError("too many variables");
    for (std::size_t part = 0; part < result.parts.size(); ++part) {
      if (result.parts[part].slot == 0) continue;
      if (rule.added.number != 0) throw ParseError("a unary rule adds one slot at most");
      rule.added = {result.parts[part].slot,
                    static_cast<std::uint8_t>(result.variables[part].variable())};
    }
    rule.child = child.parts.front().category;
    rule.result = result.parts.front().category;
    rule.child_variables = std::move(child.variables);
    rule.result_variables = std::move(result.variables);
    return rule;
  }

  Forms& forms_;
  LineReader lines_;
  std::string_view line_;
  std::vector<std::string_view> words_;
  Rules rules_;
};

}  // namespace

Rules parse_rules(Forms& forms, std::string_view text, const std::string& name) {
  return RuleReader(forms, text, name).read();
}

Rules read_rules(Forms& forms, const std::string& path) {
  return parse_rules(forms, read_file(path), path == "-" ? "<stdin>" : path);
}

}  // namespace coppice::ccg
