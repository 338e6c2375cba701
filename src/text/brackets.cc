#include "coppice/text/brackets.h"

#include <array>
#include <utility>

#include "text/lines.h"

namespace coppice::text {

namespace {

// Which bytes end a word or a label.
constexpr std::array<bool, 256> kEndsAtom = [] {
  std::array<bool, 256> ends{};
  for (const char c : {' ', '\t', '\r', '\v', '\f', '\n', '(', ')'})
    ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

std::string_view atom_at(std::string_view line, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < line.size() && !kEndsAtom[static_cast<unsigned char>(line[end])]) ++end;
  return line.substr(at, end - at);
}

}  // namespace

BracketReader::BracketReader(LineReader lines, const ReadPolicy& policy)
    : SentenceReader(std::move(lines), policy, Format::kBrackets) {
  set_column_names(ColumnNames({"form", "tag"}));
}

bool BracketReader::next_line() {
  has_line_ = lines().next(line_);
  at_ = 0;
  if (!has_line_) return false;
  if (lines().line_number() == 1) line_ = without_bom(line_);
  is_text_ = check_encoding(line_);
  return true;
}

bool BracketReader::read(Sentence& sentence) {
  sentence.set_columns(2, 0, ' ');
  builder_.start(tree_);
  lines_of_words_.clear();
  depth_ = 0;
  flush_line_ = 0;
  if (has_line_ && trim(line_.substr(at_)).empty()) has_line_ = false;
  if (has_line_ && !is_text_) check_encoding(line_);  // it is the fault of every tree in the line
  while (has_line_ || next_line()) {
    if (take_line(sentence)) return true;
    has_line_ = false;
  }
  if (depth_ == 0) return is_bad();
  report_unclosed();
  return true;
}

// Goes on with the line; whether it ends the record.
bool BracketReader::take_line(Sentence& sentence) {
  if (at_ == 0 && depth_ > 0 && line_.starts_with('(')) {
    if (flush_line_ == 0) flush_line_ = lines().line_number();
    if (is_indented_) {
      report_unclosed();
      return true;
    }
  }
  while (at_ < line_.size()) {
    const char c = line_[at_];
    if (c == '(' || c == ')') {
      if (take_bracket(sentence)) return true;
    } else if (is_blank(c)) {
      ++at_;
    } else {
      const std::string_view atom = atom_at(line_, at_);
      take_atom(atom);
      at_ += atom.size();
      if (depth_ == 0) return true;
    }
  }
  return depth_ == 0 && is_bad();
}

bool BracketReader::take_bracket(Sentence& sentence) {
  const std::size_t column = at_++;
  if (line_[column] == '(') {
    if (state_ == State::kEnd && depth_ > 0) {
      report("expected ')' after the word, found '('",
             {.code = "E252",
              .where = {.file = {}, .column = count_characters(line_.substr(0, column)) + 1},
              .excerpt = excerpt_of(line_)});
    }
    open();
    return false;
  }
  if (depth_ > 0) {
    close(sentence);
    return depth_ == 0;
  }
  report("')' without its '('",
         {.code = "E251",
          .where = {.file = {}, .column = count_characters(line_.substr(0, column)) + 1},
          .excerpt = excerpt_of(line_)});
  at_ = line_.size();
  return true;
}

void BracketReader::open() {
  if (depth_ == 0) first_line_ = lines().line_number();
  if (depth_ > 0 && state_ == State::kLabel) builder_.open({});
  ++depth_;
  state_ = State::kLabel;
}

void BracketReader::take_atom(std::string_view atom) {
  if (depth_ > 0 && state_ == State::kLabel) {
    builder_.open(atom);
    state_ = State::kWord;
  } else if (depth_ > 0 && state_ == State::kWord) {
    if (!is_bad()) builder_.word(atom);
    lines_of_words_.push_back(lines().line_number());
    state_ = State::kEnd;
  } else {
    const Location where{.file = {}, .column = count_characters(line_.substr(0, at_)) + 1};
    const std::string excerpt = excerpt_of(line_);
    if (depth_ == 0) {
      report(concat("\"", excerpt_of(atom), "\" stands outside all trees"),
             {.code = "E251", .where = where, .excerpt = excerpt});
      at_ = line_.size() - atom.size();
    } else {
      report(concat("the word \"", excerpt_of(atom), "\" needs brackets of its own, with its tag"),
             {.code = "E252", .where = where, .excerpt = excerpt});
    }
  }
}

void BracketReader::close(Sentence& sentence) {
  if (state_ == State::kLabel) builder_.open({});
  builder_.close();
  state_ = State::kChild;
  if (--depth_ > 0) return;
  if (is_bad()) return;
  is_indented_ = flush_line_ == 0 && (is_indented_ || counts().sentences == 0);
  sentence.set_first_line(first_line_);
  std::size_t word = 0;
  for (std::size_t node = 0; node < tree_.num_nodes(); ++node) {
    if (!tree_.is_leaf(node)) continue;
    const std::size_t line = lines_of_words_[word++];
    if (tree_.label(node) == kEmptyElement) continue;
    sentence.add_cell(sentence.append(tree_.word(word - 1)));
    sentence.add_cell(sentence.append(tree_.label(node)));
    sentence.end_token(line);
  }
}

void BracketReader::report_unclosed() {
  const bool is_at_end = !has_line_;
  std::string help;
  if (is_at_end && flush_line_ != 0)
    help = concat("a line within the tree that begins with '(' is line ", flush_line_,
                  "; was a ')' lost before it?");
  report(concat("expected ", depth_ == 1 ? "')'" : concat(depth_, " times ')'"), " before ",
                is_at_end ? "the end of the file" : "the next tree", "; the tree begins in line ",
                first_line_),
         {.code = "E250", .help = std::move(help)});
  depth_ = 0;
}

Tree parse_tree(std::string_view text) {
  BracketReader reader(LineReader::over(text, {}));
  Sentence sentence;
  if (!reader.next(sentence)) throw ParseError("there is no tree", {.code = "E204"});
  Tree tree = *reader.tree();
  if (reader.next(sentence)) throw ParseError("there are two trees", {.code = "E251"});
  return tree;
}

}  // namespace coppice::text
