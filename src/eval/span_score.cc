#include "coppice/eval/span_score.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::eval {

namespace {

// BILOU is read as BIOES: L is E, U is S. Labels without '-' have no type; only O is common.
struct Tag {
  std::string_view prefix;
  std::string_view type;
};

Tag tag_of(std::string_view label) {
  const std::size_t dash = label.find('-');
  if (dash == std::string_view::npos) return {label, {}};
  Tag tag{label.substr(0, dash), label.substr(dash + 1)};
  if (tag.prefix == "L") tag.prefix = "E";
  if (tag.prefix == "U") tag.prefix = "S";
  return tag;
}

bool ends_conlleval(const Tag& previous, const Tag& tag) {
  if (previous.prefix == "O") return false;
  if (previous.prefix == "E" || previous.prefix == "S") return true;
  const bool inside = previous.prefix == "B" || previous.prefix == "I";
  if (inside && (tag.prefix == "B" || tag.prefix == "S" || tag.prefix == "O")) return true;
  return previous.type != tag.type;
}

bool begins_conlleval(const Tag& previous, const Tag& tag) {
  if (tag.prefix == "O") return false;
  if (tag.prefix == "B" || tag.prefix == "S") return true;
  const bool after_end = previous.prefix == "O" || previous.prefix == "E" || previous.prefix == "S";
  if (after_end && (tag.prefix == "I" || tag.prefix == "E")) return true;
  return previous.type != tag.type;
}

std::vector<LabelledSpan> conlleval_spans(std::span<const std::string_view> labels) {
  std::vector<LabelledSpan> spans;
  Tag previous{"O", {}};
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i <= labels.size(); ++i) {
    const Tag tag = i < labels.size() ? tag_of(labels[i]) : Tag{"O", {}};
    if (begin && ends_conlleval(previous, tag)) {
      spans.push_back({*begin, i, previous.type});
      begin.reset();
    }
    if (begins_conlleval(previous, tag)) begin = i;
    previous = tag;
  }
  return spans;
}

// The end of the strict span that begins at `i`, or nothing. IOB1 is not handled here.
std::optional<std::size_t> strict_end(std::span<const std::string_view> labels, std::size_t i,
                                      Scheme scheme) {
  const Tag first = tag_of(labels[i]);
  const bool has_ends = scheme != Scheme::kIob2;
  if (has_ends && first.prefix == "S") return i + 1;
  if (first.prefix != "B") return std::nullopt;
  std::size_t end = i + 1;
  const auto continues = [&](std::string_view prefix) {
    if (end >= labels.size()) return false;
    const Tag tag = tag_of(labels[end]);
    return tag.prefix == prefix && tag.type == first.type;
  };
  while (continues("I")) ++end;
  if (!has_ends) return end;
  return continues("E") ? std::optional(end + 1) : std::nullopt;
}

bool foreign_letters(std::string_view label, Scheme scheme) {
  const bool bilou_letter = label.starts_with("L-") || label.starts_with("U-");
  const bool bioes_letter = label.starts_with("E-") || label.starts_with("S-");
  return scheme == Scheme::kBilou ? bioes_letter : bilou_letter;
}

std::vector<LabelledSpan> strict_spans(std::span<const std::string_view> labels, Scheme scheme) {
  std::vector<LabelledSpan> spans;
  for (std::size_t i = 0; i < labels.size();) {
    const auto end = strict_end(labels, i, scheme);
    const auto foreign = [&](std::string_view label) { return foreign_letters(label, scheme); };
    if (!end || std::any_of(labels.begin() + static_cast<std::ptrdiff_t>(i),
                            labels.begin() + static_cast<std::ptrdiff_t>(*end), foreign)) {
      ++i;
      continue;
    }
    spans.push_back({i, *end, tag_of(labels[i]).type});
    i = *end;
  }
  return spans;
}

