#include "coppice/ccg/markup.h"

#include <charconv>

#include "coppice/base/file.h"

namespace coppice::ccg {

namespace {

constexpr std::string_view kMarkupBlanks = " \t\r";
constexpr const char* kMarkupHelp =
    "an entry is a category on a line, and below it, indented, the number of slots and the marked "
    "category";

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kMarkupBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kMarkupBlanks) - begin + 1);
}

}  // namespace

const Supertag* Markup::find(CategoryId category) const noexcept {
  const auto found = by_category_.find(static_cast<std::uint32_t>(category));
  return found == by_category_.end() ? nullptr : &entries_[found->second];
}

class MarkupReader {
 public:
  MarkupReader(Forms& forms, std::string_view text, const std::string& name,
               const text::ReadPolicy& policy)
      : forms_(forms), lines_(LineReader::over(text, name)), policy_(policy) {}

  Markup read() {
    std::string name;  // of the entry that has begun
    std::size_t name_line = 0;
    for (std::string_view line; lines_.next(line);) {
      if (lines_.line_number() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
      const std::string_view text = without_blanks(line);
      if (text.empty() || line.front() == '#' || line.front() == '=') continue;
      const bool is_indented = kMarkupBlanks.find(line.front()) != std::string_view::npos;
      if (is_indented && name.empty()) continue;
      if (is_indented) {
        attempt([&] { add_entry(name, text); }, text);
        name.clear();
        continue;
      }
      if (!name.empty()) refuse_unmarked(name, name_line);
      name = text;
      name_line = lines_.line_number();
    }
    if (!name.empty()) refuse_unmarked(name, name_line);
    return std::move(markup_);
  }

 private:
  void report(const std::string& message, std::size_t line, std::string_view excerpt) {
    ParseError error(message, {.code = "E274",
                               .where = {.file = lines_.name(), .line = line},
                               .excerpt = std::string(excerpt.substr(0, 120)),
                               .help = kMarkupHelp});
    if (policy_.on_error == text::OnError::kStop) throw error;
    if (markup_.problems_.size() < policy_.max_errors)
      markup_.problems_.push_back(std::move(error));
  }

  void refuse_unmarked(const std::string& name, std::size_t line) {
    report("a category without its marked form", line, name);
  }

  template <class Action>
  void attempt(const Action& action, std::string_view excerpt) {
    std::string message;
    try {
      action();
      return;
    } catch (const Error& error) {
      message = error.what();
    }
    report(message, lines_.line_number(), excerpt);
  }

  void add_entry(std::string_view name, std::string_view text) {
    const std::size_t blank = text.find_first_of(kMarkupBlanks);
    std::size_t num_slots = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), num_slots);
    if (error != std::errc() || blank == std::string_view::npos || end != text.data() + blank)
      throw ParseError("expected the number of slots and the marked category");
    const std::string_view marked = without_blanks(text.substr(blank));
    const CategoryId category = forms_.categories().parse(name);
    Supertag tag = forms_.parse_supertag(marked);
    require_same(category, forms_.category(tag.form));
    if (marked.find('<') == std::string_view::npos) tag.slots.clear();
    if (tag.slots.size() != num_slots)
      throw ParseError(concat("the entry says ", num_slots, " slots and has ", tag.slots.size()));
    tag.category = category;
    const auto key = static_cast<std::uint32_t>(category);
    if (!markup_.by_category_.try_emplace(key, markup_.entries_.size()).second)
      throw ParseError("a second entry of one category");
    markup_.entries_.push_back(std::move(tag));
  }

  // Feature variables may stand where the category says nothing; otherwise the two are one.
  void require_same(CategoryId written, CategoryId marked) const {
    const Categories& categories = forms_.categories();
    if (categories.plain(marked) == categories.plain(written)) return;
    throw ParseError(concat("the marked category is ", categories.text(categories.plain(marked)),
                            ", not ", categories.text(written)));
  }

  Forms& forms_;
  LineReader lines_;
  text::ReadPolicy policy_;
  Markup markup_;
};

Markup parse_markup(Forms& forms, std::string_view text, const std::string& name,
                    const text::ReadPolicy& policy) {
  return MarkupReader(forms, text, name, policy).read();
}

Markup read_markup(Forms& forms, const std::string& path, const text::ReadPolicy& policy) {
  return parse_markup(forms, read_file(path), path == "-" ? "<stdin>" : path, policy);
}

}  // namespace coppice::ccg
