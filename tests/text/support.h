// What the tests of readers share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/reader.h"
#include "support/expect_error.h"

namespace coppice::text {

using Table = std::vector<std::vector<std::string>>;

inline Table table_of(const Sentence& sentence) {
  Table table;
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    auto& cells = table.emplace_back();
    for (std::size_t column = 0; column < sentence.num_columns(); ++column) {
      cells.emplace_back(sentence.cell(row, column));
    }
  }
  return table;
}

inline std::unique_ptr<SentenceReader> reader_over(std::string_view text,
                                                   const ReaderOptions& options = {}) {
  return open_sentences(LineReader::over(text, "data"), options);
}

inline std::vector<Table> tables_of(SentenceReader& reader) {
  std::vector<Table> tables;
  for (Sentence sentence; reader.next(sentence);) tables.push_back(table_of(sentence));
  return tables;
}

inline std::vector<Table> tables_of(std::string_view text, const ReaderOptions& options) {
  return tables_of(*reader_over(text, options));
}

// "E203 data:3: message | excerpt | help", or "" when reading finds no fault.
inline std::string describe(const Error& error) {
  return error.code() + " " + to_string(error.where()) + ": " + error.what() + " | " +
         error.excerpt() + " | " + error.help();
}

inline std::string fault_of(std::string_view text, const ReaderOptions& options) {
  try {
    tables_of(text, options);
  } catch (const ParseError& error) {
    return describe(error);
  }
  return "";
}

// The same without excerpt and help.
inline std::string fault_line_of(std::string_view text, const ReaderOptions& options) {
  const std::string fault = fault_of(text, options);
  return fault.substr(0, fault.find(" | "));
}

// Expects that the action throws an Error whose message has `part` in it.
template <class Action>
void expect_refused(Action&& action, std::string_view part) {
  const std::string error = testing::error_of(action);
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

inline std::string skip_help() { return kFixOrSkip; }

}  // namespace coppice::text
