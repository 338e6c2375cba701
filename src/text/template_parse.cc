// The reader of the template language. One Cursor a line; ranges multiply as they are read.
#include <charconv>
#include <set>

#include "coppice/base/error.h"
#include "coppice/text/template.h"
#include "text/template_lexis.h"

namespace coppice::text {

namespace {

constexpr std::size_t kMaxExpansion = 1000;  // templates that one line may stand for
constexpr std::uint32_t kMaxNumber = 255;
constexpr std::size_t kMaxColumn = 9999;
constexpr int kMaxDepth = 16;

struct Failure {
  std::size_t at;  // byte in the line
  std::string message;
  std::string code = "E120";
  std::string help{};
};

// Reads a line from left to right; what it cannot read it throws as a Failure.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) { skip_blanks(); }

  std::size_t at() const { return at_; }
  void back_to(std::size_t at) { at_ = at; }
  bool done() const { return at_ >= line_.size() || line_[at_] == '#'; }
  bool next_is(char c) const { return at_ < line_.size() && line_[at_] == c; }

  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  void expect(char c, std::string_view after) {
    if (take(c)) return;
    fail(concat("expected '", c, "' after ", after, ", found ", found()));
  }

  [[noreturn]] void fail(std::string message, std::string help = {}) const {
    throw Failure{at_, std::move(message), "E120", std::move(help)};
  }

  std::string found() const {
    return done() ? std::string("the end of the line") : concat("'", line_[at_], "'");
  }

  bool at_name() const {
    return at_ < line_.size() && (is_name_start(line_[at_]) || line_[at_] == '"');
  }

  std::string name(std::string_view what) {
    if (!at_name()) fail(concat("expected ", what, ", found ", found()));
    if (line_[at_] == '"') return quoted();
    const std::size_t begin = at_;
    while (at_ < line_.size() && is_name_character(line_[at_])) ++at_;
    std::string text(line_.substr(begin, at_ - begin));
    skip_blanks();
    return text;
  }

  std::string quoted() {
    const std::size_t begin = at_++;
    std::string text;
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      if (line_[at_] == '\\' && at_ + 1 < line_.size())
        ++at_, text += unescaped(line_[at_]);
      else
        text += line_[at_];
    }
    if (at_ >= line_.size()) throw Failure{begin, "'\"' without its end"};
    ++at_;
    skip_blanks();
    if (text.empty()) throw Failure{begin, "an empty name"};
    return text;
  }

  // The rest of the line, or what stands in quotes.
  std::string path() {
    if (next_is('"')) return quoted();
    std::string_view rest = line_.substr(at_);
    while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
    if (rest.empty()) fail("expected a file name");
    at_ = line_.size();
    return std::string(rest);
  }

  int integer(std::string_view what, int least, int most) {
    int value = 0;
    if (next_is('+')) ++at_;
    const char* last = line_.data() + line_.size();
    const auto [end, error] = std::from_chars(line_.data() + at_, last, value);
    if (error != std::errc() || value < least || value > most) {
      fail(concat("expected ", what, " between ", least, " and ", most));
    }
    at_ = static_cast<std::size_t>(end - line_.data());
    skip_blanks();
    return value;
  }

  struct Range {
    int first, last;
  };
  Range range(std::string_view what, int least, int most) {
    const int first = integer(what, least, most);
    if (!next_is('.')) return {first, first};
    if (line_.substr(at_, 2) != "..") fail("expected '..' between the ends of a range");
    at_ += 2;
    skip_blanks();
    const int last = integer(what, least, most);
    if (last < first) fail("the range is the wrong way round");
    return {first, last};
  }

