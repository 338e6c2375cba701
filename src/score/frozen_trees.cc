#include "coppice/score/frozen_trees.h"

#include <nlohmann/json.hpp>

#include "coppice/base/error.h"

namespace coppice {

namespace {

using nlohmann::json;

// A categorical feature is its number of values, an ordered one its cuts.
json to_json(const trees::Schema& schema) {
  json columns = json::array();
  for (std::uint32_t feature = 0; feature < schema.num_columns(); ++feature) {
    if (schema.kind(feature) == trees::FeatureKind::kOrdered) {
      columns.push_back(schema.cuts(feature));
    } else {
      columns.push_back(schema.bins(feature).size());
    }
  }
  return {{"columns", std::move(columns)},
          {"binary", schema.num_features() - schema.num_columns()}};
}

trees::Schema schema_of(const json& object) {
  trees::Schema schema;
  for (const json& column : object.at("columns")) {
    if (column.is_array()) {
      schema.add_ordered(column.get<std::vector<double>>());
    } else {
      schema.add_categorical(column.get<std::size_t>());
    }
  }
  schema.add_binary(object.at("binary").get<std::size_t>());
  return schema;
}

TreeInputs inputs_of(const ModelFile& file, KeyFold fold) {
  try {
    return {schema_of(json::parse(file.text("inputs.columns"))),
            file.as<TreeInputs::Entry>("inputs"), fold};
  } catch (const ModelError&) {
    throw;
  } catch (const std::exception& error) {
    throw ModelError(concat("section inputs: ", error.what()),
                     {.code = "E404", .where = {.file = file.name()}});
  }
}

}  // namespace

void FrozenTrees::write(ModelWriter& writer, const TreeInputs& inputs,
                        const trees::EnsembleView& trees) {
  writer.add_section("inputs", inputs.entries());
  writer.add_section("inputs.columns", to_json(inputs.schema()).dump(), {.codec = Codec::kZstd});
  writer.add_section("trees", trees.nodes);
  writer.add_section("trees.begin", trees.begin);
  writer.add_section("trees.output", trees.output);
  writer.add_section("trees.sets", trees.sets);
  writer.add_section("trees.surrogates", trees.surrogates);
}

FrozenTrees::FrozenTrees(const ModelFile& file, std::size_t states, std::size_t labels,
                         KeyFold fold)
    : inputs_(inputs_of(file, fold)),
      trees_{file.as<std::uint32_t>("trees.begin"), file.as<std::uint32_t>("trees.output"),
             file.as<trees::Node>("trees"), file.as<std::uint64_t>("trees.sets"),
             file.as<trees::Surrogate>("trees.surrogates")} {
  try {
    check(inputs_.schema(), trees_, states, labels);
  } catch (const InvalidArgument& error) {
    throw ModelError(error.what(), {.code = "E404", .where = {.file = file.name()}});
  }
  predictor_ = trees::Predictor(inputs_.schema(), trees_, states, labels);
}

void FrozenTrees::score(std::span<const std::uint64_t> keys, std::span<const float> values,
                        std::span<double> scores, Scratch& scratch) const {
  inputs_.encode(keys, values, scratch.bins);
  predictor_.score(scratch.bins, scores, scratch.predictor);
}

}  // namespace coppice
