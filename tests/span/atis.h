// The ATIS test sentences: lines "NUMBER : words ...", the number of parses first.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"

namespace coppice::testing {

struct AtisSentence {
  std::uint64_t parses = 0;
  std::vector<std::string> words;
};

inline std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

inline std::vector<AtisSentence> read_atis_sentences(const std::string& path) {
  std::vector<AtisSentence> sentences;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream in{std::string(line)};
    AtisSentence sentence;
    std::string colon, rest;
    if (!(in >> sentence.parses >> colon) || colon != ":") {
      throw ParseError("expected NUMBER : WORDS", {.where = {path, reader.line_number()}});
    }
    std::getline(in, rest);
    sentence.words = split_words(rest);
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace coppice::testing
