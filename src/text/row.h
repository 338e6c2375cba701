// Lines that become rows of cells, as column files, CoNLL-U and plain text share them.
#pragma once

#include <cstddef>
#include <string_view>

#include "coppice/base/file.h"
#include "coppice/text/sentence.h"
#include "text/lines.h"

namespace coppice::text {

// Adds a cell for each part between tabs; returns how many.
inline std::size_t split_at_tabs(Sentence& sentence, TextRange line) {
  const std::string_view text = sentence.view(line);
  std::size_t found = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '\t') continue;
    sentence.add_cell(
        {line.begin + static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(i - begin)});
    begin = i + 1;
    ++found;
  }
  return found;
}

// The same for the words between runs of blanks.
inline std::size_t split_at_blanks(Sentence& sentence, TextRange line) {
  const std::string_view text = sentence.view(line);
  std::size_t found = 0;
  for (std::size_t i = 0; i < text.size(); ++found) {
    while (i < text.size() && is_blank(text[i])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && !is_blank(text[i])) ++i;
    if (begin == i) break;
    sentence.add_cell(
        {line.begin + static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(i - begin)});
  }
  return found;
}

// Adds a line to raw() and returns its content: without byte-order mark and carriage return.
inline TextRange append_line(Sentence& sentence, std::string_view line, LineReader& lines) {
  TextRange range = sentence.append_raw(line, lines.line_was_terminated());
  if (lines.line_number() == 1) {
    const auto bom = static_cast<std::uint32_t>(line.size() - without_bom(line).size());
    range = {range.begin + bom, range.size - bom};
  }
  if (sentence.view(range).ends_with('\r')) --range.size;
  return range;
}

// A part of sentence.raw() as a range.
inline TextRange range_in(const Sentence& sentence, std::string_view part) {
  return {static_cast<std::uint32_t>(part.data() - sentence.raw().data()),
          static_cast<std::uint32_t>(part.size())};
}

}  // namespace coppice::text
