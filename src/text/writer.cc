#include "coppice/text/writer.h"

#include <algorithm>
#include <charconv>

#include "coppice/base/error.h"
#include "text/writers.h"

namespace coppice::text {

namespace {

// As many as single-precision inference can vouch for.
constexpr int kProbabilityDigits = 6;

}  // namespace

void SentenceWriter::write(const Sentence& sentence, const Prediction& prediction) {
  require(prediction.labels.size() == sentence.num_tokens(), "write: ", prediction.labels.size(),
          " labels for ", sentence.num_tokens(), " tokens");
  require(prediction.posteriors.empty() || prediction.posteriors.size() == sentence.num_tokens(),
          "write: ", prediction.posteriors.size(), " lists of posteriors for ",
          sentence.num_tokens(), " tokens");
  const std::size_t num_spans = prediction.spans ? prediction.spans->size() : 0;
  require(
      prediction.span_probabilities.empty() || prediction.span_probabilities.size() == num_spans,
      "write: ", prediction.span_probabilities.size(), " probabilities for ", num_spans, " spans");
  for (const auto* sequences : {&prediction.kbest, &prediction.samples}) {
    for (const LabelSequence& sequence : *sequences) {
      require(sequence.labels.size() == sentence.num_tokens(), "write: a sequence of ",
              sequence.labels.size(), " labels for ", sentence.num_tokens(), " tokens");
    }
  }
  text_.clear();
  append(text_, sentence, prediction);
  emit();
}

void SentenceWriter::write_failure(const Sentence& sentence, std::string_view code,
                                   std::string_view message) {
  text_.clear();
  append_failure(text_, sentence, code, message);
  emit();
}

void SentenceWriter::finish(std::string_view trailing) {
  text_.clear();
  append_trailing(text_, trailing);
  emit();
}

void append_probability(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general,
                                 kProbabilityDigits);
  text.append(digits, end.ptr);
}

void SentenceWriter::emit() {
  out_->write(text_.data(), static_cast<std::streamsize>(text_.size()));
  if (options_.flush) out_->flush();
}

void SentenceWriter::append_failure(std::string& text, const Sentence& sentence, std::string_view,
                                    std::string_view) {
  append(text, sentence,
         {.labels = std::vector<std::string_view>(sentence.num_tokens(), std::string_view("_"))});
}

std::unique_ptr<SentenceWriter> make_writer(std::ostream& out, const WriterOptions& options) {
  switch (options.format) {
    case Format::kColumns:
    case Format::kConllu:
      return make_table_writer(out, options);
    case Format::kJsonl:
      return make_jsonl_writer(out, options);
    case Format::kText:
      return make_text_writer(out, options);
    case Format::kCrfsuite:
      return make_crfsuite_writer(out, options);
    case Format::kBrackets:
      return make_bracket_writer(out, options);
    case Format::kCcgbank:
      throw InvalidArgument("labels make no derivations: CCGbank files are not written from them",
                            {.code = "E111"});
    default:
      throw InvalidArgument(
          "a writer cannot choose its format by itself",
          {.code = "E111", .help = "one of columns, conllu, text, jsonl, crfsuite, brackets"});
  }
}

}  // namespace coppice::text
