#include "coppice/text/spans.h"

#include <algorithm>
#include <array>

#include "coppice/base/error.h"

namespace coppice::text {

namespace {

constexpr LabelParts kOutside{};

// What a prefix says about its token, whatever the letter is.
struct Role {
  bool begins = false;  // must be the first of a span
  bool ends = false;    // must be the last of a span
};

Role role_of(char prefix) noexcept {
  const bool is_single = prefix == 'S' || prefix == 'U';
  return {is_single || prefix == 'B', is_single || prefix == 'E' || prefix == 'L'};
}

bool scheme_has(Scheme scheme, char prefix) noexcept {
  constexpr std::array<std::string_view, 5> prefixes = {"", "OBI", "OBI", "OBIES", "OBILU"};
  return prefixes[static_cast<std::size_t>(scheme)].find(prefix) != std::string_view::npos;
}

// The parts of a label under a scheme; none when the scheme has no such label.
std::optional<LabelParts> parts_in(Scheme scheme, std::string_view label) noexcept {
  const auto parts = split_label(label);
  return parts && scheme_has(scheme, parts->prefix) ? parts : std::nullopt;
}

bool same_span_type(const LabelParts& a, const LabelParts& b) noexcept {
  return a.prefix != 'O' && b.prefix != 'O' && a.type == b.type;
}

// Whether `next` may stand after `previous`; "O" stands for both ends of the sentence.
bool fits(Scheme scheme, const LabelParts& previous, const LabelParts& next) noexcept {
  if (scheme == Scheme::kIob1) return next.prefix != 'B' || same_span_type(previous, next);
  const bool continues = next.prefix != 'O' && !role_of(next.prefix).begins;
  if (continues) return same_span_type(previous, next) && !role_of(previous.prefix).ends;
  // A new span or none: the one before must be over, which only IOB leaves unsaid.
  const bool is_open = previous.prefix != 'O' && !role_of(previous.prefix).ends;
  return scheme == Scheme::kIob2 || !is_open;
}

bool continues_leniently(const LabelParts& previous, const LabelParts& next) noexcept {
  return same_span_type(previous, next) && !role_of(next.prefix).begins &&
         !role_of(previous.prefix).ends;
}

std::vector<LabelledSpan> lenient_spans(std::span<const std::string_view> labels) {
  std::vector<LabelledSpan> spans;
  LabelParts previous = kOutside;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const LabelParts next = split_label(labels[i]).value_or(kOutside);
    if (continues_leniently(previous, next)) {
      spans.back().end = i + 1;
    } else if (next.prefix != 'O') {
      spans.push_back({i, i + 1, next.type});
    }
    previous = next;
  }
  return spans;
}

// Whether the scheme lets a span end with this label.
bool may_end(Scheme scheme, const LabelParts& last) noexcept {
  return scheme == Scheme::kIob1 || scheme == Scheme::kIob2 || role_of(last.prefix).ends;
}

std::string label_at(std::size_t i, const LabelledSpan& span, Scheme scheme, bool after_same) {
  const bool is_first = i == span.begin;
  const bool is_last = i + 1 == span.end;
  char prefix = 'I';
  if (scheme == Scheme::kIob1) {
    if (is_first && after_same) prefix = 'B';
  } else if (scheme == Scheme::kIob2) {
    if (is_first) prefix = 'B';
  } else {
    const bool is_bioes = scheme == Scheme::kBioes;
    if (is_first) prefix = 'B';
    if (is_last) prefix = is_bioes ? 'E' : 'L';
    if (is_first && is_last) prefix = is_bioes ? 'S' : 'U';
  }
  return span.type.empty() ? std::string(1, prefix) : concat(prefix, '-', span.type);
}

[[noreturn]] void refuse(const std::string& message) {
  throw InvalidArgument(message, {.code = "E114"});
}

}  // namespace

const char* to_string(Scheme scheme) noexcept {
  constexpr std::array<const char*, 5> names = {"raw", "IOB1", "IOB2", "BIOES", "BILOU"};
  return names[static_cast<std::size_t>(scheme)];
}

Scheme parse_scheme(std::string_view name) {
  for (const Scheme scheme :
       {Scheme::kRaw, Scheme::kIob1, Scheme::kIob2, Scheme::kBioes, Scheme::kBilou}) {
    const std::string_view known = to_string(scheme);
    const auto equal = [](char a, char b) { return a == b || a == b + ('a' - 'A'); };
    if (std::equal(name.begin(), name.end(), known.begin(), known.end(), equal)) return scheme;
  }
  throw InvalidArgument(concat("unknown label scheme \"", name, "\""),
                        {.code = "E113", .help = "one of raw, IOB1, IOB2, BIOES, BILOU"});
}

std::optional<LabelParts> split_label(std::string_view label) noexcept {
  if (label.empty() || label.front() < 'A' || label.front() > 'Z') return std::nullopt;
  if (label.size() == 1) return LabelParts{label.front(), {}};
  const bool is_typed = label.size() > 2 && label[1] == '-' && label.front() != 'O';
  return is_typed ? std::optional(LabelParts{label.front(), label.substr(2)}) : std::nullopt;
}

