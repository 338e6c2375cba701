#include "cli/data_loss.h"

#include <fmt/core.h>

#include <algorithm>

namespace coppice::cli {

namespace {

using text::Format;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

// The lines of the record that are no tokens, blank or the id: comments, multiword tokens, empty
// nodes. Lines that begin a document are judged by themselves.
bool has_other_lines(const text::Sentence& sentence) {
  if (sentence.format() == Format::kText) return false;
  std::size_t lines = 0;
  std::string_view raw = sentence.raw();
  while (!raw.empty()) {
    const std::size_t end = std::min(raw.find('\n'), raw.size());
    if (!is_blank(raw.substr(0, end))) ++lines;
    raw.remove_prefix(std::min(end + 1, raw.size()));
  }
  const std::size_t id_lines = sentence.id().empty() ? 0 : 1;
  return lines > sentence.num_tokens() + id_lines;
}

std::string lost_column(const text::Sentence& sentence, const text::ColumnNames& columns,
                        std::optional<std::size_t> label_column) {
  const std::size_t first = sentence.format() == Format::kConllu ? 1 : 0;  // ids are numbered again
  for (std::size_t column = first; column < sentence.num_columns(); ++column) {
    if (column == sentence.form_column() || column == label_column) continue;
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      const std::string_view cell = sentence.cell(row, column);
      if (!cell.empty() && cell != "_") return fmt::format("the column {}", columns[column]);
    }
  }
  return {};
}

std::string lost_in_text(const text::Sentence& sentence, std::optional<std::size_t> label_column) {
  if (label_column && *label_column < sentence.num_columns()) return "the labels";
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    const std::string_view form = sentence.cell(row, *sentence.form_column());
    if (form.empty() || form.find_first_of(" \t\r\n\v\f") != std::string_view::npos)
      return fmt::format("the bounds of the word \"{}\"", form);
  }
  return {};
}

}  // namespace

std::string what_is_lost(const text::Sentence& sentence, Format target,
                         const text::ColumnNames& columns,
                         std::optional<std::size_t> label_column) {
  if (sentence.format() == target && target != Format::kJsonl) return {};
  const bool keeps_id = target == Format::kJsonl || target == Format::kConllu;
  if (sentence.has_attributes() && target != Format::kCrfsuite) return "the attributes";
  if (sentence.weight() != 1.0 && target != Format::kCrfsuite) return "the weight";
  if (sentence.is_partial()) return "the sets of labels";
  const bool has_own_id =
      !sentence.id().empty() && sentence.id() != fmt::format("s{}", sentence.number());
  if (has_own_id && !keeps_id) return "the id";
  if (sentence.starts_document()) return "where documents begin";
  if (has_other_lines(sentence)) return "comments, multiword tokens or empty nodes";
  if (target == Format::kCrfsuite) return {};
  if (target == Format::kText)
    if (std::string lost = lost_in_text(sentence, label_column); !lost.empty()) return lost;
  return lost_column(sentence, columns, label_column);
}

}  // namespace coppice::cli
