// Scores of trees, as eval and compare have them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/eval_report.h"
#include "cli/paired_readers.h"
#include "coppice/eval/parseval.h"

namespace coppice::cli {

// What a system's trees are worth, against those of the gold data.
struct TreesScored {
  eval::TreeScorer scorer;
  std::string data_digest;  // of the gold trees

  // "task:parse|match:evalb|mode:total|data:...|coppice:..."; with the model's identity if any.
  std::string signature(std::string_view model = {}) const;
};

struct TreesRead {
  std::vector<TreesScored> systems;
  bool skipped = false;  // whether sentences were left out
};

// Reads and scores all of it. Requires readers that have trees. Throws ParseError: E140 for other
// numbers of sentences, E147 for a record without a tree. Predicted trees over other words are
// counted as unparsed, with a warning (E148).
TreesRead score_trees(PairedReaders& readers, Context& context);

// The measure that --metric names: F1, precision or recall. Throws UsageError (E006) for another,
// and for options about labels.
Metric metric_of_trees(const ScoringOptions& options);

struct TreeReportOptions {
  bool by_label = false;
  bool by_length = false;
};

// The declarations of --by-label and --by-length.
std::vector<Option> tree_report_options(TreeReportOptions& options);

// Throws UsageError (E006) where options ask for what only labels have.
void check_tree_options(const ReportOptions& options);

// Prints tables or a JSON document. Returns kCheckFailed when the metric is below --fail-under.
ExitStatus report_trees(const TreesScored& scored, const TreeReportOptions& tables,
                        const ReportOptions& options, Context& context);

}  // namespace coppice::cli
