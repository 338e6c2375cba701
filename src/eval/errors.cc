#include "coppice/eval/errors.h"

#include <algorithm>
#include <utility>

namespace coppice::eval {

namespace {

bool same_bounds(const LabelledSpan& a, const LabelledSpan& b) {
  return a.begin == b.begin && a.end == b.end;
}

bool overlap(const LabelledSpan& a, const LabelledSpan& b) {
  return a.begin < b.end && b.begin < a.end;
}

// Pairs spans that satisfy `related`, each once, and removes them from both lists. Calls
// found(gold, predicted) for each pair. One sweep: spans of a side are disjoint and sorted.
template <class Related, class Found>
void pair_off(std::vector<LabelledSpan>& gold, std::vector<LabelledSpan>& predicted,
              const Related& related, const Found& found) {
  std::vector<LabelledSpan> gold_left;
  std::vector<unsigned char> used(predicted.size(), 0);
  std::size_t first = 0;  // predicted spans before it end before the gold span begins
  for (const LabelledSpan& span : gold) {
    while (first < predicted.size() && predicted[first].end <= span.begin) ++first;
    std::size_t i = first;
    while (i < predicted.size() && predicted[i].begin < span.end &&
           (used[i] != 0 || !related(span, predicted[i])))
      ++i;
    if (i < predicted.size() && predicted[i].begin < span.end) {
      used[i] = 1;
      found(span, predicted[i]);
    } else {
      gold_left.push_back(span);
    }
  }
  gold = std::move(gold_left);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    if (used[i] == 0) predicted[kept++] = predicted[i];
  predicted.resize(kept);
}

}  // namespace

std::string_view name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::kMissed:
      return "missed";
    case ErrorKind::kSpurious:
      return "spurious";
    case ErrorKind::kWrongType:
      return "wrong type";
    case ErrorKind::kWrongBounds:
      return "wrong bounds";
  }
  return "";
}

std::vector<SpanError> span_errors(std::size_t sentence, std::span<const LabelledSpan> gold,
                                   std::span<const LabelledSpan> predicted) {
  std::vector<LabelledSpan> golds(gold.begin(), gold.end());
  std::vector<LabelledSpan> guesses(predicted.begin(), predicted.end());
  std::vector<SpanError> errors;
  const auto record = [&](ErrorKind kind) {
    return [&errors, sentence, kind](const LabelledSpan& a, const LabelledSpan& b) {
      errors.push_back({kind, sentence, a, b});
    };
  };
  pair_off(
      golds, guesses, [](const auto& a, const auto& b) { return a == b; },
      [](const auto&, const auto&) {});
  pair_off(golds, guesses, same_bounds, record(ErrorKind::kWrongType));
  pair_off(
      golds, guesses,
      [](const auto& a, const auto& b) { return a.type == b.type && overlap(a, b); },
      record(ErrorKind::kWrongBounds));
  for (const LabelledSpan& span : golds)
    errors.push_back({ErrorKind::kMissed, sentence, span, std::nullopt});
  for (const LabelledSpan& span : guesses)
    errors.push_back({ErrorKind::kSpurious, sentence, std::nullopt, span});
  std::stable_sort(errors.begin(), errors.end(), [](const SpanError& a, const SpanError& b) {
    return a.place().begin < b.place().begin;
  });
  return errors;
}

}  // namespace coppice::eval
