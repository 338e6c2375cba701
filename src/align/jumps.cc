#include "align/jumps.h"

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"

namespace coppice::align {

namespace {

constexpr int kMaximisationSteps = 10;
constexpr double kSmallestScore = 1e-9;  // of the average

// The forward-backward algorithm over the last link q and whether the word itself has one. Rows of
// the arrays are target words, columns are q + 1.
class JumpInference {
 public:
  JumpInference(const JumpPositions& positions, double null_probability, LinkMatrix& matrix)
      : null_(null_probability),
        matrix_(matrix),
        sources_(matrix.sources()),
        states_(sources_ + 1),
        targets_(matrix.targets()),
        transitions_(states_ * sources_),
        linked_(targets_ * states_, 0),
        unlinked_(targets_ * states_, 0),
        backward_(targets_ * states_, 1),
        scales_(targets_) {
    for (std::size_t q = 0; q < states_; ++q) {
      double norm = 0;
      double* row = transitions_.data() + q * sources_;
      for (std::size_t i = 0; i < sources_; ++i) {
        row[i] = positions.score(jump(q, i));
        norm += row[i];
      }
      for (std::size_t i = 0; i < sources_; ++i) row[i] *= (1 - null_) / norm;
    }
  }

  double run() {
    double log_likelihood = 0;
    for (std::size_t j = 0; j < targets_; ++j) log_likelihood += forward(j);
    for (std::size_t j = targets_ - 1; j > 0; --j) backward(j);
    return log_likelihood;
  }

  // Adds expected jumps and the positions they begin at.
  void add_expectations(std::vector<double>& jumps, std::vector<double>& contexts) {
    std::vector<double> before(states_, 0);
    before[0] = 1;
    for (std::size_t j = 0; j < targets_; ++j) {
      for (std::size_t q = 0; q < states_; ++q) {
        if (before[q] == 0) continue;
        const double* transition = transitions_.data() + q * sources_;
        double from_here = 0;
        for (std::size_t i = 0; i < sources_; ++i) {
          const double expected = before[q] * transition[i] * matrix_.row(j)[i + 1] *
                                  backward_[j * states_ + i + 1] / scales_[j];
          jumps[sources_ + i + 1 - q] += expected;
          from_here += expected;
        }
        contexts[q] += from_here;
      }
      for (std::size_t q = 0; q < states_; ++q)
        before[q] = linked_[j * states_ + q] + unlinked_[j * states_ + q];
    }
  }

  void write_posteriors() {
    for (std::size_t j = 0; j < targets_; ++j) {
      const std::span<double> cells = matrix_.row(j);
      cells[0] = 0;
      for (std::size_t q = 0; q < states_; ++q) {
        const std::size_t at = j * states_ + q;
        cells[0] += unlinked_[at] * backward_[at];
        if (q > 0) cells[q] = linked_[at] * backward_[at];
      }
      normalise(cells);
    }
  }

 private:
  // From state q, whose position is q - 1, to position i.
  static std::ptrdiff_t jump(std::size_t q, std::size_t i) {
    return static_cast<std::ptrdiff_t>(i) + 1 - static_cast<std::ptrdiff_t>(q);
  }

  // Scales the forward probabilities of word j to a sum of 1, and returns the logarithm of it.
  double forward(std::size_t j) {
    const std::span<const double> lexical = matrix_.row(j);
    double* linked = linked_.data() + j * states_;
    double* unlinked = unlinked_.data() + j * states_;
    for (std::size_t q = 0; q < states_; ++q) {
      const std::size_t above = (j - 1) * states_ + q;
      const double before = j == 0 ? (q == 0 ? 1 : 0) : linked_[above] + unlinked_[above];
      if (before == 0) continue;
      unlinked[q] = before * null_ * lexical[0];
      const double* transition = transitions_.data() + q * sources_;
      for (std::size_t i = 0; i < sources_; ++i) linked[i + 1] += before * transition[i];
    }
    double scale = 0;
    for (std::size_t q = 0; q < states_; ++q) {
      linked[q] *= q == 0 ? 0 : lexical[q];
      scale += linked[q] + unlinked[q];
    }
    for (std::size_t q = 0; q < states_; ++q) {
      linked[q] /= scale;
      unlinked[q] /= scale;
    }
    scales_[j] = scale;
    return std::log(scale);
  }

