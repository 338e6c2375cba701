#include "chain/span_posteriors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coppice::chain {

SpanPosteriors::SpanPosteriors(std::span<const std::string> labels) : num_labels_(labels.size()) {
  for (std::size_t y = 0; y < num_labels_; ++y) {
    const auto parts = text::split_label(labels[y]);
    if (parts && parts->prefix != 'O') {
      by_type_[std::string(parts->type)].push_back(static_cast<std::uint16_t>(y));
    }
    for (const std::string& next : labels) {
      continues_.push_back(text::continues_span(labels[y], next) ? 1 : 0);
    }
  }
}

bool SpanPosteriors::allows(const text::LabelledSpan& span, std::size_t token, std::size_t previous,
                            std::size_t label) const {
  if (token < span.begin || token > span.end) return true;
  if (token == span.end) return !continues(previous, label);
  const auto found = by_type_.find(span.type);
  if (found == by_type_.end() ||
      std::find(found->second.begin(), found->second.end(), label) == found->second.end()) {
    return false;
  }
  return token == 0 || continues(previous, label) == (token > span.begin);
}

double SpanPosteriors::probability(const text::LabelledSpan& span, const float* scores,
                                   const Transitions& transitions, const Messages& messages) const {
  const auto found = by_type_.find(span.type);
  const double log_z = messages.log_partition();
  if (found == by_type_.end() || std::isinf(log_z)) return 0;
  const std::vector<std::uint16_t>& labels = found->second;
  const auto score = [&](std::size_t t, std::size_t y) {
    return static_cast<double>(scores[t * transitions.stride() + y]);
  };
  std::vector<double> reach(labels.size()), before(labels.size()), terms;
  // Paths up to token t that have been in the span since its begin, by the label at t.
  for (std::size_t t = span.begin; t < span.end; ++t) {
    before.swap(reach);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      terms.clear();
      if (t == 0) terms.push_back(0);
      for (std::size_t u = 0; t == span.begin && t > 0 && u < num_labels_; ++u) {
        if (continues(u, labels[i])) continue;
        terms.push_back(messages.forward(t - 1)[u] + transitions.score(u, labels[i]));
      }
      for (std::size_t j = 0; t > span.begin && j < labels.size(); ++j) {
        if (!continues(labels[j], labels[i])) continue;
        terms.push_back(before[j] + transitions.score(labels[j], labels[i]));
      }
      reach[i] = log_sum(terms) + score(t, labels[i]);
    }
  }
  terms.clear();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (span.end == messages.length()) {
      terms.push_back(reach[i]);
      continue;
    }
    for (std::size_t v = 0; v < num_labels_; ++v) {
      if (continues(labels[i], v)) continue;
      terms.push_back(reach[i] + transitions.score(labels[i], v) + score(span.end, v) +
                      messages.backward(span.end)[v]);
    }
  }
  return std::min(1.0, std::exp(log_sum(terms) - log_z));
}

}  // namespace coppice::chain
