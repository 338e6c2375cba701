#include "text/template_import.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "coppice/base/error.h"

namespace coppice::text {

namespace {

enum class Dialect : std::uint8_t { kCrfpp, kWapiti };

struct ImportFailure {
  std::size_t at;
  std::string message;
};

// What one Wapiti escape means here; empty when it is a character of its own.
std::string_view wapiti_class(char letter) {
  switch (letter) {
    case 'a':
      return "\\p{L}";
    case 'A':
      return "\\P{L}";
    case 'd':
      return "\\d";
    case 'D':
      return "\\D";
    case 'l':
      return "\\p{Ll}";
    case 'L':
      return "\\P{Ll}";
    case 'p':
      return "[\\p{P}\\p{S}]";
    case 'P':
      return "[^\\p{P}\\p{S}]";
    case 's':
      return "\\s";
    case 'S':
      return "\\S";
    case 'u':
      return "\\p{Lu}";
    case 'U':
      return "\\P{Lu}";
    case 'w':
      return "[\\p{L}\\d]";
    case 'W':
      return "[^\\p{L}\\d]";
    default:
      return "";
  }
}

// Only . * ? and the anchors at either end are special in Wapiti.
std::string translate_wapiti_regex(std::string_view pattern) {
  std::string out;
  const auto literal = [&out](char c) {
    if (std::string_view("^$+()[]{}|/.*?\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      const std::string_view known = wapiti_class(pattern[++i]);
      known.empty() ? literal(pattern[i]) : static_cast<void>(out += known);
    } else if ((c == '^' && i == 0) || (c == '$' && i + 1 == pattern.size()) || c == '.' ||
               c == '*' || c == '?') {
      out += c;
    } else {
      literal(c);
    }
  }
  return out;
}

// One line: its terms, and the text around them, in which each stands as "%".
class LineReader {
 public:
  LineReader(std::string_view line, Dialect dialect) : line_(line), dialect_(dialect) {
    while (at_ < line_.size()) {
      skeleton_ += line_[at_];
      if (line_[at_++] == '%') terms_.push_back(macro());
    }
  }

  const std::vector<Term>& terms() const { return terms_; }
  const std::string& skeleton() const { return skeleton_; }

 private:
  [[noreturn]] void fail(std::string message) const {
    throw ImportFailure{at_, std::move(message)};
  }

  Term macro() {
    const std::string_view allowed = dialect_ == Dialect::kCrfpp ? "x" : "xtmXTM";
    const char command = at_ < line_.size() ? line_[at_] : '\0';
    if (command == '\0' || allowed.find(command) == std::string_view::npos) {
      fail(concat("expected ", allowed == "x" ? "x" : "x, t or m", " after %"));
    }
    ++at_;
    expect('[');
    if (at_ < line_.size() && (line_[at_] == '@' || line_[at_] == '*')) {
      fail("absolute and indirect offsets have no counterpart");
    }
    Term term;
    term.offset = number(-kMaxOffset, kMaxOffset);
    expect(',');
    term.column = static_cast<std::size_t>(number(0, 9999));
    add_steps(term, command);
    expect(']');
    return term;
  }

  void add_steps(Term& term, char command) {
    const bool test = command == 't' || command == 'T', find = command == 'm' || command == 'M';
    if (test || find) {
      term.steps.push_back(
          {.function = test ? Function::kTest : Function::kFind, .argument = regex()});
    }
    if (command == 'X' || command == 'M') term.steps.push_back({.function = Function::kLower});
  }

  std::string regex() {
    expect(',');
    expect('"');
    const std::size_t begin = at_;
    while (at_ < line_.size() && line_[at_] != '"') at_ += line_[at_] == '\\' ? 2 : 1;
    if (at_ >= line_.size()) fail("'\"' without its end");
    std::string pattern = translate_wapiti_regex(line_.substr(begin, at_ - begin));
    ++at_;
    try {
      const Regex compiled(pattern);
    } catch (const ParseError& error) {
      throw ImportFailure{begin, error.what()};
    }
    return pattern;
  }

  void skip_blanks() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
  }

  void expect(char c) {
    skip_blanks();
    if (at_ >= line_.size() || line_[at_] != c) fail(concat("expected '", c, "'"));
    ++at_;
    if (c != '"') skip_blanks();
  }

  int number(int least, int most) {
    int value = 0;
    if (at_ < line_.size() && line_[at_] == '+') ++at_;
    const auto [end, error] =
        std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
    if (error != std::errc() || value < least || value > most) {
      fail(concat("expected a number between ", least, " and ", most));
    }
    at_ = static_cast<std::size_t>(end - line_.data());
    return value;
  }

  std::string_view line_;
  Dialect dialect_;
  std::size_t at_ = 0;
  std::vector<Term> terms_;
  std::string skeleton_;
};

struct Imported {
  std::string skeleton;
  Template one;
};

class Importer {
 public:
  Importer(const TemplateSource& source, Dialect dialect) : source_(source), dialect_(dialect) {
    require(!source.columns.empty(), "import of templates: no column has a name");
    set_.columns = source.columns;
  }

