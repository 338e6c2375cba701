// JSON lines, plain text, CRFsuite and brackets.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "coppice/base/error.h"
#include "coppice/text/brackets.h"
#include "text/crfsuite.h"
#include "text/lines.h"
#include "text/writers.h"

namespace coppice::text {

namespace {

void append_string(std::string& text, std::string_view value) {
  using Handler = nlohmann::json::error_handler_t;
  text += nlohmann::json(std::string(value)).dump(-1, ' ', false, Handler::replace);
}

// Appends [a,b,...], where each member is appended by the function.
template <class Members, class AppendMember>
void append_list(std::string& text, const Members& members, AppendMember append_member) {
  text += '[';
  bool is_first = true;
  for (const auto& member : members) {
    if (!is_first) text += ',';
    is_first = false;
    append_member(member);
  }
  text += ']';
}

class JsonlWriter final : public SentenceWriter {
 public:
  JsonlWriter(std::ostream& out, const WriterOptions& options) : SentenceWriter(out, options) {}

 private:
  void append(std::string& text, const Sentence& sentence, const Prediction& prediction) override {
    require(sentence.form_column().has_value(), "write: the sentence has no forms");
    append_start(text, sentence);
    text += ",\"tokens\":[";
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      if (row > 0) text += ',';
      append_string(text, sentence.cell(row, *sentence.form_column()));
    }
    text += "],\"tags\":";
    append_list(text, prediction.labels,
                [&](std::string_view label) { append_string(text, label); });
    if (prediction.spans) append_spans(text, prediction);
    if (!prediction.posteriors.empty()) append_posteriors(text, prediction);
    append_optional(text, "logp", prediction.log_probability);
    append_sequences(text, "kbest", prediction.kbest);
    append_sequences(text, "samples", prediction.samples);
    append_optional(text, "ms", prediction.milliseconds);
    if (prediction.tree != nullptr) {
      text += ",\"tree\":";
      append_string(text, one_line(*prediction.tree));
    }
    text += "}\n";
  }

  void append_failure(std::string& text, const Sentence& sentence, std::string_view code,
                      std::string_view message) override {
    append_start(text, sentence);
    text += ",\"error\":{\"code\":";
    append_string(text, code);
    text += ",\"message\":";
    append_string(text, message);
    text += "}}\n";
  }

  void append_trailing(std::string&, std::string_view) override {}

  static void append_start(std::string& text, const Sentence& sentence) {
    text += "{\"v\":1,\"id\":";
    append_string(text,
                  sentence.id().empty() ? concat("s", sentence.number()) : concat(sentence.id()));
  }

  static void append_spans(std::string& text, const Prediction& prediction) {
    text += ",\"spans\":";
    std::size_t i = 0;
    append_list(text, *prediction.spans, [&](const LabelledSpan& span) {
      text += concat("{\"start\":", span.begin, ",\"end\":", span.end, ",\"label\":");
      append_string(text, span.type);
      if (!prediction.span_probabilities.empty()) {
        append_optional(text, "p", prediction.span_probabilities[i++]);
      }
      text += '}';
    });
  }

  static void append_posteriors(std::string& text, const Prediction& prediction) {
    text += ",\"tag_p\":";
    append_list(text, prediction.posteriors, [&](const std::vector<LabelProbability>& labels) {
      append_list(text, labels, [&](const LabelProbability& label) {
        text += '[';
        append_string(text, label.label);
        text += ',';
        append_probability(text, label.probability);
        text += ']';
      });
    });
  }

  static void append_sequences(std::string& text, const char* key,
                               const std::vector<LabelSequence>& sequences) {
    if (sequences.empty()) return;
    text += concat(",\"", key, "\":");
    append_list(text, sequences, [&](const LabelSequence& sequence) {
      text += "{\"tags\":";
      append_list(text, sequence.labels,
                  [&](std::string_view label) { append_string(text, label); });
      append_optional(text, "logp", sequence.log_probability);
      text += '}';
    });
  }

