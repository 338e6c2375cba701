#include "fuzz/reader_fuzz.h"

using namespace coppice::text;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReaderOptions options{.format = Format::kColumns, .policy = {.on_error = OnError::kSkip}};
  require_round_trip(text, options, 0);
  ReaderOptions partial = options;
  partial.columns = ColumnNames::parse("form,label");
  partial.partial_labels = "label";
  partial.policy.encoding = Encoding::kBytes;
  for (const Comments comments : {Comments::kNone, Comments::kAll}) {
    partial.comments = comments;
    const auto reader = open_sentences(coppice::LineReader::over(text, "fuzz"), partial);
    for (Sentence sentence; reader->next(sentence);) look_at(sentence);
  }
  return 0;
}
