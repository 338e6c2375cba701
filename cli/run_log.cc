#include "cli/run_log.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "coppice/chain/training_card.h"

namespace coppice::cli {

void RunLog::write(const chain::TaggerTraining& training) {
  const chain::TrainingProgress& progress = training.progress();
  const chain::DevelopmentScore& score = training.development();
  nlohmann::ordered_json line{{"iteration", progress.iteration},
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
    line[fmt::format("dev_{}", metric_key(training))] = score.score;
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
  line["seconds"] = std::chrono::duration<double>(Clock::now() - begin_).count();
  file_.add(line.dump());
}

}  // namespace coppice::cli
