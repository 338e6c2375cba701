#include "text/jsonl.h"

#include <utility>

#include "text/json_record.h"
#include "text/lines.h"

namespace coppice::text {

struct JsonlReader::Record {
  JsonRecordHandler handler;
};

JsonlReader::JsonlReader(LineReader lines, const ReadPolicy& policy)
    : SentenceReader(std::move(lines), policy, Format::kJsonl),
      record_(std::make_unique<Record>()) {
  set_column_names(ColumnNames({"form", "label"}));
}

JsonlReader::~JsonlReader() = default;

const std::vector<std::string>& JsonlReader::ignored_keys() const noexcept {
  return record_->handler.ignored_keys();
}

const Tree* JsonlReader::tree() const noexcept {
  const Tree& tree = record_->handler.tree();
  return tree.empty() ? nullptr : &tree;
}

bool JsonlReader::read(Sentence& sentence) {
  for (std::string_view line; lines().next(line);) {
    if (lines().line_number() == 1) line = without_bom(line);
    if (trim(line).empty()) continue;
    const auto fault = record_->handler.parse(line, lines().line_number(), sentence);
    if (fault) {
      std::size_t column = fault->column;
      if (column > 0) column = count_characters(line.substr(0, column - 1)) + 1;
      report(fault->message, {.code = fault->code,
                              .where = {.file = {}, .column = column},
                              .excerpt = excerpt_of(line)});
    }
    return true;
  }
  return false;
}

}  // namespace coppice::text
