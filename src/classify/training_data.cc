#include "coppice/classify/training_data.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/symbols.h"
#include "coppice/learn/training_card.h"
#include "coppice/text/feature_lines.h"

namespace coppice::classify {

namespace {

// Calls take(example) for every line of a file.
template <class Take>
void for_each_example(LineReader lines, const Take& take) {
  text::FeatureLineReader reader{std::move(lines)};
  text::FeatureLine example;
  std::size_t count = 0;
  for (; reader.next(example); ++count) take(example, reader.name());
  if (count == 0) {
    throw ParseError("the file has no examples",
                     {.code = "E264", .where = {.file = reader.name()}});
  }
}

void require_label(const text::FeatureLine& example, const std::string& name) {
  if (example.has_label()) return;
  throw ParseError("the example has no label",
                   {.code = "E263", .where = {.file = name, .line = example.line}});
}

// Twice: the features must be known before examples can be laid out.
void read_examples(const TrainingRequest& request, const MapOptions& map, ClassifierData& data) {
  trees::FeatureCounter counter;
  const RepeatableInput input(request.train);
  for_each_example(input.open(), [&](const text::FeatureLine& example, const std::string&) {
    for (const auto& feature : example.features) counter.observe(feature.name, feature.value);
  });
  data.features = counter.table(request.rules);
  Symbols labels;
  std::unique_ptr<trees::ExampleFileWriter> file;
  if (!map.path.empty()) {
    file = std::make_unique<trees::ExampleFileWriter>(map.path, map.overwrite);
  }
  std::vector<std::uint32_t> bins;
  for_each_example(input.open(), [&](const text::FeatureLine& example, const std::string& name) {
    require_label(example, name);
    data.features.encode(example.features, bins);
    const auto label = static_cast<std::uint16_t>(index(labels.add(example.label)));
    require(labels.size() < 0xffff, "more than 65534 labels");
    const auto importance = static_cast<float>(example.importance);
    file ? file->add(bins, label, importance) : data.examples.add(bins, label, importance);
  });
  for (const SymbolId id : labels.ids()) data.labels.emplace_back(labels[id]);
  if (!file) return;
  file->commit(data.features, data.labels);
  data.mapped.emplace(map.path);
}

void read_development(const std::string& path, ClassifierData& data) {
  std::vector<std::uint32_t> bins;
  for_each_example(
      LineReader(path), [&](const text::FeatureLine& example, const std::string& name) {
        const auto found = std::find(data.labels.begin(), data.labels.end(), example.label);
        if (found == data.labels.end()) {
          throw ParseError(concat("the training data has no label \"", example.label, "\""),
                           {.code = "E263", .where = {.file = name, .line = example.line}});
        }
        data.features.encode(example.features, bins);
        data.development.add(bins, static_cast<std::uint16_t>(found - data.labels.begin()),
                             static_cast<float>(example.importance));
      });
}

}  // namespace

ClassifierData read_training_data(const TrainingRequest& request, const MapOptions& map) {
  ClassifierData data;
  if (trees::ExampleFile::is_one(request.train)) {
    data.mapped.emplace(request.train);
  } else {
    read_examples(request, map, data);
  }
  if (data.mapped) {
    data.features = data.mapped->features();
    data.labels = data.mapped->labels();
  }
  if (!request.development.empty()) read_development(request.development, data);
  return data;
}

std::string training_card(TrainingRequest& request, const ClassifierData& data,
                          const ClassifierTraining& training) {
  std::uint64_t compound = 0, used_trees = 0;
  for (const OutputPath& path : training.paths()) {
    if (path.points.empty()) continue;
    compound += path.points[path.chosen].features;
    used_trees += path.points[path.chosen].trees;
  }
  const std::vector<Option> options = training_request_options(request);
  learn::TrainingCard card{
      .task = "classify",
      .train = {{"file", request.train}, {"examples", std::uint64_t{data.train().size()}}},
      .options = options,
      .entries = {{"trees", used_trees}, {"compound features", compound}, {"labels", data.labels}},
      .development = {}};
  if (data.development.size() > 0) {
    card.development = {{"file", request.development},
                        {"examples", std::uint64_t{data.development.size()}}};
  }
  return learn::card_text(card);
}

}  // namespace coppice::classify