  TemplateSet import(std::string_view text) {
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
      try {
        read_line(without_comment(line));
      } catch (const ImportFailure& failure) {
        throw ParseError(failure.message, {.code = "E120",
                                           .where = {source_.file, line_number, failure.at + 1},
                                           .excerpt = std::string(line)});
      }
    }
    name_bags();
    return std::move(set_);
  }

 private:
  std::string_view without_comment(std::string_view line) const {
    const std::size_t comment = line.find('#');
    if (comment == 0 || (dialect_ == Dialect::kWapiti && comment != std::string_view::npos)) {
      line = line.substr(0, comment);
    }
    while (!line.empty() && std::string_view(" \t\r").find(line.back()) != std::string_view::npos) {
      line.remove_suffix(1);
    }
    return line;
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    const std::string_view kinds = dialect_ == Dialect::kCrfpp ? "UB" : "uUbB*";
    if (kinds.find(line.front()) == std::string_view::npos) {
      throw ImportFailure{0, dialect_ == Dialect::kCrfpp
                                 ? "expected a line that begins with U or B"
                                 : "expected a line that begins with u, b or *"};
    }
    const LineReader reader(line, dialect_);
    const bool pair = line.front() == 'b' || line.front() == 'B';
    if (!pair) add(reader, Scope::kState);
    if (pair || line.front() == '*') add(reader, Scope::kTransition);
  }

  void add(const LineReader& reader, Scope scope) {
    Template one{.scope = scope, .terms = reader.terms()};
    if (one.terms.empty()) {
      if (scope == Scope::kTransition) {
        set_.transition = true;
        return;
      }
      one.terms.push_back({.steps = {{.function = Function::kBias}}});
    }
    const auto same = [&](const Imported& other) {
      return other.skeleton == reader.skeleton() && other.one == one;
    };
    if (std::none_of(lines_.begin(), lines_.end(), same)) {
      lines_.push_back({reader.skeleton(), std::move(one)});
    }
  }

  // Lines of one skeleton share their attributes; the same template under two names counts once.
  void name_bags() {
    std::map<std::pair<Scope, std::string>, int> lines_of;
    for (const Imported& line : lines_) ++lines_of[{line.one.scope, line.skeleton}];
    std::set<std::string> texts;
    for (Imported& line : lines_) {
      if (lines_of[{line.one.scope, line.skeleton}] > 1) line.one.bag = line.skeleton;
      if (texts.insert(to_text(line.one, set_)).second) set_.templates.push_back(line.one);
    }
  }

  const TemplateSource& source_;
  Dialect dialect_;
  TemplateSet set_;
  std::vector<Imported> lines_;
};

}  // namespace

TemplateSet import_crfpp_templates(std::string_view text, const TemplateSource& source) {
  return Importer(source, Dialect::kCrfpp).import(text);
}

TemplateSet import_wapiti_patterns(std::string_view text, const TemplateSource& source) {
  return Importer(source, Dialect::kWapiti).import(text);
}

}  // namespace coppice::text