  // /pattern/ or /pattern/i; checked by compiling it.
  void regex(Step& step) {
    if (!next_is('/')) fail(concat("expected a regular expression in / /, found ", found()));
    const std::size_t begin = ++at_;
    while (at_ < line_.size() && line_[at_] != '/') at_ += line_[at_] == '\\' ? 2 : 1;
    if (at_ >= line_.size()) throw Failure{begin - 1, "'/' without its end"};
    step.argument = std::string(line_.substr(begin, at_ - begin));
    ++at_;
    if (next_is('i')) ++at_, step.letter_case = LetterCase::kIgnored;
    skip_blanks();
    try {
      const Regex compiled(step.argument, step.letter_case);
    } catch (const ParseError& error) {
      throw Failure{begin + error.where().column - 1, error.what(), error.code(), error.help()};
    }
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static char unescaped(char c) { return c == 'n' ? '\n' : c; }
  void skip_blanks() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

class SetParser {
 public:
  explicit SetParser(const TemplateSource& source) : source_(source) {
    set_.columns = source.columns;
  }

  TemplateSet parse(std::string_view text) {
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
      try {
        Cursor cursor(line);
        if (!cursor.done()) read_line(cursor);
      } catch (const Failure& failure) {
        throw ParseError(failure.message, {.code = failure.code,
                                           .where = {source_.file, line_number, failure.at + 1},
                                           .excerpt = std::string(line),
                                           .help = failure.help});
      }
    }
    return std::move(set_);
  }

 private:
  void read_line(Cursor& cursor) {
    const std::size_t begin = cursor.at();
    if (cursor.at_name() && !cursor.next_is('"')) {
      const std::string word = cursor.name("a template");
      const bool followed = cursor.at_name();
      if (word == "columns" && followed) return read_columns(cursor);
      if (word == "list" && followed) return read_resource(cursor, Resource::Kind::kList);
      if (word == "classes" && followed) return read_resource(cursor, Resource::Kind::kClasses);
      if (word == "outside" && followed) return read_outside(cursor);
      if (word == "transition" && cursor.done()) return add_transition(begin);
      if (word == "transition" && cursor.take(':'))
        return read_template(cursor, Scope::kTransition);
      cursor.back_to(begin);
    }
    read_template(cursor, Scope::kState);
  }

  void expect_end(const Cursor& cursor) {
    if (!cursor.done()) cursor.fail("expected the end of the line, found " + cursor.found());
  }

  void read_columns(Cursor& cursor) {
    if (!set_.templates.empty()) cursor.fail("columns must be named before the first template");
    std::set<std::string> seen;
    set_.columns.clear();
    while (!cursor.done()) {
      const std::size_t at = cursor.at();
      set_.columns.push_back(cursor.name("the name of a column"));
      if (!seen.insert(set_.columns.back()).second) {
        throw Failure{at, concat("column \"", set_.columns.back(), "\" is named twice"), "E123"};
      }
    }
  }

  void read_resource(Cursor& cursor, Resource::Kind kind) {
    const std::size_t at = cursor.at();
    Resource resource{.kind = kind, .name = cursor.name("a name")};
    for (const Resource& other : set_.resources) {
      if (other.name == resource.name) {
        throw Failure{at, concat("\"", resource.name, "\" is defined twice"), "E123"};
      }
    }
    cursor.expect('=', "the name");
    resource.path = cursor.path();
    expect_end(cursor);
    set_.resources.push_back(std::move(resource));
  }

  void read_outside(Cursor& cursor) {
    const std::size_t at = cursor.at();
    const std::string word = cursor.name("mark or omit");
    if (word != "mark" && word != "omit") {
      throw Failure{at, concat("expected mark or omit, found \"", word, "\"")};
    }
    set_.outside = word == "mark" ? Outside::kMark : Outside::kOmit;
    expect_end(cursor);
  }

  void add_transition(std::size_t at) {
    if (set_.transition) throw Failure{at, "transition is given twice", "E123"};
    set_.transition = true;
  }

  void read_template(Cursor& cursor, Scope scope) {
    const std::size_t begin = cursor.at();
    std::vector<Template> expanded{{.scope = scope, .bag = read_bag(cursor)}};
    do {
      const std::vector<Term> terms = read_term(cursor, 0);
      std::vector<Template> longer;
      if (expanded.size() * terms.size() > kMaxExpansion) too_many(begin);
      for (const Template& one : expanded) {
        for (const Term& term : terms) {
          longer.push_back(one);
          longer.back().terms.push_back(term);
        }
      }
      expanded = std::move(longer);
    } while (cursor.take('|'));
    expect_end(cursor);
    for (Template& one : expanded) add_template(std::move(one), begin);
  }

  [[noreturn]] static void too_many(std::size_t at) {
    throw Failure{at, concat("the ranges stand for more than ", kMaxExpansion, " templates")};
  }

  std::string read_bag(Cursor& cursor) {
    const std::size_t begin = cursor.at();
    if (!cursor.at_name()) return "";
    std::string name = cursor.name("a template");
    if (cursor.take(':')) return name;
    cursor.back_to(begin);
    return "";
  }

  void add_template(Template one, std::size_t at) {
    std::string text = to_text(one, set_);
    if (!texts_.insert(text).second) {
      throw Failure{at, concat("the template ", text, " is there already"), "E123",
                    "a range may contain what another line says; leave one of them out"};
    }
    set_.templates.push_back(std::move(one));
  }

  std::vector<Term> read_term(Cursor& cursor, int depth) {
    if (depth > kMaxDepth) cursor.fail("functions nested too deeply");
    if (cursor.take('%')) return read_indexed_cell(cursor);
    const std::size_t begin = cursor.at();
    const std::string name = cursor.name("a column or a function");
    if (cursor.take('[')) return read_cell(cursor, name, begin);
    if (!cursor.take('(')) {
      cursor.fail(concat("expected '[' or '(' after \"", name, "\", found ", cursor.found()),
                  "write NAME[OFFSET] for a column, NAME(...) for a function");
    }
    return read_call(cursor, name, begin, depth);
  }

  std::vector<Term> read_indexed_cell(Cursor& cursor) {
    if (cursor.name("x") != "x") cursor.fail("expected %x[OFFSET,COLUMN]");
    cursor.expect('[', "%x");
    const Cursor::Range offsets = cursor.range("an offset", -kMaxOffset, kMaxOffset);
    cursor.expect(',', "the offset");
    const int column = cursor.integer("a column", 0, kMaxColumn);
    cursor.expect(']', "the column");
    return cells(static_cast<std::size_t>(column), offsets);
  }

  std::vector<Term> read_cell(Cursor& cursor, const std::string& name, std::size_t begin) {
    for (std::size_t column = 0; column < set_.columns.size(); ++column) {
      if (set_.columns[column] != name) continue;
      const Cursor::Range offsets = cursor.range("an offset", -kMaxOffset, kMaxOffset);
      cursor.expect(']', "the offset");
      return cells(column, offsets);
    }
    std::string known = "the columns are";
    for (const std::string& column : set_.columns) known += concat(" ", quoted_name(column));
    throw Failure{begin, concat("unknown column \"", name, "\""), "E121",
                  known + "; name others with a line `columns NAME ...`"};
  }

  static std::vector<Term> cells(std::size_t column, Cursor::Range offsets) {
    std::vector<Term> terms;
    for (int offset = offsets.first; offset <= offsets.last; ++offset) {
      terms.push_back({.column = column, .offset = offset});
    }
    return terms;
  }

  std::vector<Term> read_call(Cursor& cursor, const std::string& name, std::size_t begin,
                              int depth) {
    const FunctionInfo* function = find_function(name);
    if (function == nullptr) {
      throw Failure{begin, concat("unknown function \"", name, "\""), "E121",
                    "the functions are " + function_names()};
    }
    std::vector<Term> terms{Term{}};
    if (!function->of_position) {
      const std::size_t inner = cursor.at();
      terms = read_term(cursor, depth + 1);
      check_nesting(*function, terms.front(), inner);
    }
    const std::vector<Step> steps = read_arguments(cursor, *function);
    cursor.expect(')', concat("the arguments of ", name));
    if (terms.size() * steps.size() > kMaxExpansion) too_many(begin);
    std::vector<Term> applied;
    for (const Term& term : terms) {
      for (const Step& step : steps) {
        applied.push_back(term);
        applied.back().steps.push_back(step);
      }
    }
    return applied;
  }

  static void check_nesting(const FunctionInfo& outer, const Term& inner, std::size_t at) {
    if (inner.steps.empty()) return;
    const FunctionInfo& last = info(inner.steps.back().function);
    if (last.outermost) throw Failure{at, concat(last.name, "(...) gives no text")};
    if (outer.function == Function::kValue) throw Failure{at, "value(...) takes a plain cell"};
  }

  std::vector<Step> read_arguments(Cursor& cursor, const FunctionInfo& function) {
    Step step{.function = function.function};
    if (function.argument == Argument::kNone) return {step};
    cursor.expect(',', "the first argument");
    switch (function.argument) {
      case Argument::kRegex:
        cursor.regex(step);
        return {step};
      case Argument::kList:
        step.argument = read_resource_name(cursor, Resource::Kind::kList);
        return {step};
      case Argument::kClasses:
        step.argument = read_resource_name(cursor, Resource::Kind::kClasses);
        if (!cursor.take(',')) return {step};
        break;
      default:
        break;
    }
    return numbered(step, cursor.range("a number", 1, kMaxNumber));
  }

  static std::vector<Step> numbered(const Step& step, Cursor::Range numbers) {
    std::vector<Step> steps;
    for (int number = numbers.first; number <= numbers.last; ++number) {
      steps.push_back(step);
      steps.back().number = static_cast<std::uint32_t>(number);
    }
    return steps;
  }

  std::string read_resource_name(Cursor& cursor, Resource::Kind kind) {
    const std::size_t begin = cursor.at();
    const bool list = kind == Resource::Kind::kList;
    std::string name = cursor.name(list ? "the name of a list" : "the name of word classes");
    for (const Resource& resource : set_.resources) {
      if (resource.name == name && resource.kind == kind) return name;
    }
    const std::string_view keyword = list ? "list" : "classes";
    throw Failure{begin, concat("unknown ", keyword, " \"", name, "\""), "E121",
                  concat("define it above with `", keyword, " ", quoted_name(name), " = FILE`")};
  }

  const TemplateSource& source_;
  TemplateSet set_;
  std::set<std::string> texts_;
};

}  // namespace

TemplateSet parse_templates(std::string_view text, const TemplateSource& source) {
  require(!source.columns.empty(), "parse_templates: no column has a name");
  return SetParser(source).parse(text);
}

}  // namespace coppice::text
