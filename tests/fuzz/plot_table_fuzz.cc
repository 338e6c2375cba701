// Any text is a table or a ParseError with its line; every cell can be asked for.
#include <string_view>

#include "cli/plot_table.h"
#include "coppice/base/error.h"
#include "fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using coppice::testing::fuzz_require;
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto table = coppice::cli::PlotTable::read(coppice::LineReader::over(text, "<fuzz>"));
    for (const std::string& column : table.columns()) {
      fuzz_require(table.has(column), "columns are there");
      for (std::size_t row = 0; row < table.num_rows(); ++row) table.number(row, column);
    }
  } catch (const coppice::ParseError& error) {
    fuzz_require(error.where().line > 0, "an error has its line");
  }
  return 0;
}
