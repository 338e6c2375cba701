#include "ccg/category_parser.h"

#include <charconv>
#include <optional>

#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

constexpr std::string_view kSpecial = "()/\\[]{}<>_ \t\r\n";
constexpr int kMaxSlot = 99;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class CategoryParser {
 public:
  CategoryParser(Categories& categories, std::string_view text)
      : categories_(categories), text_(text) {}

  std::vector<ParsedPart> parse() {
    open_.push_back({});
    while (at_ < text_.size()) step();
    if (open_.size() > 1) fail("'(' is not closed", open_.back().column);
    if (wants_operand()) fail("expected a category, found the end");
    return in_prefix_order(*open_.back().left);
  }

 private:
  // What an open bracket holds so far: nothing, a category, or a category and a slash.
  struct Open {
    std::size_t column = 0;
    std::optional<std::uint32_t> left{};
    std::optional<Slash> slash{};
  };

  [[noreturn]] void fail(const std::string& message, std::size_t at) const {
    throw ParseError(message, {.code = "E270",
                               .where = {.file = {}, .column = at + 1},
                               .help = "a category looks like (S[dcl]\\NP)/NP"});
  }
  [[noreturn]] void fail(const std::string& message) const { fail(message, at_); }

  bool wants_operand() const { return !open_.back().left || open_.back().slash; }

  void step() {
    const char c = text_[at_];
    if (wants_operand()) {
      if (c == '(') {
        open_.push_back({.column = at_++});
      } else {
        operand(read_atom());
      }
    } else if (c == '/' || c == '\\') {
      open_.back().slash = c == '/' ? Slash::kForward : Slash::kBackward;
      ++at_;
    } else if (c == ')' && open_.size() > 1) {
      ++at_;
      const std::uint32_t inner = *open_.back().left;
      open_.pop_back();
      read_annotations(inner);
      operand(inner);
    } else {
      fail(concat("unexpected '", c, "' after a category"));
    }
  }

  void operand(std::uint32_t part) {
    Open& here = open_.back();
    if (here.slash) {
      const CategoryId category = complex(*here.left, *here.slash, part);
      parts_.push_back({.category = category, .result = *here.left, .argument = part});
      part = static_cast<std::uint32_t>(parts_.size() - 1);
    }
    here.left = part;
    here.slash.reset();
  }

  CategoryId complex(std::uint32_t result, Slash slash, std::uint32_t argument) const {
    try {
      return categories_.complex(parts_[result].category, slash, parts_[argument].category);
    } catch (const InvalidArgument& error) {
      fail(error.what());
    }
  }

  std::string_view read_run(const char* what) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && kSpecial.find(text_[at_]) == std::string_view::npos) ++at_;
    if (at_ == begin) fail(concat("expected ", what, at_ == text_.size() ? ", found the end" : ""));
    return text_.substr(begin, at_ - begin);
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void close(char c) {
    if (!take(c)) fail(concat("expected '", c, "'"));
  }

  std::uint32_t read_atom() {
    const std::string_view name = read_run("a category");
    std::string_view feature;
    if (take('[')) {
      feature = read_run("a feature");
      close(']');
    }
    parts_.push_back({.category = categories_.atom(name, feature)});
    const auto part = static_cast<std::uint32_t>(parts_.size() - 1);
    read_annotations(part);
    return part;
  }

  void read_annotations(std::uint32_t part) {
    ParsedPart& read = parts_[part];
    const bool starts_variable = at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '_');
    if (starts_variable && !read.variable.empty()) fail("a second variable of one category");
    if (take('{')) {
      read_braced(read);
    } else if (take('_')) {
      read_index(read);
    }
    if (take('<')) read_slot(read);
  }

  void read_braced(ParsedPart& part) {
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) fail("'{' is not closed");
    part.variable = text_.substr(at_, end - at_);
    part.is_long_range = part.variable.ends_with('*');
    if (part.is_long_range) part.variable.remove_suffix(1);
    const bool is_bad = part.variable.find_first_of("(){}<>[]/\\ \t") != std::string_view::npos;
    if (part.variable.empty() || is_bad) fail("expected the name of a variable");
    at_ = end + 1;
  }

  void read_index(ParsedPart& part) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    part.variable = text_.substr(begin, at_ - begin);
    if (part.variable.empty()) fail("expected a number after '_'");
    if (!take(':')) return;
    part.is_long_range = take('B') || take('U');
    if (!part.is_long_range) fail("expected B or U after ':'");
  }

  void read_slot(ParsedPart& part) {
    const char* end = text_.data() + text_.size();
    int slot = 0;
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, slot);
    if (error != std::errc() || slot < 1 || slot > kMaxSlot) fail("expected a slot from 1 to 99");
    if (part.slot != 0) fail("a second slot of one category");
    part.slot = static_cast<std::uint8_t>(slot);
    at_ = static_cast<std::size_t>(stop - text_.data());
    close('>');
  }

  // complex() has bounded their number.
  std::vector<ParsedPart> in_prefix_order(std::uint32_t root) const {
    std::vector<ParsedPart> ordered;
    std::vector<std::uint32_t> left = {root};
    while (!left.empty()) {
      const ParsedPart& part = parts_[left.back()];
      left.pop_back();
      ordered.push_back(part);
      if (categories_.is_atom(part.category)) continue;
      left.push_back(part.argument);
      left.push_back(part.result);
    }
    return ordered;
  }

  Categories& categories_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<ParsedPart> parts_;
};

}  // namespace

std::vector<ParsedPart> parse_parts(Categories& categories, std::string_view text) {
  return CategoryParser(categories, text).parse();
}

CategoryId parse_bare(Categories& categories, std::string_view text) {
  const std::vector<ParsedPart> parts = parse_parts(categories, text);
  for (const ParsedPart& part : parts) {
    if (part.variable.empty() && part.slot == 0) continue;
    throw ParseError("a category without variables and slots was expected",
                     {.code = "E270", .help = "a category looks like (S[dcl]\\NP)/NP"});
  }
  return parts.front().category;
}

}  // namespace coppice::ccg
