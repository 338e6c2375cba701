// coppice eval: precision, recall and F1 of predicted labels.
#include "cli/eval.h"

#include <memory>
#include <utility>

#include "cli/derivations.h"
#include "cli/eval_align.h"
#include "cli/eval_page.h"
#include "cli/tasks.h"
#include "cli/tree_scoring.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"
#include "coppice/text/pharaoh.h"

namespace coppice::cli {

namespace {

PairedFiles files_of(const EvalOptions& options) {
  PairedFiles files{.gold = options.gold,
                    .systems = {options.predicted},
                    .gold_options = options.data,
                    .system_options = options.data};
  if (options.pred_columns) files.system_options.columns = *options.pred_columns;
  if (options.pred_label_column) files.system_options.label_column = *options.pred_label_column;
  return files;
}

void refuse_tables_of_trees(const EvalOptions& options) {
  if (options.trees.by_label || options.trees.by_length)
    throw UsageError("--by-label and --by-length are for trees, and these are labels",
                     {.code = "E006"});
}

ExitStatus score_files(const EvalOptions& options, Context& context) {
  std::optional<Output> page = open_page(options, context);  // refused before the work, not after
  PairedReaders readers(files_of(options));
  if (readers.have_trees()) {
    check_tree_options(options.report);
    const TreesRead read = score_trees(readers, context);
    const ExitStatus status =
        report_trees(read.systems.front(), options.trees, options.report, context);
    return status == ExitStatus::kDone && read.skipped ? ExitStatus::kSkippedRecords : status;
  }
  refuse_tables_of_trees(options);
  return report_predicted({read_pairs(readers, needs(options.report), context)}, options, page,
                          context);
}

void take_gold(EvalOptions& options) {
  if (options.gold.empty() == options.files.empty()) {
    throw UsageError("eval needs one file with the right labels: an argument, or --gold",
                     {.code = "E004"});
  }
  if (!options.files.empty()) options.gold = options.files.front();
}

// Whether the report is more than what the short reports of classes and dependencies have.
bool asks_for_more(const EvalOptions& options) {
  const ReportOptions& asked = options.report;
  return asked.confusion || asked.errors > 0 || asked.interval || asked.tsv ||
         !asked.page.empty() || !options.curve.empty();
}

ExitStatus run_dependencies(const EvalOptions& options, Context& context) {
  if (asks_for_more(options) || !options.model.empty())
    throw UsageError("the report on dependencies is a table or --json, of --gold and --pred",
                     {.code = "E006"});
  return score_dependencies({.gold = options.gold,
                             .predicted = options.predicted,
                             .data = options.data,
                             .derivations = options.derivations,
                             .fail_under = options.report.fail_under},
                            context);
}

// A stream is not looked into: only its reader may read it.
bool is_of_alignments(const EvalOptions& options) {
  if (options.content != "auto") return options.content == "align";
  return options.model.empty() && options.gold != "-" && options.data.format == "auto" &&
         options.data.columns.empty() && text::looks_like_pharaoh(options.gold);
}

ExitStatus run_on_alignments(const EvalOptions& options, Context& context) {
  if (asks_for_more(options) || !options.model.empty() || options.report.fail_under) {
    throw UsageError("the report of alignments is a table, --json or drawings", {.code = "E006"});
  }
  return score_alignments(options.gold, options.predicted, options.alignment, context);
}

ExitStatus run(EvalOptions& options, Context& context) {
  take_gold(options);
  if (is_dependency_file(options.gold, options.data)) return run_dependencies(options, context);
  if (options.model.empty() == options.predicted.empty()) {
    throw UsageError("eval compares --gold with either --pred or --model; give one of them",
                     {.code = "E003"});
  }
  if (is_of_alignments(options)) return run_on_alignments(options, context);
  if (asks_for_drawings(options.alignment)) {
    throw UsageError("--draw, --svg, --source and --target are for alignments (--task align)",
                     {.code = "E006"});
  }
  if (options.model.empty() && !options.curve.empty()) {
    throw UsageError("--curve needs the probabilities of a model (--model)", {.code = "E003"});
  }
  const ReportOptions& asked = options.report;
  if (asked.tsv && context.json())
    throw UsageError("--tsv and --json exclude one another", {.code = "E003"});
  if (!options.model.empty()) {
    ModelFile model = ModelFile::open(options.model);
    refuse_tables_of_trees(options);
    const auto eval = function_of<&Task::eval>(model, "eval");
    return eval(std::move(model), options, context);
  }
  return score_files(options, context);
}

std::vector<Option> options_of(EvalOptions& options) {
  std::vector<Option> list = {{.name = "gold",
                               .value = &options.gold,
                               .metavar = "FILE",
                               .help = "data with the right labels; - is stdin"},
                              {.name = "pred",
                               .value = &options.predicted,
                               .metavar = "FILE",
                               .help = "the same data with predicted labels; - is stdin"},
                              {.name = "model",
                               .letter = 'm',
                               .value = &options.model,
                               .metavar = "FILE",
                               .help = "a model that labels the data, in place of --pred"}};
  list.push_back({.name = "curve",
                  .value = &options.curve,
                  .metavar = "FILE",
                  .help = "precision and recall of --model as misses grow dearer than false "
                          "alarms: SVG where FILE ends so, else a table"});
  list.push_back(
      {.name = "task",
       .value = &options.content,
       .choices = {"auto", "tag", "align"},
       .help = "what the files hold: labels or word alignments; auto looks into --gold"});
  for (auto& group : {report_options(options.report), tree_report_options(options.trees),
                      data_options(options.data), derivation_options(options.derivations),
                      alignment_eval_options(options.alignment)})
    list.insert(list.end(), group.begin(), group.end());
  list.push_back({.name = "pred-columns",
                  .value = &options.pred_columns,
                  .metavar = "NAMES",
                  .help = "names of the columns of --pred, when they differ from --columns"});
  list.push_back({.name = "pred-label-column",
                  .value = &options.pred_label_column,
                  .metavar = "NAME",
                  .help = "column of the labels of --pred, when it differs"});
  return list;
}

}  // namespace

std::optional<Output> open_page(const EvalOptions& options, Context& context) {
  if (options.report.page.empty()) return std::nullopt;
  return context.output_file(options.report.page);
}

ExitStatus report_predicted(const Predicted& predicted, const EvalOptions& options,
                            std::optional<Output>& page, Context& context) {
  const PairsRead& read = predicted.pairs;
  const Evaluation evaluation = evaluate(read.systems.front(), options.report, predicted.model);
  const ExitStatus status = report_scores(evaluation, context);
  if (page) {
    page->stream() << evaluation_page(evaluation);
    page->commit();
    context.talk("saved   {}", options.report.page);
  }
  return status == ExitStatus::kDone && read.skipped ? ExitStatus::kSkippedRecords : status;
}

Command eval_verb() {
  auto options = std::make_shared<EvalOptions>();
  return {
      .name = "eval",
      .summary = "score predicted labels",
      .group = "evaluation",
      .help =
          "Compares predicted labels with the right ones, and prints precision, recall and F1 "
          "of each label in percent, with the counts that they are made of. Labels of spans "
          "(IOB1, IOB2, BIOES, BILOU) are scored as whole spans, others token by token; the "
          "report says which. Trees (brackets, or JSON lines with trees) are scored by their "
          "brackets, as EVALB does; --label-column tag scores their tags instead.\n\n"
          "The predicted labels stand in a second file with the same sentences, in any format, or "
          "come from a model (--model); of a classifier, accuracy and log-loss are printed too. "
          "CCGbank derivations (.auto) and dependencies (.parg) are scored by their "
          "dependencies. "
          "Files of word alignments (0-0 1-2) are scored by the alignment error rate.\n\n"
          "The signature says how a "
          "score came about: two scores whose signatures differ in the model at most can be "
          "compared.",
      .examples = {{"coppice eval --gold test.conll --pred out.conll", "the table"},
                   {"coppice eval -m ner.cop test.conll --confusion --errors 10",
                    "a model, with what went wrong, and where"},
                   {"coppice eval -m ner.cop test.conll --report errors.html",
                    "all of it as a page for the browser"},
                   {"coppice eval --gold test.mrg --pred out.mrg --by-label --by-length",
                    "trees, with tables of labels and lengths"},
                   {"coppice eval -m ner.cop --gold test.conll --curve pr.svg",
                    "the operating points that --decode min-risk --cost can reach"},
                   {"coppice eval --gold test.auto --pred out.parg",
                    "dependencies of CCGbank derivations"},
                   {"coppice eval --gold gold.align --pred out.align --draw 2",
                    "word alignments, and the worst two drawn"},
                   {"coppice eval --gold test.conll --pred out.conll --ci --fail-under 90",
                    "with an interval; status 7 when F1 is below 90"}},
      .options = options_of(*options),
      .files = {.values = &options->files,
                .help = "data with the right labels, in place of --gold",
                .max = 1},
      .reports = true,
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
