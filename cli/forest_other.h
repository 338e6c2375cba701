// The second weighting q of a forest: a value of its edges, or the scores of another file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/forest_input.h"
#include "coppice/forest/reader.h"

namespace coppice::cli {

struct OtherOptions {
  std::optional<std::string> q;
  std::optional<std::string> file;
};

// --q and --other.
std::vector<Option> other_options(OtherOptions& options);

class OtherScores {
 public:
  // Throws UsageError unless one of the two options was given, and E006 when --other would lose
  // step with an input whose bad records are left out.
  OtherScores(const OtherOptions& options, const ForestInput& input);

  // q's scores for the record. Requires one call a record, in order. Throws InvalidArgument E132
  // when the other file has another forest here, or none.
  EdgeMap<double> of(const ForestRecord& record);
  // Call after the last record. Throws InvalidArgument: E130 when no record had the value, E132
  // when the other file goes on.
  void require_used_up();

 private:
  std::optional<ValueColumn> column_;
  std::unique_ptr<ForestReader> reader_;
  std::string path_;         // of the other file
  std::size_t records_ = 0;  // of the input, so far
};

}  // namespace coppice::cli
