// coppice predict: labels for sentences, by a trained model.
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "cli/classify.h"
#include "cli/context.h"
#include "cli/human.h"
#include "cli/predict_forests.h"
#include "cli/skipped.h"
#include "cli/verbs.h"
#include "coppice/base/error.h"
#include "coppice/base/pipeline.h"
#include "coppice/base/threads.h"
#include "coppice/base/usage_error.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/tag/predictor.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/data_options.h"
#include "coppice/text/reader.h"
#include "coppice/text/writer.h"

namespace coppice::cli {

namespace {

struct PredictOptions {
  text::DataOptions data;
  tag::PredictionOptions prediction;
  std::string model;
  std::string output = "-";
  std::string out_format = "auto";
  bool replace = false;
  std::optional<double> lambda;
  std::vector<std::string> files;
};

// A sentence on its way through.
struct Record {
  text::Sentence sentence;
  std::uint64_t ordinal = 0;                  // among those that could be read
  std::optional<ParseError> reading_failure;  // with --on-error null
  std::optional<ParseError> failure;          // of prediction, unless that stops the program
  text::Prediction prediction;
};

// Not a pipe or a terminal: reading ahead never waits.
bool is_file(const std::string& path) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  return result == 0 && S_ISREG(status.st_mode);
}

constexpr const char* kForests = "forest-jsonl";

// A forest has all answers, and those of one decoder have no place in it.
void refuse_answers_in_forests(const PredictOptions& options) {
  const tag::PredictionOptions& asked = options.prediction;
  if (asked.decode == "viterbi" && asked.kbest == 0 && asked.samples == 0 &&
      asked.posteriors == "none" && !options.replace && options.data.on_error != "null") {
    return;
  }
  throw UsageError(
      "--out forest-jsonl gives all answers: --decode, --kbest, --sample, --posteriors, --replace "
      "and --on-error null do not go with it",
      {.code = "E006", .help = "coppice forest has kbest, sample and marginals"});
}

class Predict {
 public:
  Predict(ModelFile model, const PredictOptions& options, Context& context)
      : options_(options),
        context_(context),
        tagger_(std::move(model)),
        threads_(static_cast<unsigned>(context.threads())) {
    while (predictors_.size() < threads_.size()) {
      predictors_.emplace_back(tagger_, options.prediction);
    }
  }

