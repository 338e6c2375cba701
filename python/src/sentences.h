// From Python's lists to the library's sentences.
//
// A sentence is an iterable of tokens, and a token is
//
//     a str                   a word
//     a tuple or list         its columns, each a str or a number; a dict or set may follow them
//     a dict                  attributes: a number, a str, a bool, or several str, under each name
//     a set                   names of attributes, each of value 1
//
// What attributes mean is said in coppice/text/sentence_builder.h, as for JSON lines. The labels of
// a sentence are str; or None, unknown; or several str, one of which it is.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "coppice/base/error.h"
#include "coppice/text/sentence.h"
#include "coppice/text/sentence_builder.h"

namespace coppice::python {

class SentenceConverter {
 public:
  // `argument` is the name under which errors are told, with the number of the sentence as line.
  // Without `num_columns`, the first token says how many columns all have; `columns` says it in
  // words.
  explicit SentenceConverter(std::string argument,
                             std::optional<std::size_t> num_columns = std::nullopt,
                             std::string columns = {})
      : argument_(std::move(argument)), num_columns_(num_columns), columns_(std::move(columns)) {}

  // Fills `sentence` with the next one. `labels` may be None: the sentence has none. Throws
  // ParseError: E203 for another number of columns, E241 for a value of the wrong type, E243 where
  // there is not one label a token.
  void convert(pybind11::handle tokens, pybind11::handle labels, text::Sentence& sentence);
  // E208 for a weight that is not a number from 0 up. After convert().
  void set_weight(pybind11::handle weight, text::Sentence& sentence) const;

  // Columns of the tokens so far; 0 where they have attributes only.
  std::size_t num_columns() const noexcept { return num_columns_.value_or(0); }

 private:
  [[noreturn]] void fail(const char* code, const std::string& message,
                         const std::string& help = {}) const;
  [[noreturn]] void fail_type(const std::string& wanted, pybind11::handle found) const;
  std::string_view text_of(pybind11::handle text, const char* what) const;

  void add_token(pybind11::handle token);
  void add_cell(pybind11::handle cell);
  void add_attributes(pybind11::handle attributes);
  void add_attribute(std::string_view name, pybind11::handle value);
  void add_labels(pybind11::handle labels);

  std::string argument_;
  std::optional<std::size_t> num_columns_;
  std::string columns_;
  std::size_t number_ = 0;  // of the sentence, from 1
  std::size_t cells_ = 0;   // of the token
  bool has_attributes_ = false;
  text::SentenceBuilder builder_;
};

}  // namespace coppice::python
