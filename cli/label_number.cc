#include "cli/label_number.h"

#include <fmt/core.h>

#include <algorithm>

#include "coppice/base/usage_error.h"

namespace coppice::cli {

std::size_t label_number(const tag::Tagger& tagger, const std::string& label) {
  const auto& labels = tagger.config().labels;
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end()) {
    throw UsageError(fmt::format("the model has no label \"{}\"", label),
                     {.code = "E003", .help = "coppice inspect lists the labels"});
  }
  return static_cast<std::size_t>(found - labels.begin());
}

}  // namespace coppice::cli
