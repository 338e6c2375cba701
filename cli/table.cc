#include "cli/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/human.h"
#include "cli/terminal.h"
#include "coppice/base/error.h"

namespace coppice::cli {

namespace {

const std::string& key_of(const Column& column) {
  return column.key.empty() ? column.name : column.key;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string Cell::shown(int decimals) const {
  if (shown_) return *shown_;
  if (is_text()) return std::get<std::string>(value_);
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return std::to_string(*whole);
  const double number = std::get<double>(value_);
  return std::isnan(number) ? "-" : fmt::format("{:.{}f}", number, decimals);
}

std::string Cell::tsv() const {
  if (is_text()) return escaped(std::get<std::string>(value_));
  if (const auto* number = std::get_if<double>(&value_)) return fmt::format("{}", *number);
  return shown(0);
}

std::string Cell::json() const {
  const auto dump = [](const auto& value) {
    return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  return std::visit(dump, value_);
}

Table::Table(std::ostream& out, std::vector<Column> columns, TableStyle style)
    : out_(out),
      columns_(std::move(columns)),
      style_(style),
      streams_(std::all_of(columns_.begin(), columns_.end(),
                           [](const Column& column) { return column.width > 0; })) {}

void Table::row(std::vector<Cell> cells) {
  require(cells.size() == columns_.size(), "table: ", cells.size(), " cells for ", columns_.size(),
          " columns");
  if (style_.format == TableFormat::kAligned && !streams_) {
    waiting_.push_back(std::move(cells));
    return;
  }
  if (!header_written_) {
    align_columns({cells});
    header();
  }
  if (style_.format == TableFormat::kAligned) {
    aligned_row(cells);
    return;
  }
  const bool tsv = style_.format == TableFormat::kTsv;
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += tsv ? '\t' : ',';
    line += tsv ? cells[i].tsv() : Cell(key_of(columns_[i])).json() + ':' + cells[i].json();
  }
  out_ << (tsv ? line : '{' + line + '}') << '\n';
}

void Table::finish() {
  if (!header_written_) {
    align_columns(waiting_);
    header();
  }
  for (const auto& cells : waiting_) aligned_row(cells);
  waiting_.clear();
}

// Settles widths and alignments from the rows at hand.
void Table::align_columns(const std::vector<std::vector<Cell>>& rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (column.align == Align::kAuto) {
      const bool text = rows.empty() || rows.front()[i].is_text();
      column.align = text ? Align::kLeft : Align::kRight;
    }
    column.width = std::max(column.width, width(column.name));
    if (streams_) continue;
    for (const auto& cells : rows)
      column.width = std::max(column.width, width(cells[i].shown(column.decimals)));
  }
}

std::string Table::padded(std::size_t column, const std::string& text) const {
  const std::size_t wide = width(text);
  const std::size_t wanted = columns_[column].width;
  if (wide >= wanted) return text;
  const std::string blanks(wanted - wide, ' ');
  if (columns_[column].align == Align::kRight) return blanks + text;
  return column + 1 == columns_.size() ? text : text + blanks;
}

void Table::header() {
  header_written_ = true;
  if (style_.format == TableFormat::kJson) return;
  const bool tsv = style_.format == TableFormat::kTsv;
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) line += tsv ? "\t" : "  ";
    line += tsv ? escaped(key_of(columns_[i])) : padded(i, columns_[i].name);
  }
  out_ << Paint(style_.color && !tsv).bold(line) << '\n';
}

void Table::aligned_row(const std::vector<Cell>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += padded(i, cells[i].shown(columns_[i].decimals));
  }
  out_ << line << '\n';
}

}  // namespace coppice::cli
