// The probability of a span: that exactly these tokens, no more and no fewer, are one span of this
// type.
//
//     p(span) = sum of p(y | x) over the label sequences y whose spans include it
//
// Spans are read as text::Reading::kLenient reads them; sequences that keep to their scheme have
// the same spans under either reading. The sum takes in every way to spell the span (IOB1 has two)
// and the labels around it, which must neither begin earlier nor go on later. It is no product of
// token posteriors.
//
// Cost of a span of n tokens, for L labels of which K have the type: 2 L K + n K^2 exponentials,
// from messages that a sentence computes once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/kernel.h"
#include "chain/messages.h"
#include "coppice/text/spans.h"

namespace coppice::chain {

class SpanPosteriors {
 public:
  // Reads the labels' types and which of them go on a span; keeps no reference.
  explicit SpanPosteriors(std::span<const std::string> labels);

  // Requires a span within the sentence, and that `messages` are of these scores and transitions.
  // Returns 0 for a type that no label has.
  double probability(const text::LabelledSpan& span, const float* scores,
                     const Transitions& transitions, const Messages& messages) const;

  // Whether a label at a token, after another one, is compatible with the span. The label before is
  // not looked at for the first token.
  bool allows(const text::LabelledSpan& span, std::size_t token, std::size_t previous,
              std::size_t label) const;

 private:
  bool continues(std::size_t previous, std::size_t next) const noexcept {
    return continues_[previous * num_labels_ + next] != 0;
  }

  std::size_t num_labels_;
  std::map<std::string, std::vector<std::uint16_t>, std::less<>> by_type_;
  std::vector<unsigned char> continues_;  // labels x labels
};

}  // namespace coppice::chain
