#include "coppice/text/feature_lines.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "coppice/base/error.h"
#include "text/lines.h"
#include "text/utf8_validate.h"

namespace coppice::text {

namespace {

std::string_view take_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t size = 0;
  while (size < rest.size() && !is_blank(rest[size])) ++size;
  const std::string_view word = rest.substr(0, size);
  rest.remove_prefix(size);
  return word;
}

// The name of a word without its escapes, and the text after its ':', if it has one.
std::optional<std::string_view> cut_word(std::string_view word, std::string& name) {
  name.clear();
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == ':') return word.substr(i + 1);
    const bool is_escape = word[i] == '\\' && i + 1 < word.size() &&
                           std::string_view(":\\#").find(word[i + 1]) != std::string_view::npos;
    if (is_escape) ++i;
    name += word[i];
  }
  return std::nullopt;
}

}  // namespace

bool FeatureLineReader::next(FeatureLine& example) {
  for (std::string_view line; lines_.next(line);) {
    if (lines_.line_number() == 1) line = without_bom(line);
    line = without_carriage_return(line);
    std::string_view rest = line;
    const std::string_view first = take_word(rest);
    if (first.empty() || first == "#") continue;
    parse(line, example);
    return true;
  }
  return false;
}

void FeatureLineReader::fail(const std::string& message, const char* code, std::string_view line,
                             const char* help) const {
  throw ParseError(message, {.code = code,
                             .where = {.file = lines_.name(), .line = lines_.line_number()},
                             .excerpt = excerpt_of(line),
                             .help = help});
}

void FeatureLineReader::parse(std::string_view line, FeatureLine& example) {
  require_text(line, lines_);
  example.line = lines_.line_number();
  std::string_view rest = line;
  const std::string_view label = take_word(rest);
  const auto importance = cut_word(label, example.label);
  example.importance = 1;
  if (importance) example.importance = parse_number<double>(*importance).value_or(-1);
  if (!(example.importance > 0) || !std::isfinite(static_cast<float>(example.importance))) {
    fail(concat("the importance of the label \"", excerpt_of(label), "\" is not a positive number"),
         "E261", line, "write \"\\:\" for a ':' that belongs to the label");
  }
  num_features_ = 0;
  for (;;) {
    const std::string_view word = take_word(rest);
    if (word.empty() || word == "#") break;
    take_feature(word, line, example);
  }
  example.features.resize(num_features_);
  refuse_repetition(line, example);
}

void FeatureLineReader::take_feature(std::string_view word, std::string_view line,
                                     FeatureLine& example) {
  if (num_features_ == example.features.size()) example.features.emplace_back();
  FeatureLine::Feature& feature = example.features[num_features_++];
  const auto value = cut_word(word, feature.name);
  feature.value = 1;
  if (value) feature.value = parse_number<double>(*value).value_or(NAN);
  if (feature.name.empty() || !std::isfinite(feature.value)) {
    fail(concat("\"", excerpt_of(word), "\" is not a name, or a name, ':' and a number"), "E260",
         line, "write \"\\:\" for a ':' that belongs to the name");
  }
}

void FeatureLineReader::refuse_repetition(std::string_view line, const FeatureLine& example) const {
  sorted_.assign(example.features.size(), {});
  std::transform(
      example.features.begin(), example.features.end(), sorted_.begin(),
      [](const FeatureLine::Feature& feature) { return std::string_view(feature.name); });
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
  if (twice == sorted_.end()) return;
  fail(concat("the feature \"", excerpt_of(*twice), "\" comes twice"), "E262", line,
       "give each feature of an example once, with its value");
}

}  // namespace coppice::text
