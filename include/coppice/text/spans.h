// Labelled spans as labels of tokens, and back.
//
//             Alex  is  going  to  Los    Angeles  County
//     IOB1    I-PER O   O      O   I-LOC  I-LOC    I-LOC     B- only right after a span of that
//     type IOB2    B-PER O   O      O   B-LOC  I-LOC    I-LOC BIOES   S-PER O   O      O   B-LOC
//     I-LOC    E-LOC BILOU   U-PER O   O      O   B-LOC  I-LOC    L-LOC raw     labels are only
//     labels (parts of speech, say); there are no spans
//
// A label is "O", or a prefix letter, '-' and a type (which may hold further '-'); a letter alone
// has the empty type. Positions count tokens from 0; spans are half-open.
//
// Cost: everything is linear in the number of labels.
// Ramshaw and Marcus (1995), "Text Chunking using Transformation-Based Learning".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::text {

enum class Scheme { kRaw, kIob1, kIob2, kBioes, kBilou };

// "raw", "IOB1", "IOB2", "BIOES" or "BILOU".
const char* to_string(Scheme scheme) noexcept;
// The same names in upper or lower case. Throws InvalidArgument (E113) for others.
Scheme parse_scheme(std::string_view name);

// Tokens [begin, end). The type is a view of the label that it was read from.
struct LabelledSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view type{};
  bool operator==(const LabelledSpan&) const = default;
};

struct LabelParts {
  char prefix = 'O';  // of "BILMOESU..."; any letter
  std::string_view type{};
};

// The parts of a label of any scheme but raw; none for a label such as "NN" or "X-".
std::optional<LabelParts> split_label(std::string_view label) noexcept;

enum class Reading {
  // A span whose labels break the scheme is none: I-X after O makes no span in IOB2. In IOB1 a B
  // always begins one.
  kStrict,
  // As conlleval reads: a span begins and ends wherever the labels hint at it.
  kLenient,
};

// The spans of a sentence, from left to right. Labels that belong to no scheme count as "O". Raw
// labels have no spans. kLenient reads every scheme by one rule: B, S, U begin a span, and so does
// any label but O after O, after E, L, S, U or after another type.
std::vector<LabelledSpan> spans_of(std::span<const std::string_view> labels, Scheme scheme,
                                   Reading reading = Reading::kStrict);

// The rule of kLenient, pair by pair: whether two neighbouring labels belong to one span.
bool continues_span(std::string_view previous, std::string_view next) noexcept;

// The labels of a sentence of `length` tokens. Spans come in any order. Throws InvalidArgument
// (E114) for the raw scheme and for spans that are empty, overlap or pass the end.
std::vector<std::string> labels_of(std::span<const LabelledSpan> spans, Scheme scheme,
                                   std::size_t length);

// Reads leniently and writes in the other scheme, so that broken sequences come out repaired.
std::vector<std::string> convert_labels(std::span<const std::string_view> labels, Scheme from,
                                        Scheme to);

// Which labels may follow which, begin and end a sentence. A label that the scheme does not know is
// never allowed; under raw everything is.
bool allowed(Scheme scheme, std::string_view previous, std::string_view next) noexcept;
bool allowed_at_start(Scheme scheme, std::string_view label) noexcept;
bool allowed_at_end(Scheme scheme, std::string_view label) noexcept;

// Finds the scheme that a corpus is written in.
//
// A label that splits into no parts, a prefix outside BIOESLU, prefixes of two schemes, or nothing
// but O mean raw; E or S mean BIOES, L or U BILOU. With B and I alone it is IOB1 if some span
// begins with I and no B stands where IOB1 has none, else IOB2.
class SchemeDetector {
 public:
  // Adds the labels of one sentence.
  void add(std::span<const std::string_view> labels) noexcept;
  Scheme scheme() const noexcept;

 private:
  bool has_foreign_ = false;
  bool has_begin_ = false;
  bool has_inside_ = false;
  bool has_bioes_ = false;
  bool has_bilou_ = false;
  bool breaks_iob1_ = false;
  bool breaks_iob2_ = false;
};

// The same from the set of labels alone. I without B is IOB1; B with I is taken for IOB2.
Scheme detect_scheme(std::span<const std::string_view> label_set) noexcept;

}  // namespace coppice::text
