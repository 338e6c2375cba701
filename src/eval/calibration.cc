#include "coppice/eval/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::eval {

std::vector<ReliabilityBin> reliability(std::span<const Prediction> predictions, std::size_t bins) {
  require(bins > 0, "reliability: no bins");
  std::vector<ReliabilityBin> table(bins);
  const auto width = static_cast<double>(bins);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    table[bin].low = static_cast<double>(bin) / width;
    table[bin].high = static_cast<double>(bin + 1) / width;
  }
  for (const Prediction& prediction : predictions) {
    require(prediction.confidence >= 0 && prediction.confidence <= 1, "reliability: confidence ",
            prediction.confidence, " is not in [0, 1]");
    const double above = std::ceil(prediction.confidence * width);
    const auto bin = static_cast<std::size_t>(std::clamp(above - 1, 0.0, width - 1));
    ++table[bin].count;
    table[bin].mean_confidence += prediction.confidence;
    table[bin].accuracy += prediction.correct ? 1 : 0;
  }
  for (ReliabilityBin& bin : table) {
    if (bin.count == 0) continue;
    bin.mean_confidence /= static_cast<double>(bin.count);
    bin.accuracy /= static_cast<double>(bin.count);
  }
  return table;
}

double expected_calibration_error(std::span<const ReliabilityBin> bins) {
  double total = 0;
  double error = 0;
  for (const ReliabilityBin& bin : bins) {
    const auto count = static_cast<double>(bin.count);
    total += count;
    error += count * std::abs(bin.accuracy - bin.mean_confidence);
  }
  return total > 0 ? error / total : 0;
}

double brier_score(std::span<const Prediction> predictions) {
  double sum = 0;
  for (const Prediction& prediction : predictions) {
    const double distance = prediction.confidence - (prediction.correct ? 1 : 0);
    sum += distance * distance;
  }
  return predictions.empty() ? 0 : sum / static_cast<double>(predictions.size());
}

double negative_log_likelihood(std::span<const double> gold_probabilities) {
  double sum = 0;
  for (double probability : gold_probabilities) sum -= std::log(probability);
  return gold_probabilities.empty() ? 0 : sum / static_cast<double>(gold_probabilities.size());
}

double softmax_loss(std::span<const Classification> data, double temperature) {
  double sum = 0;
  for (const Classification& item : data) {
    require(item.gold < item.scores.size(), "softmax loss: gold ", item.gold, " of ",
            item.scores.size(), " classes");
    const double most = *std::max_element(item.scores.begin(), item.scores.end());
    double normaliser = 0;
    for (double score : item.scores) normaliser += std::exp((score - most) / temperature);
    sum += std::log(normaliser) - (item.scores[item.gold] - most) / temperature;
  }
  return data.empty() ? 0 : sum / static_cast<double>(data.size());
}

double fit_temperature(const std::function<double(double)>& loss) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  const auto at = [&](double logarithm) { return loss(std::exp(logarithm)); };
  double low = -std::log(100.0);
  double high = -low;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double loss_left = at(left);
  double loss_right = at(right);
  while (high - low > 1e-6) {
    if (loss_left <= loss_right) {
      high = right;
      right = std::exchange(left, right - golden * (right - low));
      loss_right = std::exchange(loss_left, at(left));
    } else {
      low = left;
      left = std::exchange(right, left + golden * (high - left));
      loss_left = std::exchange(loss_right, at(right));
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace coppice::eval
