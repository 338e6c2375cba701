#include "chain/messages.h"

#include <algorithm>
#include <cmath>

#include "chain/forbidden.h"

namespace coppice::chain {

namespace {

// A sum of weights below this may have lost terms that underflowed in float.
constexpr double kTooSmall = 1e-30;

// Passes a message over the table of pairs: out[y] = ln sum over u of exp(in[u] + score(u, y)), or
// the same with the roles of u and y exchanged. Weights are shifted so that the largest is 1; a sum
// that this makes too small is taken again in log space.
class Passage {
 public:
  enum class Direction { kToNext, kToPrevious };

  Passage(const Transitions& transitions, Direction direction)
      : transitions_(transitions),
        to_next_(direction == Direction::kToNext),
        weights_(to_next_ ? transitions.weights() : transitions.weights_by_next()),
        exponentials_(transitions.labels()),
        sums_(transitions.labels()),
        terms_(transitions.labels()) {}

  void apply(std::span<const double> in, std::span<double> out) {
    const double largest = *std::max_element(in.begin(), in.end());
    if (transitions_.none() || largest == kLogZero) {
      std::fill(out.begin(), out.end(), log_sum(in));
      return;
    }
    const std::size_t labels = in.size();
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t u = 0; u < labels; ++u) exponentials_[u] = std::exp(in[u] - largest);
    for (std::size_t u = 0; u < labels; ++u) {
      const float* row = weights_ + u * transitions_.stride();
      for (std::size_t y = 0; y < labels; ++y) sums_[y] += exponentials_[u] * row[y];
    }
    const double shift = largest + transitions_.shift();
    for (std::size_t y = 0; y < labels; ++y) {
      out[y] = sums_[y] > kTooSmall ? std::log(sums_[y]) + shift : exactly(in, y);
    }
  }

 private:
  double exactly(std::span<const double> in, std::size_t y) {
    for (std::size_t u = 0; u < in.size(); ++u) {
      terms_[u] = in[u] + (to_next_ ? transitions_.score(u, y) : transitions_.score(y, u));
    }
    return log_sum(terms_);
  }

  const Transitions& transitions_;
  bool to_next_;
  const float* weights_;
  std::vector<double> exponentials_, sums_, terms_;
};

}  // namespace

double log_sum(std::span<const double> terms) {
  if (terms.empty()) return kLogZero;
  const double largest = *std::max_element(terms.begin(), terms.end());
  if (largest == kLogZero) return kLogZero;
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

void Messages::compute(const float* scores, std::size_t length, const Transitions& transitions) {
  length_ = length;
  labels_ = transitions.labels();
  forward_.resize(length * labels_);
  backward_.resize(length * labels_);
  log_z_ = 0;
  if (length == 0) return;
  const std::size_t stride = transitions.stride();
  Passage onwards(transitions, Passage::Direction::kToNext);
  for (std::size_t t = 0; t < length; ++t) {
    const std::span<double> row = std::span(forward_).subspan(t * labels_, labels_);
    if (t == 0) {
      std::fill(row.begin(), row.end(), 0.0);
    } else {
      onwards.apply(forward(t - 1), row);
    }
    for (std::size_t y = 0; y < labels_; ++y) row[y] += scores[t * stride + y];
  }
  log_z_ = log_sum(forward(length - 1));
  Passage back(transitions, Passage::Direction::kToPrevious);
  std::vector<double> after(labels_);
  std::fill(backward_.end() - static_cast<std::ptrdiff_t>(labels_), backward_.end(), 0.0);
  for (std::size_t t = length - 1; t > 0; --t) {
    for (std::size_t y = 0; y < labels_; ++y) {
      after[y] = scores[t * stride + y] + backward_[t * labels_ + y];
    }
    back.apply(after, std::span(backward_).subspan((t - 1) * labels_, labels_));
  }
}

void Messages::compute(const EdgeShape& shape, std::span<const float> scores, std::size_t length) {
  length_ = length;
  labels_ = shape.labels;
  forward_.assign(length * labels_, 0.0);
  backward_.assign(length * labels_, 0.0);
  log_z_ = 0;
  if (length == 0) return;
  const auto score = [&](std::size_t t, std::size_t before, std::size_t y) {
    return static_cast<double>(scores[shape.place(t, shape.state_after(t, before), y)]);
  };
  std::vector<double> terms(labels_);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels_; ++y) {
      for (std::size_t u = 0; t > 0 && u < labels_; ++u) {
        terms[u] = forward_[(t - 1) * labels_ + u] + score(t, u, y);
      }
      forward_[t * labels_ + y] = t > 0 ? log_sum(terms) : score(t, 0, y);
    }
  }
  log_z_ = log_sum(forward(length - 1));
  for (std::size_t t = length - 1; t > 0; --t) {
    for (std::size_t u = 0; u < labels_; ++u) {
      for (std::size_t y = 0; y < labels_; ++y) {
        terms[y] = backward_[t * labels_ + y] + score(t, u, y);
      }
      backward_[(t - 1) * labels_ + u] = log_sum(terms);
    }
  }
}

double segment_probability(const Messages& messages, const float* scores,
                           const Transitions& transitions, std::size_t begin,
                           std::span<const std::uint16_t> labels) {
  if (messages.log_partition() == kLogZero) return 0;
  if (labels.empty()) return 1;
  double score = messages.forward(begin)[labels[0]] - messages.log_partition();
  for (std::size_t i = 1; i < labels.size(); ++i) {
    score += transitions.score(labels[i - 1], labels[i]) +
             scores[(begin + i) * transitions.stride() + labels[i]];
  }
  const std::size_t last = begin + labels.size() - 1;
  score += messages.backward(last)[labels.back()];
  return std::min(1.0, std::exp(score));
}

}  // namespace coppice::chain
