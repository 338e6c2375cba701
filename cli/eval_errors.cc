#include "cli/eval_errors.h"

#include <fmt/core.h>

#include <algorithm>

namespace coppice::cli {

namespace {

constexpr std::size_t kContextTokens = 4;  // on each side of an error

std::string words_between(const std::vector<std::string>& forms, std::size_t begin,
                          std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (i > begin ? " " : "") + forms[i];
  return text;
}

ErrorContext context_of(const std::vector<std::string>& forms, std::size_t begin, std::size_t end) {
  const std::size_t first = begin - std::min(begin, kContextTokens);
  const std::size_t last = std::min(forms.size(), end + kContextTokens);
  ErrorContext context{.before = first > 0 ? "... " : "",
                       .words = words_between(forms, begin, end)};
  if (first < begin) context.before += words_between(forms, first, begin) + ' ';
  if (end < last) context.after = ' ' + words_between(forms, end, last);
  if (last < forms.size()) context.after += " ...";
  return context;
}

ShownError shown(const eval::SpanError& error, const LabelPairs& pairs) {
  const LabelPairs::Words& words = pairs.words(error.sentence);
  const eval::LabelledSpan& place = error.place();
  std::string what(place.type);
  if (error.kind == eval::ErrorKind::kWrongType)
    what += fmt::format(" as {}", error.predicted->type);
  if (error.kind == eval::ErrorKind::kWrongBounds)
    what += fmt::format(" as \"{}\"",
                        words_between(words.forms, error.predicted->begin, error.predicted->end));
  return {.line = words.lines[place.begin],
          .what = what,
          .context = context_of(words.forms, place.begin, place.end)};
}

std::vector<ShownError> token_errors(const LabelPairs& pairs) {
  std::vector<ShownError> errors;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto gold = pairs.gold(i);
    const auto predicted = pairs.predicted(i);
    for (std::size_t k = 0; k < gold.size(); ++k) {
      if (gold[k] == predicted[k]) continue;
      const LabelPairs::Words& words = pairs.words(i);
      errors.push_back({.line = words.lines[k],
                        .what = fmt::format("{} as {}", gold[k], predicted[k]),
                        .context = context_of(words.forms, k, k + 1)});
    }
  }
  return errors;
}

}  // namespace

std::vector<ErrorsOfKind> errors_by_kind(const LabelPairs& pairs, const Scoring& scoring) {
  using enum eval::ErrorKind;
  std::vector<ErrorsOfKind> kinds;
  if (scoring.by_span()) {
    const std::vector<eval::SpanError> errors = all_span_errors(pairs, scoring);
    for (const eval::ErrorKind kind : {kMissed, kSpurious, kWrongType, kWrongBounds}) {
      ErrorsOfKind of_kind{std::string(name(kind)), {}};
      for (const eval::SpanError& error : errors)
        if (error.kind == kind) of_kind.errors.push_back(shown(error, pairs));
      kinds.push_back(std::move(of_kind));
    }
  } else {
    kinds.push_back({"wrong label", token_errors(pairs)});
  }
  std::erase_if(kinds, [](const ErrorsOfKind& kind) { return kind.errors.empty(); });
  return kinds;
}

}  // namespace coppice::cli
