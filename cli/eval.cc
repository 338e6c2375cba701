// coppice eval: precision, recall and F1 of predicted labels.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/classify.h"
#include "cli/eval_align.h"
#include "cli/eval_page.h"
#include "cli/eval_report.h"
#include "cli/label_pairs.h"
#include "cli/operating_curve.h"
#include "cli/skipped.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"
#include "coppice/tag/calibration.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/data_options.h"
#include "coppice/text/labelled_reader.h"
#include "coppice/text/pharaoh.h"

namespace coppice::cli {

namespace {

struct EvalOptions {
  std::string gold;
  std::vector<std::string> files;  // in place of --gold
  std::string predicted;
  std::string model;
  text::DataOptions data;
  std::optional<std::string> pred_columns;
  std::optional<std::string> pred_label_column;
  std::string curve;
  std::string task = "auto";
  AlignmentEvalOptions alignment;
  ReportOptions report;
};

// Predicted labels beside the right ones, and of a model how sure it was.
struct Predicted {
  PairsRead pairs;
  std::optional<ScoredModel> model{};
};

// Labels the gold data with a model, and pairs the two.
Predicted label_with_model(const EvalOptions& options, ModelFile model, Context& context) {
  const tag::Tagger tagger(std::move(model));
  tag::TaggingSession session(tagger);
  std::optional<Output> curve_file;
  std::optional<OperatingCurve> curve;
  if (!options.curve.empty()) {
    curve_file.emplace(context.output_file(options.curve));
    curve.emplace(tagger);
  }
  text::LabelledReader reader(options.gold, options.data, text::Format::kColumns,
                              tagger.config().label_column);
  std::optional<tag::FeatureCells> cells;
  Predicted found;
  std::vector<eval::Prediction> predictions;
  LabelPairs& pairs = found.pairs.systems.emplace_back(needs(options.report));
  std::vector<std::uint16_t> labels;
  std::vector<std::string_view> predicted;
  while (reader.next()) {
    if (!cells) cells.emplace(feature_cells(tagger, reader.reader(), reader.sentence()));
    session.read(reader.sentence(), *cells);
    session.best_labels(labels);
    predicted.clear();
    for (const std::uint16_t label : labels) predicted.push_back(tagger.label(label));
    pairs.add(reader.sentence(), reader.require_labels(), predicted);
    tag::add_predictions(tagger, session, labels, reader.labels(), predictions);
    if (curve) curve->add(reader.sentence(), reader.labels(), session);
  }
  text::require_sentences(reader.reader());
  found.pairs.skipped = report_skipped(reader.reader(), context);
  if (curve) {
    curve_file->stream() << text_of(curve->points(options.report.scoring), options.curve);
    curve_file->commit();
  }
  found.model = {tagger.file().payload_digest(),
                 eval::expected_calibration_error(eval::reliability(predictions)),
                 tagger.config().temperature};
  return found;
}

Predicted read_files(const EvalOptions& options, Context& context) {
  PairedFiles files{.gold = options.gold,
                    .systems = {options.predicted},
                    .gold_options = options.data,
                    .system_options = options.data};
  if (options.pred_columns) files.system_options.columns = *options.pred_columns;
  if (options.pred_label_column) files.system_options.label_column = *options.pred_label_column;
  return {read_pairs(files, needs(options.report), context)};
}

ExitStatus report(const Predicted& predicted, const EvalOptions& options,
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

void take_gold(EvalOptions& options) {
  if (options.gold.empty() == options.files.empty()) {
    throw UsageError("eval needs one file with the right labels: an argument, or --gold",
                     {.code = "E004"});
  }
  if (!options.files.empty()) options.gold = options.files.front();
}

// A stream is not looked into: only its reader may read it.
bool is_of_alignments(const EvalOptions& options) {
  if (options.task != "auto") return options.task == "align";
  return options.model.empty() && options.gold != "-" && options.data.format == "auto" &&
         options.data.columns.empty() && text::looks_like_pharaoh(options.gold);
}

ExitStatus run_on_alignments(const EvalOptions& options, Context& context) {
  const ReportOptions& asked = options.report;
  if (!options.model.empty() || asked.confusion || asked.errors > 0 || asked.interval ||
      asked.tsv || asked.fail_under || !asked.page.empty() || !options.curve.empty()) {
    throw UsageError("the report of alignments is a table, --json or drawings", {.code = "E006"});
  }
  return score_alignments(options.gold, options.predicted, options.alignment, context);
}

ExitStatus run(EvalOptions& options, Context& context) {
  take_gold(options);
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
  std::optional<ModelFile> model;
  if (!options.model.empty()) model.emplace(ModelFile::open(options.model));
  if (model && model->task() == "classify") {
    if (asked.confusion || asked.errors > 0 || asked.interval || asked.tsv || asked.fail_under ||
        !asked.page.empty() || !options.curve.empty()) {
      throw UsageError("a classifier's report is a table or --json", {.code = "E006"});
    }
    return score_classes(std::move(*model), options.gold, context);
  }
  std::optional<Output> page;  // refused before the work, not after it
  if (!asked.page.empty()) page.emplace(context.output_file(asked.page));
  const Predicted predicted =
      model ? label_with_model(options, std::move(*model), context) : read_files(options, context);
  return report(predicted, options, page, context);
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
       .value = &options.task,
       .choices = {"auto", "tag", "align"},
       .help = "what the files hold: labels or word alignments; auto looks into --gold"});
  for (auto& group : {report_options(options.report), data_options(options.data),
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
          "report says which.\n\n"
          "The predicted labels stand in a second file with the same sentences, in any format, or "
          "come from a model (--model); of a classifier, accuracy and log-loss are printed too. "
          "Files of word alignments (0-0 1-2) are scored by the alignment error rate.\n\n"
          "The signature says how a "
          "score came about: two scores whose signatures differ in the model at most can be "
          "compared.",
      .examples = {{"coppice eval --gold test.conll --pred out.conll", "the table"},
                   {"coppice eval -m ner.cop test.conll --confusion --errors 10",
                    "a model, with what went wrong, and where"},
                   {"coppice eval -m ner.cop test.conll --report errors.html",
                    "all of it as a page for the browser"},
                   {"coppice eval -m ner.cop --gold test.conll --curve pr.svg",
                    "the operating points that --decode min-risk --cost can reach"},
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
