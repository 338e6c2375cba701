#include "cli/checkpoint.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/learn/checkpoint.h"
#include "coppice/tag/training_card.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRunCheckpoint = "coppice run 1\n";

Json corpus_json(const tag::Corpus& corpus) {
  return fmt::format("{} {}", corpus.sentences, corpus.digest);
}

// What must be the same, under the names that a message gives them.
Json fixed_part(tag::TrainingRequest& request, const tag::TrainingData& data) {
  Json fixed{{"training data", corpus_json(data.train)},
             {"development data", corpus_json(data.development)},
             {"unlabelled data", corpus_json(data.unlabelled)}};
  const Json card = Json::parse(tag::training_card(request, data));
  for (const auto& [name, value] : card.at("options").items()) {
    if (name != "max-iterations" && name != "rounds" && name != "patience") {
      fixed["--" + name] = value;
    }
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
      refuse_checkpoint(path, fmt::format("the checkpoint is of other {}", name));
    refuse_checkpoint(path, fmt::format("the checkpoint was made with {} {}, and this run has {}",
                                        name, before.dump(), value.dump()));
  }
}

}  // namespace

void save_checkpoint(tag::TrainingRequest& request, const tag::TrainingData& data,
                     std::ostream& out) {
  learn::CheckpointWriter writer(out, kRunCheckpoint);
  const std::string fixed = fixed_part(request, data).dump();
  writer.vector(std::vector<char>(fixed.begin(), fixed.end()));
  data.training->save(out);
}

void load_checkpoint(const std::string& path, tag::TrainingRequest& request,
                     tag::TrainingData& data, const Threads& threads) {
  std::istringstream in(read_file(path));
  learn::CheckpointReader reader(in, kRunCheckpoint);
  const std::vector<char> fixed = reader.vector<char>();
  const Json saved = Json::parse(fixed.begin(), fixed.end(), nullptr, false);
  reader.check(saved.is_object());
  require_same(saved, fixed_part(request, data), path);
  data.training->load(in, threads);
}

}  // namespace coppice::cli
