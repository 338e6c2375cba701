#include "cli/forest_other.h"

#include <fmt/core.h>

#include "cli/human.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

std::vector<Option> other_options(OtherOptions& options) {
  return {{.name = "q",
           .value = &options.q,
           .metavar = "NAME",
           .help = "the edges' value that is their score in q"},
          {.name = "other",
           .value = &options.file,
           .metavar = "FILE",
           .help = "the same forests, with q's scores"}};
}

OtherScores::OtherScores(const OtherOptions& options, const ForestInput& input) {
  if (options.q && options.file)
    throw UsageError("give --q or --other, not both", {.code = "E006"});
  if (!options.q && !options.file)
    throw UsageError("the second weighting is missing: --q NAME or --other FILE", {.code = "E004"});
  if (options.q) {
    column_.emplace(*options.q);
    return;
  }
  if (input.on_error != "stop")
    throw UsageError("--other needs --on-error stop, to keep step with its file", {.code = "E006"});
  reader_ = open_forests(*options.file);
  path_ = *options.file;
}

EdgeMap<double> OtherScores::of(const ForestRecord& record) {
  if (column_) return column_->of(record);
  const auto other = reader_->next();
  if (!other) {
    throw InvalidArgument(fmt::format("--other {} has {}, the input at least {}", path_,
                                      counted(records_, "forest"), records_ + 1),
                          {.code = "E132"});
  }
  ++records_;
  if (other->forest != record.forest) {
    throw InvalidArgument(
        fmt::format("forest \"{}\" of --other has other nodes or edges than \"{}\"", other->id,
                    record.id),
        {.code = "E132", .where = reader_->where()});
  }
  return other->scores;
}

void OtherScores::require_used_up() {
  if (column_) {
    column_->require_seen();
    return;
  }
  std::size_t others = records_;
  while (reader_->next()) ++others;
  if (others == records_) return;
  throw InvalidArgument(
      fmt::format("--other {} has {}, the input {}", path_, counted(others, "forest"), records_),
      {.code = "E132"});
}

}  // namespace coppice::cli
