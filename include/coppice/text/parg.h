// Dependencies of categorial grammar as text.
//
// PARG, the files beside CCGbank's AUTO files; fields are separated by tabs, words count from 0,
// and the number after the id is that of the last word:
//
//     <s id="wsj_0001.1"> 2
//     0	1	(S[dcl]\NP)/NP	1	She reads
//     2	1	(S[dcl]\NP)/NP	2	books reads
//     <\s>
//
// A line has the argument, the functor, the functor's category, the slot, and the two words; <XB>
// or <XU> after them marks a long-range dependency. The C&C parser's lines ("deps") have the
// functor first, words that count from 1, and the number of the unary rule, 0 for none:
//
//     reads_2 (S[dcl]\NP)/NP 1 She_1 0
//
// Faults throw ParseError: E202 not UTF-8, E215 not PARG.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/file.h"

namespace coppice::text {

struct PargDependency {
  std::uint32_t argument = 0;
  std::uint32_t functor = 0;
  std::string category;
  std::uint32_t slot = 0;
  std::string argument_word;
  std::string functor_word;
  bool is_long_range = false;
  std::uint32_t rule = 0;  // only in "deps"

  bool operator==(const PargDependency&) const = default;
};

struct PargSentence {
  std::string id;
  std::uint32_t num_words = 0;
  std::vector<PargDependency> dependencies;
  std::size_t line = 0;

  bool operator==(const PargSentence&) const = default;
};

class PargReader {
 public:
  explicit PargReader(LineReader lines) : lines_(std::move(lines)) {}

  // False at the end. Throws ParseError.
  bool next(PargSentence& sentence);

  const std::string& name() const noexcept { return lines_.name(); }

 private:
  bool open(PargSentence& sentence);
  PargDependency dependency(std::string_view line, std::uint32_t num_words) const;
  [[noreturn]] void fail(const std::string& message, std::string_view line) const;

  LineReader lines_;
};

// What PargReader reads comes back byte for byte when it has tabs as above and <XB> as its marks.
void write_parg(std::ostream& out, const PargSentence& sentence);
// Lines as the C&C parser prints them, and an empty one.
void write_deps(std::ostream& out, const PargSentence& sentence);

}  // namespace coppice::text
