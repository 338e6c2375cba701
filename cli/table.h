// Tables of aligned columns: training tables on stderr, reports on stdout.
//
//     Table table(out, {{.name = "label"}, {.name = "F1", .decimals = 2}}, {});
//     table.row({"LOC", 91.4});
//     table.finish();
//
// A column of text is aligned left, one of numbers right; what the first row holds decides, unless
// `align` says. Widths are code points. A table all of whose columns have a width writes each row
// at once, and a longer cell pushes the rest of its row; otherwise the rows wait for finish(), and
// every column is as wide as its widest cell. The other formats never wait:
//
//     kTsv    a header line, then cells between tabs; tab, newline and backslash in text are
//             written \t, \n and \\; numbers keep all their digits
//     kJson   one object per row and line: {"label":"LOC","F1":91.4}; NaN and infinities are null
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace coppice::cli {

enum class Align { kAuto, kLeft, kRight };

struct Column {
  std::string name;
  std::size_t width = 0;  // 0: as wide as needed
  int decimals = 2;       // of numbers that are not whole numbers by type
  Align align = Align::kAuto;
  std::string key{};  // the name in TSV and JSON, when it differs: "grad" for "|grad|"
};

// A cell: text, a whole number, a number shown with the column's decimals (NaN as "-"), or a number
// that people see as some text: {"1.2M", 1234567.0}; NaN is then null in JSON.
class Cell {
 public:
  Cell(const char* text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::string text) : value_(std::move(text)) {}    // NOLINT(google-explicit-constructor)
  Cell(double number) : value_(number) {}                // NOLINT(google-explicit-constructor)
  Cell(int number) : value_(std::int64_t{number}) {}     // NOLINT(google-explicit-constructor)
  Cell(std::int64_t number) : value_(number) {}          // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Cell(std::uint64_t number) : value_(static_cast<std::int64_t>(number)) {}

  Cell(std::string text, double number) : value_(number), shown_(std::move(text)) {}

  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  std::string shown(int decimals) const;
  std::string tsv() const;
  std::string json() const;

 private:
  std::variant<std::string, std::int64_t, double> value_;
  std::optional<std::string> shown_;
};

enum class TableFormat { kAligned, kTsv, kJson };

struct TableStyle {
  TableFormat format = TableFormat::kAligned;
  bool color = false;  // a bold header
};

class Table {
 public:
  // Requires that `out` outlives the table.
  Table(std::ostream& out, std::vector<Column> columns, TableStyle style);

  // Requires one cell per column; throws InvalidArgument otherwise.
  void row(std::vector<Cell> cells);

  // Writes what waits; a table without rows still writes its header (not in JSON).
  void finish();

 private:
  void header();
  void aligned_row(const std::vector<Cell>& cells);
  void align_columns(const std::vector<std::vector<Cell>>& rows);
  std::string padded(std::size_t column, const std::string& text) const;

  std::ostream& out_;
  std::vector<Column> columns_;
  TableStyle style_;
  bool streams_;
  bool header_written_ = false;
  std::vector<std::vector<Cell>> waiting_;
};

}  // namespace coppice::cli
