#include "cli/train_options.h"

#include <utility>

#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

std::vector<Option> run_options(TrainTagOptions& o) {
  return {{.name = "log",
           .value = &o.log,
           .metavar = "FILE",
           .help = "write a JSON object for each iteration (see coppice plot)"},
          {.name = "resume",
           .value = &o.resume,
           .help = "go on from OUTPUT.ckpt, with the same data and options; limits may be raised"},
          {.name = "dry-run",
           .value = &o.dry_run,
           .help = "read the data, say what would be trained and what it needs, and stop"}};
}

}  // namespace

std::vector<Option> train_tag_options(TrainTagOptions& options) {
  std::vector<Option> all = tag::training_request_options(options.request);
  for (Option& option : all) option.required = option.required || option.name == "train";
  insert_before(all, "templates",
                {{.name = "output",
                  .letter = 'o',
                  .value = &options.output,
                  .metavar = "FILE",
                  .help = "the model to write",
                  .required = true}});
  insert_before(all, "objective", run_options(options));
  return all;
}

void check_train_tag_options(const TrainTagOptions& options) {
  tag::check(options.request);
  if (options.dry_run && (options.resume || !options.log.empty())) {
    throw UsageError("--resume and --log do not go with --dry-run", {.code = "E006"});
  }
}

}  // namespace coppice::cli
