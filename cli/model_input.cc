#include "cli/model_input.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/usage_error.h"

namespace coppice::cli {

std::vector<std::size_t> feature_columns(const chain::Tagger& tagger,
                                         const text::SentenceReader& reader,
                                         const text::Sentence& sentence) {
  const std::vector<std::string>& wanted = tagger.config().columns;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found = reader.column_names().find(wanted[i]);
    if (found) {
      places.push_back(*found);
    } else if (i == 0 && sentence.form_column()) {
      places.push_back(*sentence.form_column());
    } else {
      throw UsageError(fmt::format("the model reads the column \"{}\", which {} does not have ({})",
                                   wanted[i], reader.name(), reader.description()),
                       {.code = "E003", .help = "name the columns of the file with --columns"});
    }
  }
  return places;
}

chain::FeatureCells feature_cells(const chain::Tagger& tagger, const text::SentenceReader& reader,
                                  const text::Sentence& sentence) {
  return chain::FeatureCells(feature_columns(tagger, reader, sentence));
}

std::size_t label_number(const chain::Tagger& tagger, const std::string& label) {
  const auto& labels = tagger.config().labels;
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end()) {
    throw UsageError(fmt::format("the model has no label \"{}\"", label),
                     {.code = "E003", .help = "coppice inspect lists the labels"});
  }
  return static_cast<std::size_t>(found - labels.begin());
}

}  // namespace coppice::cli
