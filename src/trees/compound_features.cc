#include "trees/compound_features.h"

#include <algorithm>
#include <cmath>

#include "base/reduce.h"

namespace coppice::trees {

namespace {

constexpr int kMaxPasses = 200;
constexpr int kWeightedPasses = 5;  // between two passes over all features

float wrong_share(float margin) noexcept { return 1 / (1 + std::exp(margin)); }

// The derivatives of the loss by the weight of a feature with these rows.
LossCurve derivatives(const BinaryMargins& margins, std::span<const float> wrong,
                      std::span<const std::uint32_t> rows, const Threads& threads) {
  return sum_elements<LossCurve>(threads, rows.size(), [&](std::size_t begin, std::size_t end) {
    LossCurve curve;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = rows[i];
      const auto share = static_cast<double>(wrong[row]);
      const double weighted = margins.weight(row) * share;
      curve.first -= margins.sign(row) * weighted;
      curve.second += weighted * (1 - share);
    }
    return curve;
  });
}

}  // namespace

void CompoundFeatures::add(HeldFeature feature) {
  names_.insert(feature.name);
  features_.push_back(std::move(feature));
}

void CompoundFeatures::weigh(const Threads& threads) {
  for_elements(threads, scores_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      wrong_[i] = wrong_share(static_cast<float>(margins_.sign(i)) * scores_[i]);
    }
  });
}

double CompoundFeatures::pass(Pass which, double lambda, const Threads& threads) {
  double decrease = 0;
  for (HeldFeature& feature : features_) {
    if (which == Pass::kWeighted && feature.weight == 0) continue;
    const LossCurve curve = derivatives(margins_, wrong_, feature.rows, threads);
    const auto old = static_cast<double>(feature.weight);
    const WeightStep found = weight_step(old, curve.first, curve.second, lambda * feature.cost);
    feature.weight = static_cast<float>(old + found.step);
    const auto moved = static_cast<float>(static_cast<double>(feature.weight) - old);
    if (moved == 0) continue;
    decrease += found.decrease;
    for_elements(threads, feature.rows.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t row = feature.rows[i];
        scores_[row] += moved;
        wrong_[row] = wrong_share(static_cast<float>(margins_.sign(row)) * scores_[row]);
      }
    });
  }
  return decrease;
}

void CompoundFeatures::fit(double lambda, double least, const Threads& threads) {
  weigh(threads);
  for (int passes = 0; passes < kMaxPasses;) {
    ++passes;
    if (pass(Pass::kAll, lambda, threads) <= least) return;
    for (int i = 0; i < kWeightedPasses; ++i) {
      ++passes;
      if (pass(Pass::kWeighted, lambda, threads) <= least) break;
    }
  }
}

void CompoundFeatures::settle(const Threads& threads) {
  std::erase_if(features_, [&](const HeldFeature& feature) {
    if (feature.weight == 0) names_.erase(feature.name);
    return feature.weight == 0;
  });
  std::fill(scores_.begin(), scores_.end(), 0.0f);
  for (const HeldFeature& feature : features_) {
    for_elements(threads, feature.rows.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) scores_[feature.rows[i]] += feature.weight;
    });
  }
}

std::size_t CompoundFeatures::num_weights() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      features_, [](const HeldFeature& feature) { return feature.weight != 0; }));
}

double CompoundFeatures::penalty() const noexcept {
  double sum = 0;
  for (const HeldFeature& feature : features_) {
    sum += feature.cost * std::fabs(static_cast<double>(feature.weight));
  }
  return sum;
}

}  // namespace coppice::trees
