// Column files and CoNLL-U.
#include <algorithm>

#include "coppice/base/error.h"
#include "text/conllu.h"
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
    const char separator = sentence.separator();
    // Up to the first token's line, where comments may stand. A byte-order mark is one only at the
    // start of the file; elsewhere it belongs to the first cell.
    const std::size_t first_cell = sentence.cell_range(0, 0).begin;
    const std::size_t mark = std::min(first_cell, raw.size() - without_bom(raw).size());
    std::size_t copied = std::max(raw.rfind('\n', first_cell) + 1, mark);
    text.append(raw.substr(0, copied));
    append_comments(text, prediction);
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      const auto keep_to = [&](std::size_t end) {
        text.append(raw.substr(copied, end - copied));
        copied = end;
      };
      const TextRange last = sentence.cell_range(row, sentence.num_columns() - 1);
      if (column) {
        const TextRange cell = sentence.cell_range(row, *column);
        keep_to(cell.begin);
        append_cell(text, prediction.labels[row], separator);
        copied = cell.begin + cell.size;
      }
      keep_to(last.begin + last.size);
      if (!column) append_next(text, prediction.labels[row], separator);
      append_further(text, prediction, row, separator);
    }
    text.append(raw.substr(copied));
  }

  void compose_columns(std::string& text, const Sentence& sentence,
                       const Prediction& prediction) const {
    const std::size_t form = form_column(sentence);
    append_comments(text, prediction);
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      append_cell(text, sentence.cell(row, form), '\t');
      append_next(text, prediction.labels[row], '\t');
      append_further(text, prediction, row, '\t');
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

  void append_comments(std::string& text, const Prediction& prediction) const {
    const auto append = [&](std::string_view key, const std::vector<LabelSequence>& sequences) {
      if (sequences.empty() || options().format != Format::kColumns) return;
      text += concat("# ", key, " =");
      for (const LabelSequence& sequence : sequences) {
        text += ' ';
        append_probability(text, sequence.log_probability);
      }
      text += '\n';
    };
    append("kbest", prediction.kbest);
    append("samples", prediction.samples);
  }

  // What follows the label.
  void append_further(std::string& text, const Prediction& prediction, std::size_t row,
                      char separator) const {
    if (options().format != Format::kColumns) return;
    if (!prediction.posteriors.empty()) {
      for (const LabelProbability& label : prediction.posteriors[row]) {
        append_next(text, label.label, separator);
        text += separator;
        append_probability(text, label.probability);
      }
    }
    for (std::size_t i = 0; i < options().kbest; ++i) {
      const bool is_there = i < prediction.kbest.size();
      append_next(text, is_there ? prediction.kbest[i].labels[row] : "_", separator);
    }
    for (const LabelSequence& sequence : prediction.samples) {
      append_next(text, sequence.labels[row], separator);
    }
  }

  static void append_next(std::string& text, std::string_view cell, char separator) {
    text += separator;
    append_cell(text, cell, separator);
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