std::vector<LabelledSpan> strict_iob1_spans(std::span<const std::string_view> labels) {
  std::vector<LabelledSpan> spans;
  for (std::size_t i = 0; i < labels.size();) {
    const Tag first = tag_of(labels[i]);
    std::size_t end = i + 1;
    if (first.prefix == "I" || first.prefix == "B") {
      const auto continues = [&](const Tag& tag) {
        return tag.prefix == "I" && tag.type == first.type;
      };
      while (end < labels.size() && continues(tag_of(labels[end]))) ++end;
      const bool touches =
          !spans.empty() && spans.back().end == i && spans.back().type == first.type;
      if (first.prefix == "I" || touches) spans.push_back({i, end, first.type});
    }
    i = end;
  }
  return spans;
}

double ratio(double numerator, double denominator) noexcept {
  return denominator > 0 ? numerator / denominator : 0;
}

}  // namespace

std::string_view name(Match match) noexcept {
  return match == Match::kConlleval ? "conlleval" : "strict";
}

std::string_view name(Scheme scheme) noexcept {
  switch (scheme) {
    case Scheme::kIob1:
      return "iob1";
    case Scheme::kIob2:
      return "iob2";
    case Scheme::kBioes:
      return "bioes";
    case Scheme::kBilou:
      return "bilou";
    case Scheme::kRaw:
      break;
  }
  return "raw";
}

std::vector<LabelledSpan> spans_of(std::span<const std::string_view> labels, Match match,
                                   Scheme scheme) {
  if (match == Match::kConlleval) return conlleval_spans(labels);
  if (scheme == Scheme::kRaw) return {};
  return scheme == Scheme::kIob1 ? strict_iob1_spans(labels) : strict_spans(labels, scheme);
}

double Counts::precision() const noexcept {
  return ratio(static_cast<double>(correct), static_cast<double>(predicted));
}
double Counts::recall() const noexcept {
  return ratio(static_cast<double>(correct), static_cast<double>(gold));
}
double Counts::f1() const noexcept {
  return ratio(2 * static_cast<double>(correct), static_cast<double>(gold + predicted));
}

Counts& Counts::operator+=(const Counts& other) noexcept {
  gold += other.gold;
  predicted += other.predicted;
  correct += other.correct;
  return *this;
}

Counts& SpanScorer::of_type(std::string_view type) {
  const auto found = by_type_.find(type);
  return found != by_type_.end() ? found->second : by_type_[std::string(type)];
}

Counts SpanScorer::add(std::span<const std::string_view> gold,
                       std::span<const std::string_view> predicted) {
  require(gold.size() == predicted.size(), "span scores: ", gold.size(), " gold labels and ",
          predicted.size(), " predicted ones in a sentence");
  tokens_ += gold.size();
  for (std::size_t i = 0; i < gold.size(); ++i) correct_tokens_ += gold[i] == predicted[i];
  const auto gold_spans = spans_of(gold, match_, scheme_);
  const auto predicted_spans = spans_of(predicted, match_, scheme_);
  Counts sentence;
  const auto count = [&](std::uint64_t Counts::*what, std::string_view type) {
    ++(sentence.*what);
    ++(of_type(type).*what);
  };
  for (const LabelledSpan& span : gold_spans) count(&Counts::gold, span.type);
  auto at = gold_spans.begin();  // spans of a sentence do not overlap: one sweep finds equals
  for (const LabelledSpan& span : predicted_spans) {
    count(&Counts::predicted, span.type);
    while (at != gold_spans.end() && at->begin < span.begin) ++at;
    if (at != gold_spans.end() && *at == span) count(&Counts::correct, span.type);
  }
  total_ += sentence;
  return sentence;
}

Averages SpanScorer::macro() const noexcept {
  Averages sum;
  for (const auto& [type, counts] : by_type_) {
    sum.precision += counts.precision();
    sum.recall += counts.recall();
    sum.f1 += counts.f1();
  }
  const auto types = static_cast<double>(by_type_.size());
  return {ratio(sum.precision, types), ratio(sum.recall, types), ratio(sum.f1, types)};
}

double SpanScorer::token_accuracy() const noexcept {
  return ratio(static_cast<double>(correct_tokens_), static_cast<double>(tokens_));
}

}  // namespace coppice::eval
