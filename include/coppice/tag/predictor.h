// What predict asks of a tagger for each sentence, and the answer as writers want it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coppice/base/option.h"
#include "coppice/learn/objective_options.h"
#include "coppice/tag/encode.h"
#include "coppice/tag/min_risk.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/sentence.h"
#include "coppice/text/writer.h"

namespace coppice::tag {

struct PredictionOptions {
  std::string decode = "viterbi";
  learn::LossOptions loss{};  // of min-risk
  std::string posteriors = "none";
  std::uint64_t kbest = 0;
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
};

// The declarations of --decode with --loss and costs, --posteriors, --kbest, --sample and --seed.
std::vector<Option> prediction_options(PredictionOptions& options);

// How many of `labels` --posteriors asks for: "none", "all" or "topN". Throws UsageError (E003).
std::size_t posteriors_wanted(const std::string& value, std::size_t labels);

// Not for several threads at once: give each its own.
class Predictor {
 public:
  // The tagger must outlive this. Throws UsageError (E003) for a bad --posteriors,
  // and for a loss without --decode min-risk.
  Predictor(const Tagger& tagger, const PredictionOptions& options);

  // To be called before the first predict(). Throws UsageError (E006) when the format has no place
  // for what is asked for.
  void write_as(text::Format format);

  // The answer, until the next call. `ordinal` numbers the sentences of a run: the samples depend
  // on it and the seed alone. Throws ParseError: E200 where a cell should be a number, E340 where
  // the constraints leave no label sequence.
  const text::Prediction& predict(const text::Sentence& sentence, FeatureCells& cells,
                                  std::uint64_t ordinal);

 private:
  void decode(const text::Sentence& sentence);
  void add_spans();
  void add_posteriors();
  std::vector<text::LabelSequence> named(const std::vector<LabelSequence>& sequences) const;

  const Tagger& tagger_;
  const PredictionOptions options_;
  std::size_t top_;  // labels whose posteriors are wanted
  bool wants_spans_ = false;
  TaggingSession session_;
  std::optional<MinRiskDecoder> min_risk_;
  std::vector<std::uint16_t> labels_;
  std::vector<std::size_t> order_;
  text::Prediction prediction_;
};

}  // namespace coppice::tag
