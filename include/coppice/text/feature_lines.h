// Examples as lines of features, in the manner of SVMlight, with names in place of numbers.
//
//     spam:2.5 money caps:0.75 subject=hello # a comment
//
// The first word is the label, "?" where it is unknown; a number after its ':' is the importance of
// the example (1 without it). The other words are features: a name, and after a ':' its value (1
// without it). Words are separated by blanks and tabs. In labels and names "\:" and "\\" stand for
// ':' and '\'. A word "#" begins a comment; "\#" is a feature of that name. Blank lines and lines
// whose first word is "#" are passed over.
//
// Faults throw ParseError: E202 not UTF-8, E205 NUL byte, E260 a word that is no feature, E261 an
// importance that is not a positive number, E262 a feature that comes twice.
// https://www.cs.cornell.edu/people/tj/svm_light/
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/file.h"

namespace coppice::text {

struct FeatureLine {
  struct Feature {
    std::string name;
    double value = 1;
  };

  std::string label;
  double importance = 1;
  std::vector<Feature> features;  // in the order of the line
  std::size_t line = 0;

  bool has_label() const noexcept { return label != "?"; }
};

class FeatureLineReader {
 public:
  explicit FeatureLineReader(LineReader lines) : lines_(std::move(lines)) {}

  // False at the end of the file. Cost: reuses the memory of `example`.
  bool next(FeatureLine& example);

  const std::string& name() const noexcept { return lines_.name(); }

 private:
  void parse(std::string_view line, FeatureLine& example);
  void take_feature(std::string_view word, std::string_view line, FeatureLine& example);
  void refuse_repetition(std::string_view line, const FeatureLine& example) const;
  [[noreturn]] void fail(const std::string& message, const char* code, std::string_view line,
                         const char* help) const;

  LineReader lines_;
  std::size_t num_features_ = 0;  // of the current line; the vector may be longer
  mutable std::vector<std::string_view> sorted_;
};

}  // namespace coppice::text
