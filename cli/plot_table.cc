#include "cli/plot_table.h"

#include <fmt/core.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

// Cells between separators. In CSV, a cell may stand in double quotes, which are doubled inside.
std::vector<std::string> split(std::string_view line, char separator) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_quote = separator == ',' && c == '"';
    if (quoted && is_quote && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (is_quote) {
      quoted = !quoted;
    } else if (!quoted && c == separator) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

PlotTable PlotTable::read(LineReader lines) {
  PlotTable table;
  table.file_ = lines.name();
  char separator = 0;  // 0: JSON lines
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::size_t number = lines.line_number();
    if (table.columns_.empty() && table.num_rows() == 0 && line.front() != '{') {
      const bool commas =
          line.find(',') != std::string_view::npos && line.find('\t') == std::string_view::npos;
      separator = commas ? ',' : '\t';
      for (const std::string& name : split(line, separator)) table.add_column(name);
    } else if (separator == 0) {
      table.read_json(line, number);
    } else {
      table.read_cells(line, number, separator);
    }
  }
  return table;
}

void PlotTable::add_column(const std::string& name) {
  if (!numbers_.try_emplace(name, columns_.size()).second) return;
  columns_.push_back(name);
  cells_.emplace_back(lines_.size());
}

void PlotTable::set(const std::string& column, std::string text) {
  add_column(column);
  std::vector<std::string>& cells = cells_[numbers_.at(column)];
  cells.resize(lines_.size());
  cells.back() = std::move(text);
}

void PlotTable::read_json(std::string_view line, std::size_t number) {
  const auto object = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!object.is_object()) {
    throw ParseError("expected a JSON object on each line",
                     {.code = "E240", .where = {.file = file_, .line = number}});
  }
  add_row(number);
  for (const auto& [key, value] : object.items()) {
    if (value.is_structured()) continue;
    set(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

void PlotTable::read_cells(std::string_view line, std::size_t number, char separator) {
  std::vector<std::string> cells = split(line, separator);
  if (cells.size() != columns_.size()) {
    throw ParseError(fmt::format("expected {} cells, found {}", columns_.size(), cells.size()),
                     {.code = "E150", .where = {.file = file_, .line = number}});
  }
  add_row(number);
  for (std::size_t c = 0; c < cells.size(); ++c) set(columns_[c], std::move(cells[c]));
}

std::size_t PlotTable::find_column(const std::string& column) const {
  const auto found = numbers_.find(column);
  if (found != numbers_.end()) return found->second;
  throw UsageError(fmt::format("{} has no column \"{}\"", file_, column),
                   {.code = "E151", .help = "it has " + joined(columns_)});
}

const std::string& PlotTable::text(std::size_t row, const std::string& column) const {
  static const std::string nothing;
  const std::vector<std::string>& cells = cells_[find_column(column)];
  return row < cells.size() ? cells[row] : nothing;
}

double PlotTable::number(std::size_t row, const std::string& column) const {
  const std::string& cell = text(row, column);
  if (cell.empty() || cell == "-" || cell == "null") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw ParseError(fmt::format("column {} has \"{}\", which is not a number", column, cell),
                     {.code = "E150", .where = {.file = file_, .line = lines_[row]}});
  }
  return value;
}

}  // namespace coppice::cli
