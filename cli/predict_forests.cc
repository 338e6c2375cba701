#include "cli/predict_forests.h"

#include <optional>

#include "cli/skipped.h"
#include "coppice/forest/json.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/tag/record.h"
#include "coppice/text/reader.h"

namespace coppice::cli {

ExitStatus write_forests(const tag::Tagger& tagger, const std::vector<std::string>& files,
                         const text::DataOptions& data, std::ostream& out, Context& context) {
  bool skipped = false;
  tag::TaggingSession session(tagger);
  text::Sentence sentence;
  for (const std::string& path : files) {
    const auto reader = text::open_sentences(path, reader_options(data, text::Format::kText));
    std::optional<tag::FeatureCells> cells;
    while (reader->next(sentence)) {
      if (!cells) cells.emplace(feature_cells(tagger, *reader, sentence));
      session.read(sentence, *cells);
      write_forest_json(out, tag::make_record(tagger, session.packed(), sentence));
      context.end_record();
    }
    skipped = report_skipped(*reader, context) || skipped;
  }
  return skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

}  // namespace coppice::cli
