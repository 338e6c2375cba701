// coppice predict: labels for sentences, by a trained model.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "cli/context.h"
#include "cli/data_options.h"
#include "cli/human.h"
#include "cli/model_input.h"
#include "cli/usage_error.h"
#include "cli/verbs.h"
#include "coppice/base/error.h"
#include "coppice/chain/tagger.h"
#include "coppice/text/reader.h"
#include "coppice/text/writer.h"

namespace coppice::cli {

namespace {

struct PredictOptions {
  DataOptions data;
  std::string model;
  std::string output = "-";
  std::string out_format = "auto";
  std::string decode = "viterbi";
  std::string posteriors = "none";
  bool replace = false;
  std::vector<std::string> files;
};

// How many labels --posteriors asks for at each token: "none", "all" or "topN".
std::size_t posteriors_wanted(const std::string& value, std::size_t labels) {
  if (value == "none") return 0;
  if (value == "all") return labels;
  std::size_t wanted = 0;
  const bool is_top =
      value.starts_with("top") && value.size() > 3 &&
      std::all_of(value.begin() + 3, value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_top && value.size() < 8) wanted = std::stoul(value.substr(3));
  if (wanted == 0) {
    throw UsageError(
        fmt::format("--posteriors is \"{}\"; expected none, all or topN, such as top3", value),
        {.code = "E003"});
  }
  return std::min(wanted, labels);
}

class Predict {
 public:
  Predict(const PredictOptions& options, Context& context)
      : options_(options),
        context_(context),
        tagger_(chain::Tagger::open(options.model)),
        session_(tagger_),
        top_(posteriors_wanted(options.posteriors, tagger_.num_labels())) {}

  ExitStatus run() {
    const auto begin = std::chrono::steady_clock::now();
    Output output = context_.output_file(options_.output);
    std::ostream& out = options_.output == "-" ? context_.out() : output.stream();
    std::vector<std::string> files = options_.files;
    if (files.empty()) files.emplace_back("-");
    for (const std::string& path : files) predict(path, out);
    output.commit();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    context_.detail("{} in {}: {} a second", counted(tokens_, "token"), duration(seconds),
                    compact(static_cast<double>(tokens_) / seconds));
    return skipped_ ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  void predict(const std::string& path, std::ostream& out) {
    const auto reader =
        text::open_sentences(path, reader_options(options_.data, text::Format::kText));
    std::optional<chain::FeatureCells> cells;
    std::unique_ptr<text::SentenceWriter> writer;
    text::Sentence sentence;
    while (reader->next(sentence)) {
      if (!cells) {
        cells.emplace(feature_cells(tagger_, *reader, sentence));
        writer = text::make_writer(out, writer_options(*reader, sentence));
      }
      session_.read(sentence, *cells);
      writer->write(sentence, prediction());
      tokens_ += sentence.num_tokens();
      context_.end_record();
    }
    if (writer) writer->finish(reader->trailing());
    skipped_ = report_skipped(*reader, context_) || skipped_;
  }

  text::WriterOptions writer_options(const text::SentenceReader& reader,
                                     const text::Sentence& sentence) const {
    text::WriterOptions options;
    options.format = sentence.format();
    if (options_.out_format != "auto") {
      options.format = text::parse_format(options_.out_format);
    } else if (options.format == text::Format::kText) {
      options.format = text::Format::kColumns;
    }
    if (top_ > 0 && options.format != text::Format::kJsonl) {
      throw UsageError("--posteriors goes with --out jsonl", {.code = "E003"});
    }
    const bool is_table = sentence.format() == options.format;
    const auto label = reader.column_names().find(tagger_.config().label_column);
    const bool conllu = options.format == text::Format::kConllu;
    if (is_table && label && (options_.replace || conllu)) options.replace_column = label;
    return options;
  }

  const text::Prediction& prediction() {
    if (options_.decode == "posterior") {
      session_.posterior_labels(labels_);
    } else {
      session_.best_labels(labels_);
    }
    prediction_.labels.clear();
    for (const std::uint16_t label : labels_) prediction_.labels.push_back(tagger_.label(label));
    if (top_ > 0) add_posteriors();
    return prediction_;
  }

  void add_posteriors() {
    prediction_.posteriors.assign(session_.length(), {});
    std::vector<std::size_t> order(tagger_.num_labels());
    for (std::size_t t = 0; t < session_.length(); ++t) {
      const auto row = session_.posteriors(t);
      for (std::size_t y = 0; y < order.size(); ++y) order[y] = y;
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return row[a] != row[b] ? row[a] > row[b] : a < b;
      });
      for (std::size_t i = 0; i < top_; ++i) {
        prediction_.posteriors[t].push_back({tagger_.label(order[i]), row[order[i]]});
      }
    }
    prediction_.log_probability = session_.log_probability(labels_);
  }

  const PredictOptions& options_;
  Context& context_;
  chain::Tagger tagger_;
  chain::TaggingSession session_;
  std::size_t top_;
  std::vector<std::uint16_t> labels_;
  text::Prediction prediction_;
  std::uint64_t tokens_ = 0;
  bool skipped_ = false;
};

}  // namespace

Command predict_verb() {
  auto options = std::make_shared<PredictOptions>();
  std::vector<Option> all{
      {.name = "model",
       .letter = 'm',
       .value = &options->model,
       .metavar = "FILE",
       .help = "the model",
       .required = true},
      {.name = "output",
       .letter = 'o',
       .value = &options->output,
       .metavar = "FILE",
       .help = "where to write; - is standard output"},
      {.name = "out",
       .value = &options->out_format,
       .choices = {"auto", "columns", "conllu", "jsonl", "text"},
       .help = "the form of the output; auto: that of the input, columns for plain text"},
      {.name = "decode",
       .value = &options->decode,
       .choices = {"viterbi", "posterior"},
       .help = "the best sequence, or the best label at each token by itself"},
      {.name = "posteriors",
       .value = &options->posteriors,
       .metavar = "none|topN|all",
       .help = "probabilities of labels at each token (with --out jsonl)"},
      {.name = "replace",
       .value = &options->replace,
       .help = "put labels in place of the column they were learnt from, if the file has it"},
  };
  for (Option& option : data_options(options->data)) all.push_back(std::move(option));
  return {
      .name = "predict",
      .summary = "label sentences with a model",
      .group = "models",
      .help =
          "Reads sentences (plain text, one a line; columns; CoNLL-U; JSON lines) and writes "
          "them with their labels, in order, one record at a time: memory stays flat on "
          "endless input, and a pipe gets each record as soon as it is done.",
      .examples = {{"coppice predict -m ner.cop < new.txt > new.conll", "plain text"},
                   {"coppice predict -m ner.cop new.txt --out jsonl --posteriors top3",
                    "with probabilities"}},
      .options = std::move(all),
      .files = {.values = &options->files, .help = "sentences; standard input without any"},
      .writes_files = true,
      .run = [options](Context& context) { return Predict(*options, context).run(); },
  };
}

}  // namespace coppice::cli
