// What `coppice eval` can be told, and its report on pairs of labels, whatever they come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/derivations.h"
#include "cli/eval_align.h"
#include "cli/eval_report.h"
#include "cli/label_pairs.h"
#include "cli/tree_scoring.h"
#include "coppice/text/data_options.h"

namespace coppice::cli {

struct EvalOptions {
  std::string gold;
  std::vector<std::string> files;  // in place of --gold
  std::string predicted;
  std::string model;
  text::DataOptions data;
  std::optional<std::string> pred_columns;
  std::optional<std::string> pred_label_column;
  std::string curve;
  ReportOptions report;
  TreeReportOptions trees;
  DerivationOptions derivations;
  std::string content = "auto";  // of the files: labels or word alignments
  AlignmentEvalOptions alignment;
};

// Predicted labels beside the right ones, and of a model how sure it was.
struct Predicted {
  PairsRead pairs;
  std::optional<ScoredModel> model{};
};

// The file of --report, if there is to be one: refused before the work, not after it.
std::optional<Output> open_page(const EvalOptions& options, Context& context);
ExitStatus report_predicted(const Predicted& predicted, const EvalOptions& options,
                            std::optional<Output>& page, Context& context);

}  // namespace coppice::cli
