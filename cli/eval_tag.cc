// coppice eval of a tagger: labels the gold data, and pairs the two.
#include <optional>
#include <utility>
#include <vector>

#include "cli/eval.h"
#include "cli/operating_curve.h"
#include "cli/skipped.h"
#include "cli/tag.h"
#include "coppice/tag/calibration.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/labelled_reader.h"

namespace coppice::cli {

namespace {

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

}  // namespace

ExitStatus evaluate_tagger(ModelFile model, const EvalOptions& options, Context& context) {
  std::optional<Output> page = open_page(options, context);
  return report_predicted(label_with_model(options, std::move(model), context), options, page,
                          context);
}

}  // namespace coppice::cli
