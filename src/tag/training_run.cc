#include "coppice/tag/training_run.h"

#include <utility>

namespace coppice::tag {

namespace {

double kept_per_token(std::uint64_t count, const chain::KeptCounts& kept) {
  return static_cast<double>(count) / static_cast<double>(kept.tokens);
}

}  // namespace

TaggerRun::TaggerRun(TrainingRequest& request, TrainingData data)
    : request_(request), data_(std::move(data)) {
  data_.training->begin();
}

learn::MetricName TaggerRun::metric() const noexcept {
  const bool by_span = training().metric() == DevelopmentMetric::kSpanF1;
  return {.key = by_span ? "f1" : "accuracy",
          .heading = by_span ? "dev F1" : "dev acc",
          .of_items = training().scores_spans()};
}

learn::CardEntries TaggerRun::card_entries() const {
  learn::CardEntries entries{{"labels", training().config().labels}};
  const chain::KeptCounts kept = training().kept();
  if (kept.tokens > 0) {
    entries.push_back({"kept", learn::CardEntries{{"labels", kept_per_token(kept.labels, kept)},
                                                  {"edges", kept_per_token(kept.edges, kept)}}});
  }
  return entries;
}

learn::CardEntries TaggerRun::log_entries() const {
  const auto& curve = training().curve();
  if (!curve) return {};
  learn::CardEntries entries{{"train_viterbi", curve->train_viterbi},
                             {"train_posterior", curve->train_posterior}};
  if (curve->development_viterbi >= 0) {
    entries.push_back({"dev_viterbi", curve->development_viterbi});
    entries.push_back({"dev_posterior", curve->development_posterior});
  }
  return entries;
}

}  // namespace coppice::tag
