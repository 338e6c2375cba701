#include "cli/tasks.h"

#include <array>

#include "cli/classify.h"
#include "cli/tag.h"
#include "coppice/base/error.h"

namespace coppice::cli {

std::span<const Task> all_tasks() {
  static constexpr std::array<Task, 2> tasks{{
      {.name = "tag",
       .train = train_tag_verb,
       .predict = predict_tags,
       .eval = evaluate_tagger,
       .explain = explain_tags,
       .calibrate = calibrate_tagger,
       .weights = list_weights,
       .trees = report_trees},
      {.name = "classify",
       .train = train_classify_verb,
       .predict = predict_classes,
       .eval = evaluate_classifier,
       .compound = list_compound_features,
       .path = list_path},
  }};
  return tasks;
}

void refuse_task(const ModelFile& model, std::string_view what, bool (*has)(const Task& task)) {
  std::string others;
  for (const Task& task : all_tasks()) {
    if (has(task)) others += concat(others.empty() ? "" : ", ", task.name);
  }
  throw ModelError(
      concat(what, " is not for models of the task \"", model.task(), "\"; it is for ", others),
      {.code = "E406", .where = {.file = model.name()}});
}

}  // namespace coppice::cli
