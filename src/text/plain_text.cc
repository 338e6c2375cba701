#include "text/plain_text.h"

#include <utility>

#include "text/lines.h"
#include "text/row.h"

namespace coppice::text {

PlainTextReader::PlainTextReader(LineReader lines, const ReadPolicy& policy)
    : SentenceReader(std::move(lines), policy, Format::kText) {
  set_column_names(ColumnNames({"form"}));
}

bool PlainTextReader::read(Sentence& sentence) {
  sentence.set_columns(1, 0, ' ');
  for (std::string_view line; lines().next(line);) {
    const TextRange range = append_line(sentence, line, lines());
    line = sentence.view(range);
    if (trim(line).empty()) continue;
    const std::size_t number = lines().line_number();
    sentence.set_first_line(number);
    if (!check_encoding(line)) return true;
    const std::size_t found = split_at_blanks(sentence, range);
    for (std::size_t i = 0; i < found; ++i) sentence.end_token(number);
    return true;
  }
  return false;
}

}  // namespace coppice::text
