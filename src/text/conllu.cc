#include "text/conllu.h"

#include <utility>

#include "text/lines.h"
#include "text/row.h"

namespace coppice::text {

namespace {

constexpr std::size_t kNumColumns = 10;

// "3-4" or "8.1": two numbers around a mark; none if it is not that.
std::optional<std::pair<std::size_t, std::size_t>> parse_pair(std::string_view id, char mark) {
  const std::size_t at = id.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto first = parse_number<std::size_t>(id.substr(0, at));
  const auto second = parse_number<std::size_t>(id.substr(at + 1));
  if (!first || !second) return std::nullopt;
  return std::pair{*first, *second};
}

}  // namespace

const ColumnNames& conllu_columns() {
  static const ColumnNames names(
      {"id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"});
  return names;
}

ConlluReader::ConlluReader(LineReader lines, const ReadPolicy& policy)
    : SentenceReader(std::move(lines), policy, Format::kConllu) {
  set_column_names(conllu_columns());
}

bool ConlluReader::read(Sentence& sentence) {
  sentence.set_columns(kNumColumns, conllu_columns().find("form"), '\t');
  has_rows_ = false;
  last_word_ = 0;
  range_end_ = 0;
  empty_nodes_ = 0;
  bool is_over = false;
  for (std::string_view line; !is_over && lines().next(line);) {
    is_over = take_line(sentence, line);
  }
  if (!has_rows_ && !is_bad()) return false;
  finish(sentence);
  return true;
}

// Returns whether the line ends the sentence.
bool ConlluReader::take_line(Sentence& sentence, std::string_view line) {
  const TextRange range = append_line(sentence, line, lines());
  line = sentence.view(range);
  if (trim(line).empty()) return has_rows_ || is_bad();
  if (sentence.first_line() == 0) sentence.set_first_line(lines().line_number());
  if (!check_encoding(line)) return false;
  if (line.front() == '#') {
    take_comment(sentence, line);
  } else {
    take_row(sentence, range);
  }
  return false;
}

void ConlluReader::take_comment(Sentence& sentence, std::string_view line) {
  const std::string_view text = trim(line.substr(1));
  if (text == "newdoc" || text.starts_with("newdoc ")) {
    count_document();
    sentence.set_starts_document();
  }
  const auto comment = parse_comment(line);
  if (!comment) return;
  if (comment->key == "sent_id") sentence.set_id(range_in(sentence, comment->value));
  if (comment->key == "weight") take_weight(sentence, comment->value, line);
}

void ConlluReader::take_row(Sentence& sentence, TextRange range) {
  has_rows_ = true;
  const std::string_view line = sentence.view(range);
  const std::size_t found = split_at_tabs(sentence, range);
  if (found != kNumColumns) {
    report(concat("expected 10 tab-separated columns, found ", found),
           {.code = "E203",
            .excerpt =
                concat(excerpt_of(line), "\ncolumns of CoNLL-U: ", conllu_columns().to_string())});
  }
  const std::string_view id = line.substr(0, line.find('\t'));
  const bool is_word = check_id(id, line) && found == kNumColumns;
  if (is_word) {
    sentence.end_token(lines().line_number());
  } else {
    sentence.drop_unfinished_token();
  }
}

// Returns whether the line is a word. Reports an id that is out of order, and then goes on as if
// it were right, so that one fault is reported once.
bool ConlluReader::check_id(std::string_view id, std::string_view line) {
  if (id.find('-') != std::string_view::npos) return check_range(id, line);
  if (id.find('.') != std::string_view::npos) return check_empty_node(id, line);
  const auto number = parse_number<std::size_t>(id);
  const std::size_t expected = last_word_ + 1;
  last_word_ = number.value_or(expected);
  empty_nodes_ = 0;
  if (number != expected) {
    report(concat("expected the id ", expected, ", found \"", excerpt_of(id), "\""),
           {.code = "E207", .excerpt = excerpt_of(line)});
  }
  return true;
}

bool ConlluReader::check_range(std::string_view id, std::string_view line) {
  const auto range = parse_pair(id, '-');
  const bool fits = range && range->first == last_word_ + 1 && range->second >= range->first &&
                    range->first > range_end_;
  if (fits) {
    range_end_ = range->second;
  } else {
    report(concat("the range \"", excerpt_of(id), "\" does not begin at the next word, ",
                  last_word_ + 1, ", or lies inside another"),
           {.code = "E207", .excerpt = excerpt_of(line)});
  }
  return false;
}

bool ConlluReader::check_empty_node(std::string_view id, std::string_view line) {
  const auto node = parse_pair(id, '.');
  ++empty_nodes_;
  if (!node || node->first != last_word_ || node->second != empty_nodes_) {
    report(concat("expected the empty node ", last_word_, ".", empty_nodes_, ", found \"",
                  excerpt_of(id), "\""),
           {.code = "E207", .excerpt = excerpt_of(line)});
  }
  return false;
}

void ConlluReader::finish(const Sentence& sentence) {
  if (is_bad()) return;
  const Location where{.file = {}, .line = sentence.first_line()};
  if (sentence.num_tokens() == 0) {
    report("the sentence has no words", {.code = "E207", .where = where});
  } else if (range_end_ > last_word_) {
    report(concat("a range ends at word ", range_end_, ", but the sentence has ", last_word_),
           {.code = "E207", .where = where});
  }
}

}  // namespace coppice::text
