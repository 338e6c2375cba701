// Column files and CoNLL-U.
#include "coppice/base/error.h"
#include "coppice/text/conllu.h"
#include "text/lines.h"
#include "text/writers.h"

namespace coppice::text {

namespace {

constexpr std::size_t kUpos = 3;
constexpr std::size_t kFirstOptionalColumn = 2;  // after id and form

class TableWriter final : public SentenceWriter {
 public:
  TableWriter(std::ostream& out, const WriterOptions& options) : SentenceWriter(out, options) {}

 private:
  void append(std::string& text, const Sentence& sentence, const Prediction& prediction) override {
    if (sentence.num_tokens() == 0) return;
    const bool keeps_bytes = sentence.format() == options().format && !sentence.raw().empty();
    separate(text, keeps_bytes ? sentence.raw() : std::string_view());
    if (keeps_bytes) {
      edit(text, sentence, prediction);
    } else if (options().format == Format::kColumns) {
      compose_columns(text, sentence, prediction);
    } else {
      compose_conllu(text, sentence, prediction);
    }
    note_end(text);
  }

  void append_trailing(std::string& text, std::string_view trailing) override {
    text.append(trailing);
    if (!trailing.empty()) note_end(text);
  }

  // Completes the last line and adds the blank one that a file's last sentence may lack. In column
  // files, a line that starts a document ends the sentence before it as a blank one does.
  void separate(std::string& text, std::string_view next) {
    if (!ended_line_) text += '\n';
    const bool is_apart = options().format == Format::kColumns && is_document_start(next);
    if (!ended_sentence_ && !is_apart) text += '\n';
    ended_line_ = ended_sentence_ = true;
  }

  void note_end(std::string_view text) {
    ended_line_ = text.ends_with('\n');
    std::string_view last = text;
    if (ended_line_) last.remove_suffix(1);
    last = last.substr(last.rfind('\n') + 1);
    ended_sentence_ = ended_line_ && trim(last).empty();
  }

  std::optional<std::size_t> replaced_column(const Sentence& sentence) const {
    const bool is_conllu = options().format == Format::kConllu;
    const auto column =
        is_conllu ? options().replace_column.value_or(kUpos) : options().replace_column;
    require(!column || *column < sentence.num_columns(), "write: column ", column.value_or(0) + 1,
            " cannot be replaced; the sentence has ", sentence.num_columns());
    return column;
  }

  void edit(std::string& text, const Sentence& sentence, const Prediction& prediction) const {
    const auto column = replaced_column(sentence);
    const std::string_view raw = sentence.raw();
    std::size_t copied = 0;
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      const TextRange cell = sentence.cell_range(row, column.value_or(sentence.num_columns() - 1));
      const std::size_t cell_end = cell.begin + cell.size;
      const std::size_t keep_to = column ? cell.begin : cell_end;
      text.append(raw.substr(copied, keep_to - copied));
      if (!column) text += sentence.separator();
      append_cell(text, prediction.labels[row], sentence.separator());
      copied = cell_end;
    }
    text.append(raw.substr(copied));
  }

  static void compose_columns(std::string& text, const Sentence& sentence,
                              const Prediction& prediction) {
    const std::size_t form = form_column(sentence);
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      append_cell(text, sentence.cell(row, form), '\t');
      text += '\t';
      append_cell(text, prediction.labels[row], '\t');
      text += '\n';
    }
    text += '\n';
  }

  void compose_conllu(std::string& text, const Sentence& sentence,
                      const Prediction& prediction) const {
    const std::size_t form = form_column(sentence);
    const std::size_t label = options().replace_column.value_or(kUpos);
    require(label >= kFirstOptionalColumn && label < conllu_columns().size(), "write: column ",
            label + 1, " of CoNLL-U cannot hold labels");
    if (!sentence.id().empty()) {
      text += "# sent_id = ";
      append_cell(text, sentence.id(), '\t');
      text += '\n';
    }
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      text += std::to_string(row + 1);
      text += '\t';
      append_cell(text, sentence.cell(row, form), '\t');
      for (std::size_t column = kFirstOptionalColumn; column < conllu_columns().size(); ++column) {
        text += '\t';
        append_cell(text, column == label ? prediction.labels[row] : "_", '\t');
      }
      text += '\n';
    }
    text += '\n';
  }

  static std::size_t form_column(const Sentence& sentence) {
    require(sentence.form_column().has_value(), "write: the sentence has no forms");
    return *sentence.form_column();
  }

  static void append_cell(std::string& text, std::string_view cell, char separator) {
    for (const char c : cell) {
      if (c == '\n' || c == '\r' || c == '\t' || c == separator) refuse(cell);
    }
    if (cell.empty() && separator == ' ') refuse(cell);
    text.append(cell);
  }

  [[noreturn]] static void refuse(std::string_view cell) {
    throw InvalidArgument(concat("\"", excerpt_of(cell), "\" does not fit in a cell: it is empty, ",
                                 "or has a separator or an end of line in it"),
                          {.code = "E115", .help = "write JSON lines instead"});
  }

  bool ended_line_ = true;
  bool ended_sentence_ = true;
};

}  // namespace

std::unique_ptr<SentenceWriter> make_table_writer(std::ostream& out, const WriterOptions& options) {
  return std::make_unique<TableWriter>(out, options);
}

}  // namespace coppice::text
