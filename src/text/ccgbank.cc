#include "coppice/text/ccgbank.h"

#include <utility>

#include "text/lines.h"
#include "text/row.h"

namespace coppice::text {

namespace {

constexpr std::string_view kIdMark = "ID=";
constexpr std::size_t kExcerpt = 60;  // characters of a long line, from where the fault is

}  // namespace

CcgbankReader::CcgbankReader(LineReader lines, const ReadPolicy& policy)
    : SentenceReader(std::move(lines), policy, Format::kCcgbank) {
  set_column_names(ColumnNames({"form", "pos", "xpos", "indexed", "supertag"}));
}

bool CcgbankReader::read(Sentence& sentence) {
  sentence.set_columns(kNumColumns, kForm, ' ');
  tree_.vertices.clear();
  bool has_id = false;
  for (std::string_view line; lines().next(line);) {
    if (has_id && without_bom(line).starts_with(kIdMark)) {
      lines().unread();
      break;
    }
    const TextRange range = append_line(sentence, line, lines());
    line = sentence.view(range);
    if (trim(line).empty()) continue;
    if (sentence.first_line() == 0) sentence.set_first_line(lines().line_number());
    if (!check_encoding(line)) return true;
    if (line.starts_with(kIdMark)) {
      take_id(sentence, range);
      has_id = true;
      continue;
    }
    take_tree(sentence, range);
    return true;
  }
  if (has_id) {
    report("a line ID= without a derivation after it",
           {.code = "E214", .where = {.file = {}, .line = sentence.first_line()}});
  }
  return has_id;
}

void CcgbankReader::take_id(Sentence& sentence, TextRange line) {
  std::string_view id = sentence.view(line).substr(kIdMark.size());
  id = id.substr(0, id.find(' '));
  sentence.set_id(range_in(sentence, id));
}

// Reports a fault where the line's part from `at` on stands; returns false.
bool CcgbankReader::fail(const std::string& message, std::string_view line, std::size_t at) {
  report(message, {.code = "E214",
                   .where = {.file = {}, .column = count_characters(line.substr(0, at)) + 1},
                   .excerpt = excerpt_of(line.substr(at, kExcerpt)),
                   .help = "a node is (<T category head children> ... ), a leaf "
                           "(<L category pos pos word category>)"});
  return false;
}

// The characters up to the next blank; false where there is none.
bool CcgbankReader::next_field(std::string_view text, std::string_view& field) {
  while (at_ < text.size() && is_blank(text[at_])) ++at_;
  const std::size_t begin = at_;
  while (at_ < text.size() && !is_blank(text[at_])) ++at_;
  field = text.substr(begin, at_ - begin);
  return !field.empty();
}

void CcgbankReader::take_tree(Sentence& sentence, TextRange line) {
  at_ = 0;
  open_.clear();
  is_complete_ = false;
  const std::string_view text = sentence.view(line);
  for (std::string_view field;;) {
    if (!next_field(text, field)) break;
    const std::size_t begin = at_ - field.size();
    bool is_fine = false;
    if (is_complete_) {
      fail("more text after the derivation", text, begin);
    } else if (field == "(<T") {
      is_fine = take_inner(line, text);
    } else if (field == "(<L") {
      is_fine = take_leaf(sentence, line, text) && close_nodes(text);
    } else if (field == ")" && !open_.empty()) {
      fail("a node ends before its last child", text, begin);
    } else {
      fail("expected a node", text, begin);
    }
    if (!is_fine) return;
  }
  if (!is_complete_) fail("the line ends before the derivation does", text, 0);
}

bool CcgbankReader::take_inner(TextRange line, std::string_view text) {
  const std::size_t begin = at_;
  std::string_view category, head, children;
  next_field(text, category);
  next_field(text, head);
  next_field(text, children);
  if (!children.ends_with('>')) return fail("an inner node without its '>'", text, begin);
  children.remove_suffix(1);
  const auto head_number = parse_number<std::uint32_t>(head);
  const auto num_children = parse_number<std::uint32_t>(children);
  if (!head_number || !num_children || *num_children == 0)
    return fail("expected the head and the number of children", text, begin);
  if (*num_children > 2) return fail("a node of more than two children", text, begin);
  if (*head_number >= *num_children) return fail("the head is no child", text, begin);
  const auto offset = static_cast<std::uint32_t>(category.data() - text.data());
  tree_.vertices.push_back(
      {.category = {line.begin + offset, static_cast<std::uint32_t>(category.size())},
       .num_children = *num_children,
       .head = *head_number,
       .row = 0});
  open_.push_back({*num_children, 0});
  return true;
}

bool CcgbankReader::take_leaf(Sentence& sentence, TextRange line, std::string_view text) {
  const std::size_t begin = at_;
  std::string_view fields[5];  // category, pos, xpos, word, indexed
  for (std::string_view& field : fields) next_field(text, field);
  std::string_view& last = fields[4];
  if (last.size() < 3 || !last.ends_with(">)"))
    return fail("expected five fields and '>)' in a leaf", text, begin);
  last.remove_suffix(2);
  const auto range = [&](std::string_view field) {
    return TextRange{line.begin + static_cast<std::uint32_t>(field.data() - text.data()),
                     static_cast<std::uint32_t>(field.size())};
  };
  tree_.vertices.push_back({.category = range(fields[0]),
                            .num_children = 0,
                            .head = 0,
                            .row = static_cast<std::uint32_t>(sentence.num_tokens())});
  for (const int column : {3, 1, 2, 4, 0}) sentence.add_cell(range(fields[column]));
  sentence.end_token(lines().line_number());
  return true;
}

// After a leaf: every node that has all its children ends here.
bool CcgbankReader::close_nodes(std::string_view text) {
  while (!open_.empty()) {
    Open& node = open_.back();
    if (++node.found < node.num_children) return true;
    std::string_view field;
    next_field(text, field);
    if (field != ")")
      return fail("expected ')' after the last child of a node", text, at_ - field.size());
    open_.pop_back();
  }
  is_complete_ = true;
  return true;
}

}  // namespace coppice::text
