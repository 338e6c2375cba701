#include "coppice/tag/training_card.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "coppice/base/date.h"
#include "coppice/base/error.h"

namespace coppice::tag {

namespace {

using nlohmann::ordered_json;

// Every option that shapes the model; files of data are told elsewhere.
ordered_json options_json(TrainingRequest& request) {
  constexpr std::array<std::string_view, 2> others = {"train", "dev"};
  const auto to_json = [](const auto* value) -> ordered_json {
    if constexpr (requires { value->has_value(); }) {
      return value->has_value() ? ordered_json(**value) : ordered_json();
    } else {
      return *value;
    }
  };
  ordered_json values;
  for (const Option& option : training_request_options(request)) {
    if (std::find(others.begin(), others.end(), option.name) == others.end()) {
      values[option.name] = std::visit(to_json, option.value);
    }
  }
  return values;
}

double kept_per_token(std::uint64_t count, const chain::KeptCounts& kept) {
  return static_cast<double>(count) / static_cast<double>(kept.tokens);
}

}  // namespace

const char* metric_key(const TaggerTraining& training) noexcept {
  return training.metric() == DevelopmentMetric::kSpanF1 ? "f1" : "accuracy";
}

std::string iteration_json(const TaggerTraining& training, double seconds) {
  const chain::TrainingProgress& progress = training.progress();
  const DevelopmentScore& score = training.development();
  ordered_json line{{"iteration", progress.iteration},
                    {"stage", progress.boosting     ? "boosting"
                              : progress.stochastic ? "stochastic"
                                                    : "batch"},
                    {"objective", progress.objective}};
  if (!progress.stochastic && !progress.boosting) line["grad"] = progress.gradient_norm;
  line["evaluations"] = progress.evaluations;
  if (score.checked && training.scores_spans()) {
    line["dev_precision"] = score.precision;
    line["dev_recall"] = score.recall;
  }
  if (score.checked) {
    line[concat("dev_", metric_key(training))] = score.score;
    line["best"] = score.best;
  }
  if (const auto& curve = training.curve()) {
    line["train_viterbi"] = curve->train_viterbi;
    line["train_posterior"] = curve->train_posterior;
    if (curve->development_viterbi >= 0) {
      line["dev_viterbi"] = curve->development_viterbi;
      line["dev_posterior"] = curve->development_posterior;
    }
  }
  line["seconds"] = seconds;
  return line.dump();
}

std::string training_card(TrainingRequest& request, const TrainingData& data) {
  const TaggerTraining& training = *data.training;
  ordered_json card{{"v", 1},
                    {"task", "tag"},
                    {"date", today()},
                    {"train",
                     {{"files", request.train},
                      {"sentences", data.train.sentences},
                      {"tokens", data.train.tokens},
                      {"digest", data.train.digest}}},
                    {"options", options_json(request)},
                    {"features", training.num_features()},
                    {"iteration", training.kept_iteration()},
                    {"labels", training.config().labels}};
  const chain::KeptCounts kept = training.kept();
  if (kept.tokens > 0) {
    card["kept"] = {{"labels", kept_per_token(kept.labels, kept)},
                    {"edges", kept_per_token(kept.edges, kept)}};
  }
  if (request.develops()) {
    card["development"] = {{"file", request.development},
                           {"sentences", data.development.sentences},
                           {"digest", data.development.digest},
                           {metric_key(training), training.kept_score()}};
  }
  return card.dump(2);
}

}  // namespace coppice::tag
