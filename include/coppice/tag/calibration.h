// Calibration of a tagger: the temperature at which its probabilities fit data that it was not
// trained on.
//
//     loss(T) = mean over tokens of  - ln p_T(gold label of the token | sentence),
//     p_T(y | x) proportional to exp(score(y) / T)
//
// Above 1 a temperature makes the model less sure, below 1 surer; the best sequence stays the same.
// Whether probabilities mean what they say is measured on the label that the model chooses at each
// token (Viterbi), with its posterior as confidence (eval/calibration.h).
//
// A gold label that the model does not have counts as an error, and is left out of the loss. One
// that it has but that the constraints forbid there is taken to have the probability 1e-10.
//
// Cost: an evaluation is a pass over the data; fitting takes about 45.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/eval/calibration.h"
#include "coppice/tag/encode.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/sentence.h"

namespace coppice::tag {

struct CalibrationMeasures {
  double temperature = 1;
  double loss = 0;
  double brier = 0;
  double ece = 0;  // expected calibration error, with bins of 10 %
  std::vector<eval::ReliabilityBin> bins{};
};

// Whether each label of a sentence is right, with its posterior. `gold` has one label a token.
void add_predictions(const Tagger& tagger, TaggingSession& session,
                     std::span<const std::uint16_t> labels, std::span<const std::string_view> gold,
                     std::vector<eval::Prediction>& predictions);

class Calibration {
 public:
  // The tagger must outlive this; `columns` is as for TaggingSession.
  Calibration(const Tagger& tagger, FeatureCells columns, std::size_t label_column);

  // Keeps a copy. Requires a complete annotation.
  void add(const text::Sentence& sentence);

  std::size_t num_tokens() const noexcept { return num_tokens_; }
  std::size_t num_unknown() const noexcept { return num_unknown_; }  // tokens with unknown labels

  CalibrationMeasures measure(double temperature, const Threads& threads) const;
  // The temperature with the least loss. Requires a token with a label that the model has.
  double fit(const Threads& threads) const;

 private:
  struct Part;
  Part run(const Tagger& tagger, std::size_t begin, std::size_t end) const;

  const Tagger& tagger_;
  FeatureCells columns_;
  std::size_t label_column_;
  std::vector<text::Sentence> sentences_;
  std::size_t num_tokens_ = 0;
  std::size_t num_unknown_ = 0;
};

}  // namespace coppice::tag
