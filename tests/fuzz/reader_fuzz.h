// What the targets of the text readers have in common: read everything in a format, look at every
// cell, and write it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "coppice/text/reader.h"
#include "coppice/text/writer.h"
#include "fuzz/property.h"

namespace coppice::text {

inline std::size_t look_at(const Sentence& sentence) {
  std::size_t sum = sentence.id().size();
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    for (std::size_t column = 0; column < sentence.num_columns(); ++column) {
      for (const char c : sentence.cell(row, column)) sum += static_cast<unsigned char>(c);
    }
    for (std::size_t i = 0; i < sentence.num_attributes(row); ++i) {
      sum += sentence.attribute(row, i).name.size();
    }
    for (std::size_t i = 0; sentence.is_partial() && i < sentence.num_labels(row); ++i) {
      sum += sentence.label(row, i).size();
    }
  }
  return sum;
}

// Reads with faults skipped; returns what a writer makes of it when it puts column `column` back
// in its place.
inline std::string read_and_rewrite(std::string_view text, const ReaderOptions& options,
                                    std::size_t column, bool& was_clean) {
  const auto reader = open_sentences(LineReader::over(text, "fuzz"), options);
  std::ostringstream out;
  const auto writer = make_writer(out, {.format = options.format, .replace_column = column});
  std::size_t sum = 0;
  for (Sentence sentence; reader->next(sentence);) {
    sum += look_at(sentence);
    Prediction prediction;
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      const bool has_column = column < sentence.num_columns();
      prediction.labels.push_back(has_column ? sentence.cell(row, column) : "_");
    }
    writer->write(sentence, prediction);
  }
  writer->finish(reader->trailing());
  was_clean = reader->counts().problems == 0 && sum != static_cast<std::size_t>(-1);
  return out.str();
}

// Of a format that keeps its bytes: what was read without faults must come back as it was, but for
// cells that no writer takes (a lone carriage return in them would be read as the end of a line).
inline void require_round_trip(std::string_view text, const ReaderOptions& options,
                               std::size_t column) {
  bool was_clean = false;
  std::string again;
  try {
    again = read_and_rewrite(text, options, column, was_clean);
  } catch (const InvalidArgument& error) {
    testing::fuzz_require(error.code() == "E115", "only a cell is refused");
    return;
  }
  testing::fuzz_require(!was_clean || again == text, "what is read is written back as it was");
}

}  // namespace coppice::text
