// Tables of numbers for `coppice plot`: what a file has in named columns.
//
//     JSON lines   an object a row (a training's --log); keys are columns, and a row may lack some
//     CSV, TSV     a header line with the names, then a row a line; CSV cells may stand in quotes
//
// A first character `{` means JSON lines; else a header with commas and no tab means CSV; what is
// left is TSV.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/file.h"

namespace coppice::cli {

class PlotTable {
 public:
  // Throws IoError; ParseError with file and line: E150 for rows of another length than the header,
  // E240 for what is not JSON.
  static PlotTable read(LineReader lines);

  const std::string& file() const noexcept { return file_; }
  std::size_t num_rows() const noexcept { return lines_.size(); }
  // In the order in which they first appear.
  const std::vector<std::string>& columns() const noexcept { return columns_; }
  bool has(const std::string& column) const { return numbers_.contains(column); }

  // The text of a cell, "" where there is none. Throws UsageError (E151) when there is no such
  // column, naming those there are.
  const std::string& text(std::size_t row, const std::string& column) const;
  // The number in a cell; NaN where it is empty, "-", "null" or "nan". Throws ParseError (E150) for
  // other text, UsageError (E151) as text().
  double number(std::size_t row, const std::string& column) const;

 private:
  std::size_t find_column(const std::string& column) const;
  void add_column(const std::string& name);
  void add_row(std::size_t line) { lines_.push_back(line); }
  void set(const std::string& column, std::string text);
  void read_json(std::string_view line, std::size_t number);
  void read_cells(std::string_view line, std::size_t number, char separator);

  std::string file_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::vector<std::string>> cells_;  // by column, then row
  std::vector<std::size_t> lines_;               // by row: where it stands in the file
};

}  // namespace coppice::cli
