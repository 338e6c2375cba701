// Do probabilities mean what they say? And the one number that makes them.
//
// Predictions are pairs of a confidence in [0, 1] and whether the answer was right. Over no
// predictions every measure is 0.
// Guo, Pleiss, Sun and Weinberger (2017), "On calibration of modern neural networks", ICML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace coppice::eval {

struct Prediction {
  double confidence = 0;
  bool correct = false;
};

// Predictions with confidence in (low, high], the first bin also at 0.
struct ReliabilityBin {
  double low = 0;
  double high = 0;
  std::uint64_t count = 0;
  double mean_confidence = 0;  // 0 in an empty bin, as is accuracy
  double accuracy = 0;
};

// `bins` bins of equal width. Throws InvalidArgument for 0 bins or a confidence outside [0, 1].
std::vector<ReliabilityBin> reliability(std::span<const Prediction> predictions,
                                        std::size_t bins = 10);

// Expected calibration error: the mean over predictions of | accuracy - mean confidence | of
// their bin.
double expected_calibration_error(std::span<const ReliabilityBin> bins);

// Mean squared distance between confidence and outcome (1 when correct).
double brier_score(std::span<const Prediction> predictions);

// Mean of -log p over the probabilities given to the gold answers; infinity when one is 0.
double negative_log_likelihood(std::span<const double> gold_probabilities);

// One classification: scores before the softmax, and which of them is gold.
struct Classification {
  std::vector<double> scores;
  std::size_t gold = 0;
};

// The mean of -log softmax(scores / temperature)[gold]. Throws InvalidArgument when a gold index
// is out of range.
double softmax_loss(std::span<const Classification> data, double temperature);

// The temperature in [1/100, 100] that minimises `loss`, by golden section over its logarithm to
// a relative 1e-6. Requires a loss with one minimum there (the likelihood of any exponential
// family is convex in 1/temperature). Serves structures too: loss(t) is then computed on forests.
// Cost: about 45 evaluations.
double fit_temperature(const std::function<double(double temperature)>& loss);

}  // namespace coppice::eval
