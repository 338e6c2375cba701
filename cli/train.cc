// coppice train: a verb for each task.
#include "cli/tasks.h"
#include "cli/verbs.h"

namespace coppice::cli {

Command train_verb() {
  Command train{.name = "train", .summary = "train a model", .group = "models"};
  for (const Task& task : all_tasks()) train.verbs.push_back(task.train());
  return train;
}

}  // namespace coppice::cli
