// Gazetteers and word classes, as the extractor looks them up. Private.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::text {

struct TextHash {
  std::size_t operator()(std::string_view text) const noexcept;
};
template <class T>
using TextMap = tsl::robin_map<std::string, T, TextHash, std::equal_to<>>;

// Entries of one or more words, as a trie over the words' numbers.
class Gazetteer {
 public:
  // One entry a line, its words separated by blanks; empty lines count for nothing.
  explicit Gazetteer(std::string_view text);

  // The number of a word, from 1; 0 when no entry contains it.
  std::uint32_t number(std::string_view word) const;

  // From the left, at each place the longest entry that begins there: 'B' on its first word, 'I'
  // on the others, 0 on words outside. Requires tags.size() == numbers.size().
  void tag(std::span<const std::uint32_t> numbers, std::span<char> tags) const;

 private:
  std::uint32_t child(std::uint32_t node, std::uint32_t word) const;

  TextMap<std::uint32_t> words_;
  tsl::robin_map<std::uint64_t, std::uint32_t> children_;  // node << 32 | word -> node
  std::vector<unsigned char> ends_entry_;                  // by node; 0 is the root
};

// A class for each of many words.
class WordClasses {
 public:
  // Tab-separated lines: BITS word COUNT (as Brown clustering writes them), or word CLASS.
  // Throws ParseError (E124); `name` is the file for the message.
  WordClasses(std::string text, const std::string& name);
  WordClasses(const WordClasses&) = delete;
  WordClasses& operator=(const WordClasses&) = delete;

  // Of the word, or else of its lower case.
  std::optional<std::string_view> find(std::string_view word) const;

 private:
  std::string text_;  // what the words and classes are views of
  tsl::robin_map<std::string_view, std::string_view, TextHash> classes_;
};

}  // namespace coppice::text
