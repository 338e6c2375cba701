// The table of tasks: what the program's verbs do with the models of each. A verb looks its model's
// task up here and never asks for one by name; a new task is a row in tasks.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/context.h"
#include "coppice/base/model_file.h"

namespace coppice::cli {

struct CalibrateOptions;
struct EvalOptions;
struct ExplainOptions;
struct PredictOptions;
struct TreeOptions;
struct WeightOptions;

template <class Options>
using OnModel = ExitStatus (*)(ModelFile model, const Options& options, Context& context);

// A function that is null is something the task has not.
struct Task {
  std::string_view name;  // as model files have it
  Command (*train)();     // the verb below `train`
  OnModel<PredictOptions> predict = nullptr;
  OnModel<EvalOptions> eval = nullptr;
  OnModel<ExplainOptions> explain = nullptr;
  OnModel<CalibrateOptions> calibrate = nullptr;
  // Lists of `inspect`.
  OnModel<WeightOptions> weights = nullptr;
  OnModel<TreeOptions> trees = nullptr;
  OnModel<std::size_t> compound = nullptr;  // so many compound features
  void (*path)(ModelFile model, Context& context) = nullptr;
};

// In the order in which `coppice train` lists them.
std::span<const Task> all_tasks();

// Throws ModelError (E406): "explain is not for models of the task "classify"; it is for tag".
[[noreturn]] void refuse_task(const ModelFile& model, std::string_view what,
                              bool (*has)(const Task& task));

// The function of the model's task, as in
//
//     return function_of<&Task::explain>(model, "explain")(std::move(model), options, context);
//
// Throws ModelError (E406) where it has none; `what` is the subject of the message.
template <auto member>
auto function_of(const ModelFile& model, std::string_view what) {
  for (const Task& task : all_tasks()) {
    if (task.name == model.task() && task.*member != nullptr) return task.*member;
  }
  refuse_task(model, what, [](const Task& task) { return task.*member != nullptr; });
}

}  // namespace coppice::cli