  static void append_optional(std::string& text, const char* key, std::optional<double> value) {
    if (!value) return;
    text += concat(",\"", key, "\":");
    if (!std::isfinite(*value)) {  // ln 0, which JSON cannot say
      text += "null";
    } else {
      append_probability(text, *value);
    }
  }
};

class TextWriter final : public SentenceWriter {
 public:
  TextWriter(std::ostream& out, const WriterOptions& options) : SentenceWriter(out, options) {}

 private:
  void append(std::string& text, const Sentence& sentence, const Prediction& prediction) override {
    if (sentence.format() == Format::kText) append_empty_lines(text, sentence.raw());
    bool is_first = true;
    for (const std::string_view label : prediction.labels) {
      if (!is_first) text += ' ';
      is_first = false;
      text.append(label);
    }
    text += '\n';
  }

  void append_failure(std::string& text, const Sentence& sentence, std::string_view,
                      std::string_view) override {
    if (sentence.format() == Format::kText) append_empty_lines(text, sentence.raw());
    text += '\n';
  }

  void append_trailing(std::string& text, std::string_view trailing) override {
    append_empty_lines(text, trailing);
  }

  // One for each blank line before the first that is not.
  static void append_empty_lines(std::string& text, std::string_view raw) {
    raw = without_bom(raw);
    while (!raw.empty() && trim(take_line(raw)).empty()) text += '\n';
  }
};

class CrfsuiteSentenceWriter final : public SentenceWriter {
 public:
  CrfsuiteSentenceWriter(std::ostream& out, const WriterOptions& options)
      : SentenceWriter(out, options) {}

 private:
  void append(std::string& text, const Sentence& sentence, const Prediction& prediction) override {
    std::ostringstream out;
    CrfsuiteWriter writer(out);
    if (sentence.weight() != 1.0) writer.set_weight(sentence.weight());
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      writer.begin_item(prediction.labels[row]);
      for (std::size_t i = 0; i < sentence.num_attributes(row); ++i) {
        const Attribute attribute = sentence.attribute(row, i);
        writer.add_attribute(attribute.name, attribute.value);
      }
      writer.end_item();
    }
    writer.end_sequence();
    text += std::move(out).str();
  }

  void append_trailing(std::string&, std::string_view) override {}
};

class BracketSentenceWriter final : public SentenceWriter {
 public:
  BracketSentenceWriter(std::ostream& out, const WriterOptions& options)
      : SentenceWriter(out, options) {}

 private:
  void append(std::string& text, const Sentence&, const Prediction& prediction) override {
    require(prediction.tree != nullptr, "write: there is no tree");
    const bool is_tidy = options().width == 0;
    text += is_tidy ? one_line(*prediction.tree) : pretty(*prediction.tree, options().width);
    text += '\n';
  }

  void append_failure(std::string& text, const Sentence&, std::string_view,
                      std::string_view) override {
    text += "(())\n";  // as parsers do, so that trees stay in step with sentences
  }

  void append_trailing(std::string&, std::string_view) override {}
};

}  // namespace

std::unique_ptr<SentenceWriter> make_jsonl_writer(std::ostream& out, const WriterOptions& options) {
  return std::make_unique<JsonlWriter>(out, options);
}

std::unique_ptr<SentenceWriter> make_text_writer(std::ostream& out, const WriterOptions& options) {
  return std::make_unique<TextWriter>(out, options);
}

std::unique_ptr<SentenceWriter> make_crfsuite_writer(std::ostream& out,
                                                     const WriterOptions& options) {
  return std::make_unique<CrfsuiteSentenceWriter>(out, options);
}

std::unique_ptr<SentenceWriter> make_bracket_writer(std::ostream& out,
                                                    const WriterOptions& options) {
  return std::make_unique<BracketSentenceWriter>(out, options);
}

}  // namespace coppice::text
