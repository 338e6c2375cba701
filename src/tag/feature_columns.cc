#include "coppice/tag/feature_columns.h"

#include "coppice/base/usage_error.h"

namespace coppice::tag {

std::vector<std::size_t> feature_columns(const Tagger& tagger, const text::SentenceReader& reader,
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
      throw UsageError(concat("the model reads the column \"", wanted[i], "\", which ",
                              reader.name(), " does not have (", reader.description(), ")"),
                       {.code = "E003", .help = "name the columns of the file with --columns"});
    }
  }
  return places;
}

FeatureCells feature_cells(const Tagger& tagger, const text::SentenceReader& reader,
                           const text::Sentence& sentence) {
  return FeatureCells(feature_columns(tagger, reader, sentence));
}

}  // namespace coppice::tag