  ExitStatus run() {
    const auto begin = std::chrono::steady_clock::now();
    Output output = context_.output_file(options_.output);
    std::ostream& out = options_.output == "-" ? context_.out() : output.stream();
    std::vector<std::string> files = options_.files;
    if (files.empty()) files.emplace_back("-");
    if (options_.out_format == kForests) {
      const ExitStatus status = write_forests(tagger_, files, options_.data, out, context_);
      output.commit();
      return status;
    }
    for (const std::string& path : files) predict(path, out);
    output.commit();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    context_.detail("{} in {}: {} a second", counted(tokens_, "token"), duration(seconds),
                    compact(static_cast<double>(tokens_) / seconds));
    if (failed_ > 0) {
      context_.talk("{} {} in prediction", counted(failed_, "sentence"),
                    options_.data.on_error == "null" ? "failed" : "skipped");
    }
    return skipped_ || failed_ > 0 ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  void predict(const std::string& path, std::ostream& out) {
    const auto reader =
        text::open_sentences(path, reader_options(options_.data, text::Format::kText));
    std::vector<tag::FeatureCells> cells;  // one a worker
    std::unique_ptr<text::SentenceWriter> writer;
    const auto read = [&](Record& record) {
      if (!reader->next(record.sentence)) return false;
      if (!writer) writer = text::make_writer(out, writer_options(*reader, record.sentence));
      record.reading_failure.reset();
      if (const ParseError* failure = reader->failure()) {
        record.reading_failure = *failure;
        return true;
      }
      record.ordinal = ++sentences_;
      if (cells.empty()) {
        cells.assign(predictors_.size(), feature_cells(tagger_, *reader, record.sentence));
      }
      return true;
    };
    const auto work = [&](Record& record, unsigned worker) {
      if (!record.reading_failure) predict(record, predictors_[worker], cells[worker]);
    };
    // Whoever waits at the end of a pipe wants an answer to each record, not to each batch.
    run_pipeline<Record>(is_file(path) ? threads_ : one_thread_, read, work,
                         [&](const Record& record) { write(record, *writer); });
    if (writer) writer->finish(reader->trailing());
    skipped_ = report_skipped(*reader, context_) || skipped_;
  }

  void predict(Record& record, tag::Predictor& predictor, tag::FeatureCells& cells) const {
    record.failure.reset();
    try {
      record.prediction = predictor.predict(record.sentence, cells, record.ordinal);
    } catch (const ParseError& error) {
      if (options_.data.on_error == "stop") throw;
      record.failure = error;
    }
  }

  void write(const Record& record, text::SentenceWriter& writer) {
    if (const auto& failure = record.reading_failure) {
      writer.write_failure(record.sentence, failure->code(), failure->what());
    } else if (record.failure) {
      ++failed_;
      context_.report(*record.failure);
      if (options_.data.on_error == "null") {
        writer.write_failure(record.sentence, record.failure->code(), record.failure->what());
      }
    } else {
      writer.write(record.sentence, record.prediction);
      tokens_ += record.sentence.num_tokens();
    }
    context_.end_record();
  }

  text::WriterOptions writer_options(const text::SentenceReader& reader,
                                     const text::Sentence& sentence) {
    text::WriterOptions options{.kbest = options_.prediction.kbest};
    options.format = sentence.format();
    if (options_.out_format != "auto") {
      options.format = text::parse_format(options_.out_format);
    } else if (options.format == text::Format::kText) {
      options.format = text::Format::kColumns;
    }
    for (tag::Predictor& predictor : predictors_) predictor.write_as(options.format);
    const bool has_failures =
        options.format == text::Format::kJsonl || options.format == text::Format::kText;
    if (options_.data.on_error == "null" && !has_failures) {
      throw UsageError(fmt::format("--on-error null goes with --out jsonl or --out text: {} has no "
                                   "place for a sentence that failed",
                                   text::to_string(options.format)),
                       {.code = "E006"});
    }
    const bool is_table = sentence.format() == options.format;
    const auto label = reader.column_names().find(tagger_.config().label_column);
    const bool conllu = options.format == text::Format::kConllu;
    if (is_table && label && (options_.replace || conllu)) options.replace_column = label;
    return options;
  }

  const PredictOptions& options_;
  Context& context_;
  tag::Tagger tagger_;
  Threads threads_, one_thread_{1};
  std::deque<tag::Predictor> predictors_;  // one a worker
  std::uint64_t sentences_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t failed_ = 0;
  bool skipped_ = false;
};

// --on-error of the readers, and one more way.
std::vector<Option> data_options_with_null(text::DataOptions& data) {
  std::vector<Option> options = data_options(data);
  for (Option& option : options) {
    if (option.name != "on-error") continue;
    option.choices.emplace_back("null");
    option.help =
        "at bad data, stop; leave the sentence out, list and count it; or put an error in its "
        "place (an empty line with --out text)";
  }
  return options;
}

ClassifyOptions classify_options(const PredictOptions& options) {
  const tag::PredictionOptions& asked = options.prediction;
  const bool is_single = asked.decode == "viterbi" && asked.kbest == 0 && asked.samples == 0;
  const bool is_plain =
      !options.replace && (options.out_format == "auto" || options.out_format == "jsonl" ||
                           options.out_format == "text");
  if (!is_single || !is_plain) {
    throw UsageError(
        "a classifier gives one label a line, as text or jsonl; --decode, --kbest, --sample and "
        "--replace are for taggers",
        {.code = "E006"});
  }
  return {.lambda = options.lambda,
          .files = options.files,
          .output = options.output,
          .jsonl = options.out_format == "jsonl",
          .posteriors = options.prediction.posteriors};
}

ExitStatus run(const PredictOptions& options, Context& context) {
  ModelFile model = ModelFile::open(options.model);
  if (model.task() == "classify") {
    return predict_classes(std::move(model), classify_options(options), context);
  }
  if (options.lambda) throw UsageError("--lambda is for classifiers", {.code = "E006"});
  if (options.out_format == kForests) refuse_answers_in_forests(options);
  return Predict(std::move(model), options, context).run();
}

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
       .choices = {"auto", "columns", "conllu", "jsonl", "text", kForests},
       .help = "the form of the output; auto: that of the input, columns for plain text; "
               "forest-jsonl: all label sequences, packed, for `coppice forest`"},
      {.name = "replace",
       .value = &options->replace,
       .help = "put labels in place of the column they were learnt from, if the file has it"},
      {.name = "lambda",
       .value = &options->lambda,
       .metavar = "X",
       .help = "classifiers: the model at this point of the path of penalties",
       .advanced = true},
  };
  for (auto& group :
       {prediction_options(options->prediction), data_options_with_null(options->data)})
    all.insert(all.end(), group.begin(), group.end());
  return {
      .name = "predict",
      .summary = "label sentences or examples with a model",
      .group = "models",
      .help =
          "Reads sentences (plain text, one per line; columns; CoNLL-U; JSON lines) and writes "
          "them with their labels, in order: memory stays flat on endless input, files are "
          "labelled with -j threads, and from a pipe each record is answered as soon as it is "
          "done.\n\n"
          "A classifier reads lines of features, and writes for each a label and its probability; "
          "--posteriors topN gives those of the N most probable labels.",
      .examples = {{"coppice predict -m ner.cop < new.txt > new.conll", "plain text"},
                   {"coppice predict -m ner.cop new.txt --out jsonl --posteriors top3",
                    "with probabilities of labels, spans and sequences"},
                   {"coppice predict -m ner.cop new.txt --kbest 5", "five columns of labels"}},
      .options = std::move(all),
      .files = {.values = &options->files, .help = "sentences; standard input without any"},
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); },
  };
}

}  // namespace coppice::cli