std::vector<LabelledSpan> spans_of(std::span<const std::string_view> labels, Scheme scheme,
                                   Reading reading) {
  if (scheme == Scheme::kRaw) return {};
  if (reading == Reading::kLenient) return lenient_spans(labels);
  std::vector<LabelledSpan> spans;
  LabelParts previous = kOutside;
  bool is_open = false;  // whether a sound span ends at the token before
  const auto close = [&] {
    if (is_open && !may_end(scheme, previous)) spans.pop_back();
    is_open = false;
  };
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const LabelParts next = parts_in(scheme, labels[i]).value_or(kOutside);
    const bool begins =
        next.prefix != 'O' && (role_of(next.prefix).begins ||
                               (scheme == Scheme::kIob1 && !same_span_type(previous, next)));
    if (begins) {
      close();
      is_open = true;
      spans.push_back({i, i + 1, next.type});
    } else if (is_open && next.prefix != 'O' && fits(scheme, previous, next)) {
      spans.back().end = i + 1;
    } else {
      close();
    }
    previous = next;
  }
  close();
  return spans;
}

bool continues_span(std::string_view previous, std::string_view next) noexcept {
  return continues_leniently(split_label(previous).value_or(kOutside),
                             split_label(next).value_or(kOutside));
}

std::vector<std::string> labels_of(std::span<const LabelledSpan> spans, Scheme scheme,
                                   std::size_t length) {
  if (scheme == Scheme::kRaw) refuse("raw labels cannot express spans");
  std::vector<LabelledSpan> sorted(spans.begin(), spans.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const LabelledSpan& a, const LabelledSpan& b) { return a.begin < b.begin; });
  std::vector<std::string> labels(length, "O");
  const LabelledSpan* previous = nullptr;
  for (const LabelledSpan& span : sorted) {
    if (span.begin >= span.end || span.end > length) {
      refuse(concat("span [", span.begin, ", ", span.end, ") is empty or passes the end of a ",
                    "sentence of ", length, " tokens"));
    }
    if (previous != nullptr && span.begin < previous->end) {
      refuse(concat("span [", span.begin, ", ", span.end, ") overlaps [", previous->begin, ", ",
                    previous->end, ")"));
    }
    const bool after_same =
        previous != nullptr && previous->end == span.begin && previous->type == span.type;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      labels[i] = label_at(i, span, scheme, after_same);
    }
    previous = &span;
  }
  return labels;
}

std::vector<std::string> convert_labels(std::span<const std::string_view> labels, Scheme from,
                                        Scheme to) {
  if (from == to) return {labels.begin(), labels.end()};
  if (from == Scheme::kRaw) refuse("raw labels have no spans to convert");
  return labels_of(spans_of(labels, from, Reading::kLenient), to, labels.size());
}

bool allowed(Scheme scheme, std::string_view previous, std::string_view next) noexcept {
  if (scheme == Scheme::kRaw) return true;
  const auto before = parts_in(scheme, previous);
  const auto after = parts_in(scheme, next);
  return before && after && fits(scheme, *before, *after);
}

bool allowed_at_start(Scheme scheme, std::string_view label) noexcept {
  return allowed(scheme, "O", label) || scheme == Scheme::kRaw;
}

bool allowed_at_end(Scheme scheme, std::string_view label) noexcept {
  return allowed(scheme, label, "O") || scheme == Scheme::kRaw;
}

void SchemeDetector::add(std::span<const std::string_view> labels) noexcept {
  LabelParts previous = kOutside;
  for (const std::string_view label : labels) {
    const auto parts = split_label(label);
    if (!parts || std::string_view("OBIESLU").find(parts->prefix) == std::string_view::npos) {
      has_foreign_ = true;
      return;
    }
    has_begin_ |= parts->prefix == 'B';
    has_inside_ |= parts->prefix == 'I';
    has_bioes_ |= parts->prefix == 'E' || parts->prefix == 'S';
    has_bilou_ |= parts->prefix == 'L' || parts->prefix == 'U';
    breaks_iob1_ |= !fits(Scheme::kIob1, previous, *parts);
    breaks_iob2_ |= !fits(Scheme::kIob2, previous, *parts);
    previous = *parts;
  }
}

Scheme SchemeDetector::scheme() const noexcept {
  const bool has_any = has_begin_ || has_inside_ || has_bioes_ || has_bilou_;
  if (has_foreign_ || !has_any || (has_bioes_ && has_bilou_)) return Scheme::kRaw;
  if (has_bioes_) return Scheme::kBioes;
  if (has_bilou_) return Scheme::kBilou;
  return breaks_iob2_ && !breaks_iob1_ ? Scheme::kIob1 : Scheme::kIob2;
}

Scheme detect_scheme(std::span<const std::string_view> label_set) noexcept {
  SchemeDetector detector;
  bool has_begin = false;
  for (const std::string_view label : label_set) {
    detector.add(std::span(&label, 1));
    has_begin |= label.starts_with('B');
  }
  const Scheme scheme = detector.scheme();
  const bool is_iob = scheme == Scheme::kIob1 || scheme == Scheme::kIob2;
  if (!is_iob) return scheme;
  return has_begin ? Scheme::kIob2 : Scheme::kIob1;
}

}  // namespace coppice::text
