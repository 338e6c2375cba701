// coppice calibrate of a tagger: the temperature with the least loss.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/calibrate.h"
#include "cli/human.h"
#include "cli/model_output.h"
#include "cli/skipped.h"
#include "cli/tag.h"
#include "coppice/base/plot.h"
#include "coppice/base/threads.h"
#include "coppice/tag/calibration.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/text/labelled_reader.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDecimals = 4;

Json json_of(const tag::CalibrationMeasures& measures) {
  Json bins = Json::array();
  for (const eval::ReliabilityBin& bin : measures.bins) {
    if (bin.count == 0) continue;
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"count", bin.count},
                    {"confidence", bin.mean_confidence},
                    {"accuracy", bin.accuracy}});
  }
  return {{"temperature", measures.temperature},
          {"loss", measures.loss},
          {"brier", measures.brier},
          {"ece", measures.ece},
          {"bins", std::move(bins)}};
}

// A reliability diagram: how often answers of some confidence are right. Calibrated ones lie on the
// diagonal.
std::string diagram(const tag::CalibrationMeasures& before, const tag::CalibrationMeasures& after) {
  const auto series = [](const char* name, const tag::CalibrationMeasures& measures) {
    PlotSeries result{fmt::format("{}, ECE {:.{}f}", name, measures.ece, kDecimals), {}};
    for (const eval::ReliabilityBin& bin : measures.bins) {
      if (bin.count > 0) result.points.push_back({bin.mean_confidence, bin.accuracy});
    }
    return result;
  };
  const PlotSeries both[] = {series("before", before), series("after", after)};
  return line_plot(both, {.title = "calibration",
                          .x = {.label = "confidence", .low = 0, .high = 1},
                          .y = {.label = "accuracy", .low = 0, .high = 1},
                          .diagonal = true,
                          .width = 480,
                          .height = 480});
}

class Calibrate {
 public:
  Calibrate(ModelFile model, const CalibrateOptions& options, Context& context)
      : options_(options),
        context_(context),
        threads_(static_cast<unsigned>(context.threads())),
        tagger_(std::move(model)) {}

  ExitStatus run() {
    Output output = context_.output_file(options_.output);
    std::optional<Output> plot;
    if (!options_.plot.empty()) plot.emplace(context_.output_file(options_.plot));
    const bool skipped = read();
    before_ = calibration_->measure(tagger_.config().temperature, threads_);
    after_ = calibration_->measure(calibration_->fit(threads_), threads_);
    const tag::Tagger calibrated = tagger_.at_temperature(after_.temperature);
    const ModelWriter model = tag::rewrite_tagger(calibrated, card());
    model.write(output.stream());
    output.commit();
    if (plot) {
      plot->stream() << diagram(before_, after_);
      plot->commit();
    }
    report();
    context_.talk("saved   {}", saved_text(options_.output, model));
    return skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  bool read() {
    text::LabelledReader reader(options_.development, options_.data, text::Format::kColumns,
                                tagger_.config().label_column);
    while (reader.next()) {
      reader.require_labels();
      if (!calibration_) {
        calibration_.emplace(tagger_, feature_cells(tagger_, reader.reader(), reader.sentence()),
                             reader.label_column().value_or(0));
      }
      calibration_->add(reader.sentence());
    }
    text::require_sentences(reader.reader());
    return report_skipped(reader.reader(), context_);
  }

  // The model's, with what was done here.
  std::string card() const {
    Json card = Json::object();
    if (tagger_.file().has("card")) card = Json::parse(tagger_.file().text("card"), nullptr, false);
    if (!card.is_object()) card = Json::object();
    card["calibration"] = {{"file", options_.development},
                           {"tokens", calibration_->num_tokens()},
                           {"temperature", after_.temperature},
                           {"ece_before", before_.ece},
                           {"ece", after_.ece}};
    return card.dump(2, ' ', false, Json::error_handler_t::replace);
  }

  void report() {
    if (context_.json()) {
      const Json document = {{"v", 1},
                             {"model", options_.model},
                             {"data", options_.development},
                             {"tokens", calibration_->num_tokens()},
                             {"unknown_labels", calibration_->num_unknown()},
                             {"before", json_of(before_)},
                             {"after", json_of(after_)}};
      context_.out() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
      return;
    }
    Table table = context_.report_table({{.name = "calibration"},
                                         {.name = "temperature", .decimals = kDecimals},
                                         {.name = "loss", .decimals = kDecimals},
                                         {.name = "Brier", .decimals = kDecimals},
                                         {.name = "ECE", .decimals = kDecimals}});
    const auto row = [&](const char* name, const tag::CalibrationMeasures& measures) {
      table.row({name, measures.temperature, measures.loss, measures.brier, measures.ece});
    };
    row("before", before_);
    row("after", after_);
    table.finish();
    if (calibration_->num_unknown() > 0) {
      context_.talk("{} of {} with labels that the model does not have",
                    counted(calibration_->num_unknown(), "token"),
                    thousands(calibration_->num_tokens()));
    }
  }

  const CalibrateOptions& options_;
  Context& context_;
  Threads threads_;
  tag::Tagger tagger_;
  std::optional<tag::Calibration> calibration_;
  tag::CalibrationMeasures before_, after_;
};

}  // namespace

ExitStatus calibrate_tagger(ModelFile model, const CalibrateOptions& options, Context& context) {
  return Calibrate(std::move(model), options, context).run();
}

}  // namespace coppice::cli