  // From those of word j to those of the word before.
  void backward(std::size_t j) {
    const std::span<const double> lexical = matrix_.row(j);
    const double* after = backward_.data() + j * states_;
    std::vector<double>& ahead = ahead_;
    ahead.resize(sources_);
    for (std::size_t i = 0; i < sources_; ++i) ahead[i] = lexical[i + 1] * after[i + 1];
    for (std::size_t q = 0; q < states_; ++q) {
      const double* transition = transitions_.data() + q * sources_;
      double sum = null_ * lexical[0] * after[q];
      for (std::size_t i = 0; i < sources_; ++i) sum += transition[i] * ahead[i];
      backward_[(j - 1) * states_ + q] = sum / scales_[j];
    }
  }

  double null_;
  LinkMatrix& matrix_;
  std::size_t sources_, states_, targets_;
  std::vector<double> transitions_;  // (1 - p0) p(i | q)
  std::vector<double> linked_, unlinked_, backward_;
  std::vector<double> scales_;
  std::vector<double> ahead_;
};

void check(double null_probability) {
  require(null_probability > 0 && null_probability < 1,
          "the probability of no link must be in (0, 1), not ", null_probability);
}

}  // namespace

JumpPositions::JumpPositions(double null_probability, std::size_t longest)
    : null_probability_(null_probability), scores_(2 * longest + 1, 1) {
  check(null_probability);
  require(longest >= 1, "the longest source sentence has no words");
}

JumpPositions::JumpPositions(double null_probability, std::vector<double> scores)
    : null_probability_(null_probability), scores_(std::move(scores)) {
  check(null_probability);
  require(scores_.size() >= 3 && scores_.size() % 2 == 1, "jumps from -M to M cannot have ",
          scores_.size(), " scores");
  for (const double score : scores_)
    require(score > 0 && std::isfinite(score), "the score of a jump must be positive, not ", score);
}

double JumpPositions::score(std::ptrdiff_t jump) const noexcept {
  return scores_[static_cast<std::size_t>(std::clamp(jump, -largest(), largest()) + largest())];
}

std::size_t JumpPositions::num_sums() const noexcept {
  return first_context(static_cast<std::size_t>(largest()) + 1);
}

double JumpPositions::infer(LinkMatrix& matrix, FixedSums* sums) const {
  if (matrix.targets() == 0) return 0;
  JumpInference inference(*this, null_probability_, matrix);
  const double log_likelihood = inference.run();
  if (sums != nullptr) {
    const std::size_t sources = matrix.sources();
    std::vector<double> jumps(2 * sources + 1, 0), contexts(sources + 1, 0);
    inference.add_expectations(jumps, contexts);
    const std::size_t first_jump = static_cast<std::size_t>(largest()) - sources;
    for (std::size_t d = 0; d < jumps.size(); ++d) sums->add(first_jump + d, jumps[d]);
    for (std::size_t q = 0; q < contexts.size(); ++q)
      sums->add(first_context(sources) + q, contexts[q]);
  }
  inference.write_posteriors();
  return log_likelihood;
}

// One step of Hunter's algorithm. d is possible from q, of I positions, when 0 <= q + d < I.
std::vector<double> JumpPositions::step(const FixedSums& sums) const {
  const auto longest = static_cast<std::size_t>(largest());
  std::vector<double> below(scores_.size() + 1, 0);  // sums of scores
  for (std::size_t d = 0; d < scores_.size(); ++d) below[d + 1] = below[d] + scores_[d];
  std::vector<double> change(scores_.size() + 1, 0);  // of the denominators, from one d to the next
  for (std::size_t sources = 1; sources <= longest; ++sources) {
    for (std::size_t q = 0; q <= sources; ++q) {
      const double count = sums[first_context(sources) + q];
      if (count == 0) continue;
      const std::size_t first = longest + 1 - q, end = first + sources;
      const double share = count / (below[end] - below[first]);
      change[first] += share;
      change[end] -= share;
    }
  }
  std::vector<double> scores(scores_.size());
  double denominator = 0, total = 0;
  for (std::size_t d = 0; d < scores.size(); ++d) {
    denominator += change[d];
    scores[d] = sums[d] > 0 && denominator > 0 ? sums[d] / denominator : 0;
    total += scores[d];
  }
  if (!(total > 0)) return scores_;
  for (double& score : scores) {
    score = std::max(score / total * static_cast<double>(scores.size()), kSmallestScore);
  }
  return scores;
}

void JumpPositions::maximise(const FixedSums& sums) {
  for (int k = 0; k < kMaximisationSteps; ++k) scores_ = step(sums);
}

std::vector<double> JumpPositions::parameters() const {
  std::vector<double> parameters{null_probability_};
  parameters.insert(parameters.end(), scores_.begin(), scores_.end());
  return parameters;
}

}  // namespace coppice::align
