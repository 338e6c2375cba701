#include "coppice/learn/ngram_loss.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "coppice/base/error.h"
#include "coppice/forest/loglinear.h"

namespace coppice::learn {

namespace {

void check_thetas(const NgramThetas& thetas, unsigned order) {
  require(thetas.ngrams.size() <= order, "ngram_loss: thetas of n-grams up to length ",
          thetas.ngrams.size(), " for a forest split by those up to ", order);
  const auto is_finite = [](double theta) { return std::isfinite(theta); };
  require(is_finite(thetas.word) && std::ranges::all_of(thetas.ngrams, is_finite),
          "ngram_loss: a theta that is not finite");
}

// The n-grams of `reference` that are in the table, each once.
std::vector<NgramId> ngrams_of(const NgramTable& table, std::span<const WordId> reference) {
  std::vector<NgramId> found;
  for (std::size_t begin = 0; begin < reference.size(); ++begin) {
    std::optional<NgramId> ngram = NgramTable::kEmpty;
    for (WordId word : reference.subspan(begin)) {
      ngram = table.find(*ngram, word);
      if (!ngram) break;
      found.push_back(*ngram);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

NgramThetas linear_bleu(double words, double precision, double ratio) {
  require(words > 0 && precision > 0 && ratio > 0, "linear_bleu: ", words, " words, precision ",
          precision, ", ratio ", ratio, "; expected positive numbers");
  NgramThetas thetas{-1 / words, {}};
  for (int n = 1; n <= 4; ++n) {
    thetas.ngrams.push_back(1 / (4 * words * precision * std::pow(ratio, n - 1)));
  }
  return thetas;
}

EdgeMap<double> ngram_loss(const NgramForest& forest, const NgramThetas& thetas,
                           std::span<const Reference> references) {
  check_thetas(thetas, forest.order);
  std::vector<double> loss(forest.ngrams.size(), 0.0);  // of one occurrence of each n-gram
  for (const Reference& reference : references) {
    require(std::isfinite(reference.weight), "ngram_loss: a reference of weight ",
            reference.weight);
    for (NgramId ngram : ngrams_of(forest.ngrams, reference.words)) {
      const std::size_t length = forest.ngrams.length(ngram);
      if (length > thetas.ngrams.size()) continue;
      loss[index(ngram)] -= thetas.ngrams[length - 1] * reference.weight;
    }
  }
  for (NgramId ngram : IdRange<NgramId>(loss.size())) {
    if (forest.ngrams.length(ngram) == 1) loss[index(ngram)] -= thetas.word;
  }
  return log_linear_scores(forest.completed, loss);
}

}  // namespace coppice::learn
