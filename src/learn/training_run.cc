#include "coppice/learn/training_run.h"

#include <sstream>
#include <string_view>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/learn/checkpoint.h"
#include "learn/option_values.h"

namespace coppice::learn {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRunCheckpoint = "coppice run 1\n";

const char* stage_name(const TrainingProgress& progress) noexcept {
  if (progress.boosting) return "boosting";
  return progress.stochastic ? "stochastic" : "batch";
}

// What must be the same, under the names that a message gives them.
Json fixed_part(TrainingRun& run) {
  const auto text = [](const DataSummary& data) {
    return concat(data.sentences, " ", data.digest);
  };
  const RunData& data = run.data();
  Json fixed{{"training data", text(data.train)},
             {"development data", text(data.development)},
             {"unlabelled data", text(data.unlabelled)}};
  const std::vector<Option> options = run.options();
  const Json values = option_values(options);  // items() refers to it
  for (const auto& [name, value] : values.items()) {
    if (!is_limit(name)) fixed["--" + name] = value;
  }
  return fixed;
}

[[noreturn]] void refuse_checkpoint(const std::string& path, const std::string& message) {
  throw ModelError(message, {.code = "E431",
                             .where = {.file = path},
                             .help = "repeat the command of the interrupted run, or start again "
                                     "without --resume"});
}

void require_same(const Json& saved, const Json& now, const std::string& path) {
  for (const auto& [name, value] : now.items()) {
    const Json before = saved.value(name, Json());
    if (before == value) continue;
    if (!name.starts_with("--"))
      refuse_checkpoint(path, concat("the checkpoint is of other ", name));
    refuse_checkpoint(path, concat("the checkpoint was made with ", name, " ", before.dump(),
                                   ", and this run has ", value.dump()));
  }
}

}  // namespace

std::string iteration_json(const TrainingRun& run, double seconds) {
  const TrainingProgress& progress = run.loop().progress();
  const DevelopmentScore& score = run.loop().development();
  const MetricName metric = run.metric();
  Json line{{"iteration", progress.iteration},
            {"stage", stage_name(progress)},
            {"objective", progress.objective}};
  if (!progress.stochastic && !progress.boosting) line["grad"] = progress.gradient_norm;
  line["evaluations"] = progress.evaluations;
  if (score.checked && metric.of_items) {
    line["dev_precision"] = score.precision;
    line["dev_recall"] = score.recall;
  }
  if (score.checked) {
    line[concat("dev_", metric.key)] = score.score;
    line["best"] = score.best;
  }
  for (const auto& [key, value] : run.log_entries()) line[key] = std::get<double>(value);
  line["seconds"] = seconds;
  return line.dump();
}

std::string training_card(TrainingRun& run) {
  const LearningOptions& request = run.request();
  const RunData& data = run.data();
  const std::vector<Option> options = run.options();
  TrainingCard card{.task = run.task(),
                    .train = {{"files", request.train},
                              {"sentences", data.train.sentences},
                              {"tokens", data.train.tokens},
                              {"digest", data.train.digest}},
                    .options = options,
                    .entries = {{"features", std::uint64_t{run.num_features()}},
                                {"iteration", run.loop().kept_iteration()}},
                    .development = {}};
  for (CardEntry& entry : run.card_entries()) card.entries.push_back(std::move(entry));
  if (request.develops()) {
    card.development = {{"file", request.development},
                        {"sentences", data.development.sentences},
                        {"digest", data.development.digest},
                        {run.metric().key, run.loop().kept_score()}};
  }
  return card_text(card);
}

void save_checkpoint(TrainingRun& run, std::ostream& out) {
  CheckpointWriter writer(out, kRunCheckpoint);
  const std::string fixed = fixed_part(run).dump();
  writer.vector(std::vector<char>(fixed.begin(), fixed.end()));
  run.save(out);
}

void load_checkpoint(const std::string& path, TrainingRun& run, const Threads& threads) {
  std::istringstream in(read_file(path));
  CheckpointReader reader(in, kRunCheckpoint);
  const std::vector<char> fixed = reader.vector<char>();
  const Json saved = Json::parse(fixed.begin(), fixed.end(), nullptr, false);
  reader.check(saved.is_object());
  require_same(saved, fixed_part(run), path);
  run.load(in, threads);
}

}  // namespace coppice::learn
