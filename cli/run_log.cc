#include "cli/run_log.h"

#include <nlohmann/json.hpp>

namespace coppice::cli {

void RunLog::write(const chain::TaggerTraining& training) {
  const chain::TrainingProgress& progress = training.progress();
  const chain::DevelopmentScore& score = training.development();
  nlohmann::ordered_json line{{"iteration", progress.iteration},
                              {"stage", progress.stochastic ? "stochastic" : "batch"},
                              {"objective", progress.objective}};
  if (!progress.stochastic) line["grad"] = progress.gradient_norm;
  line["evaluations"] = progress.evaluations;
  if (score.checked && training.scores_spans()) {
    line["dev_precision"] = score.precision;
    line["dev_recall"] = score.recall;
  }
  if (score.checked) {
    line[training.scores_spans() ? "dev_f1" : "dev_accuracy"] = score.score;
    line["best"] = score.best;
  }
  line["seconds"] = std::chrono::duration<double>(Clock::now() - begin_).count();
  file_.add(line.dump());
}

}  // namespace coppice::cli
