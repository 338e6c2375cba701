// Tagger.train: what `coppice train tag` does, on sentences or files.
#include <pybind11/pybind11.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/base/threads.h"
#include "coppice/base/usage_error.h"
#include "coppice/tag/training_run.h"
#include "python/src/options.h"
#include "python/src/register.h"
#include "python/src/sentences.h"

namespace py = pybind11;

namespace coppice::python {

namespace {

constexpr std::size_t kFewTokens = 5000;

// What was skipped goes to the logger "coppice", once the interpreter's lock is held again.
class SkippedRecords final : public tag::ReadingListener {
 public:
  void at_end(const text::SentenceReader& reader) override {
    if (reader.counts().skipped == 0) return;
    for (const ParseError& problem : reader.problems()) {
      lines_.push_back(concat(to_string(problem.where()), ": ", problem.what()));
    }
    lines_.push_back(concat(reader.name(), ": skipped ", reader.counts().skipped, " sentences"));
  }

  void log() const {
    if (lines_.empty()) return;
    const py::object warn =
        py::module_::import("logging").attr("getLogger")("coppice").attr("warning");
    for (const std::string& line : lines_) warn("%s", line);
  }

 private:
  std::vector<std::string> lines_;
};

// `sentences` and `labels` side by side, as the library's.
std::vector<text::Sentence> converted(SentenceConverter& converter, const std::string& argument,
                                      py::handle sentences, py::handle labels, py::handle weights) {
  if (labels.is_none()) {
    throw UsageError(
        concat(argument, ": sentences need labels beside them, unless they are a file"),
        {.code = "E003"});
  }
  std::vector<text::Sentence> all;
  py::iterator label = py::iter(labels);
  py::iterator weight = weights.is_none() ? py::iterator::sentinel() : py::iter(weights);
  const auto differ = [&](const char* what) {
    throw ParseError(concat("there are not as many ", what, " as sentences"),
                     {.code = "E243", .where = {.file = argument}});
  };
  for (const py::handle tokens : sentences) {
    if (label == py::iterator::sentinel()) differ("lists of labels");
    converter.convert(tokens, *label++, all.emplace_back());
    if (!weights.is_none()) {
      if (weight == py::iterator::sentinel()) differ("weights");
      converter.set_weight(*weight++, all.back());
    }
    if (all.back().num_tokens() == 0) all.pop_back();  // there is nothing to learn from it
  }
  if (label != py::iterator::sentinel()) differ("lists of labels");
  if (!weights.is_none() && weight != py::iterator::sentinel()) differ("weights");
  if (all.empty()) {
    throw ParseError("there is no sentence with tokens",
                     {.code = "E204", .where = {.file = argument}});
  }
  return all;
}

// Names of the columns of a token, then that of the labels.
text::ColumnNames column_names(const tag::TrainingRequest& request, std::size_t num_columns) {
  const text::ColumnNames known = request.data.columns.empty()
                                      ? text::ColumnNames::defaults(num_columns + 1)
                                      : text::ColumnNames::parse(request.data.columns);
  if (!request.data.columns.empty() && known.size() != num_columns) {
    throw UsageError(concat("columns has ", known.size(), " names for tokens of ", num_columns,
                            num_columns == 1 ? " column" : " columns"),
                     {.code = "E003", .help = "label_column names the labels"});
  }
  std::vector<std::string> names;
  names.reserve(num_columns + 1);
  for (std::size_t c = 0; c < num_columns; ++c) names.push_back(known[c]);
  const std::string& label = request.data.label_column;
  names.push_back(label.empty() ? "label" : label);
  return text::ColumnNames(std::move(names));
}

// Options that say how files are to be read have no use without any.
void refuse_file_options(const py::kwargs& given) {
  for (const char* name : {"format", "encoding", "comments", "on_error", "partial_labels"}) {
    if (!given.contains(name)) continue;
    throw UsageError(concat(name, " goes only with files"), {.code = "E006"});
  }
}

class Training {
 public:
  explicit Training(const py::kwargs& options) {
    std::vector<Option> declared = declarations(request_);
    set_options(options, declared, "Tagger.train");
  }

  // What Python's callers can say by keyword; data and threads are arguments of their own.
  static std::vector<Option> declarations(tag::TrainingRequest& request) {
    std::vector<Option> all;
    for (Option& option : tag::training_request_options(request)) {
      if (option.name != "train" && option.name != "dev") all.push_back(std::move(option));
    }
    return all;
  }

  void take_files(py::handle train, py::handle development) {
    request_.train = {path_text(train)};
    if (development.is_none()) return;
    if (!is_path(development)) {
      throw UsageError("dev is to be a file where the training data is one", {.code = "E003"});
    }
    request_.development = path_text(development);
  }

  void take_sentences(py::handle sentences, py::handle labels, py::handle weights,
                      py::handle development) {
    SentenceConverter train("sentences");
    given_.emplace();
    given_->train = converted(train, "sentences", sentences, labels, weights);
    request_.train = {"sentences"};
    if (!development.is_none()) {
      const bool is_pair = PySequence_Check(development.ptr()) != 0 && !is_path(development) &&
                           py::len(development) == 2;
      if (!is_pair)
        throw UsageError("dev is to be a pair of sentences and labels", {.code = "E003"});
      const auto pair = py::reinterpret_borrow<py::sequence>(development);
      SentenceConverter converter("dev", train.num_columns());
      given_->development =
          converted(converter, "dev", py::object(pair[0]), py::object(pair[1]), py::none());
      request_.development = "dev";
    }
    given_->columns = column_names(request_, train.num_columns());
  }

  // Whether threads would wait for each other longer than they work.
  bool is_small() const {
    std::size_t tokens = 0;
    if (!given_) return false;
    for (const text::Sentence& sentence : given_->train) tokens += sentence.num_tokens();
    return tokens < kFewTokens;
  }

  // `checkpoint` is where an interrupted training goes on, if not empty.
  tag::Tagger run(const Threads& threads, const py::object& progress,
                  const std::string& checkpoint) {
    tag::check(request_);
    SkippedRecords skipped;
    {
      const py::gil_scoped_release unlocked;
      run_ = std::make_unique<tag::TaggerRun>(
          request_, tag::read_training_data(request_, threads, skipped, std::move(given_)));
      if (!checkpoint.empty() && std::filesystem::exists(checkpoint)) {
        learn::load_checkpoint(checkpoint, *run_, threads);
      }
    }
    skipped.log();
    const auto begin = std::chrono::steady_clock::now();
    try {
      while (iterate(threads)) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        if (!progress.is_none()) tell(progress, time.count());
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      }
    } catch (py::error_already_set& error) {
      // Also where it reached the callback.
      if (error.matches(PyExc_KeyboardInterrupt)) {
        error.value().attr("tagger") = tagger();
        if (!checkpoint.empty()) save_checkpoint(checkpoint);
      }
      throw;
    }
    tag::Tagger made = tagger();
    std::error_code ignored;
    if (!checkpoint.empty()) std::filesystem::remove(checkpoint, ignored);
    return made;
  }

 private:
  bool iterate(const Threads& threads) {
    const py::gil_scoped_release unlocked;
    return run_->iterate(threads);
  }

  void tell(const py::object& progress, double seconds) const {
    const std::string line = learn::iteration_json(*run_, seconds);
    progress(py::module_::import("json").attr("loads")(line));
  }

  tag::Tagger tagger() {
    const py::gil_scoped_release unlocked;
    std::ostringstream file;
    run_->model(learn::training_card(*run_)).write(file);
    const std::string bytes = std::move(file).str();
    return tag::Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
  }

  void save_checkpoint(const std::string& path) {
    const py::gil_scoped_release unlocked;
    OutputFile file(path);
    learn::save_checkpoint(*run_, file.stream());
    file.commit();
  }

  tag::TrainingRequest request_;
  std::optional<tag::GivenSentences> given_;
  std::unique_ptr<tag::TaggerRun> run_;
};

tag::Tagger train(const py::object& sentences, const py::object& labels, const py::object& dev,
                  const py::object& sample_weight, const py::object& threads,
                  const py::object& progress, const py::object& resume, const py::kwargs& options) {
  Training training(options);
  const unsigned most = thread_count(threads);
  if (is_path(sentences)) {
    if (!labels.is_none() || !sample_weight.is_none()) {
      throw UsageError("labels and sample_weight do not go with a file, which has its own",
                       {.code = "E006"});
    }
    training.take_files(sentences, dev);
  } else {
    refuse_file_options(options);
    training.take_sentences(sentences, labels, sample_weight, dev);
  }
  const bool is_small = threads.is_none() && training.is_small();
  return training.run(Threads(is_small ? 1 : most), progress,
                      resume.is_none() ? std::string() : path_text(resume));
}

std::string documentation() {
  tag::TrainingRequest defaults;
  return R"(Trains a tagger, as `coppice train tag` does: the same data and options give the same model.

sentences      a list of sentences (see Tagger.predict), or the name of a file
labels         for each sentence a list of labels: str, None (unknown), or a set (one of these)
dev            development data: a pair of sentences and labels, or a file; the best check is kept
sample_weight  how much each sentence counts
threads        all cores by default, and one for few sentences; the model does not depend on it
progress       called after each iteration with a dict of what `coppice train tag --log` writes
resume         a checkpoint: written where training is interrupted, gone on from where there is one,
               removed at the end; the model is that of a training that was never interrupted

Nothing is printed. Ctrl-C raises KeyboardInterrupt, whose attribute `tagger` is the best model so
far. Columns of tokens are "form", "c2", "c3", ... unless `columns` names them; that of the labels
is "label", unless `label_column` does.

Options, with their defaults:

)" + describe_options(Training::declarations(defaults));
}

}  // namespace

void register_training(py::module_& module) {
  static const std::string text = documentation();  // pybind11 keeps no copy
  py::reinterpret_borrow<py::class_<tag::Tagger>>(module.attr("Tagger"))
      .def_static("train", &train, py::arg("sentences"), py::arg("labels") = py::none(),
                  py::kw_only(), py::arg("dev") = py::none(), py::arg("sample_weight") = py::none(),
                  py::arg("threads") = py::none(), py::arg("progress") = py::none(),
                  py::arg("resume") = py::none(), text.c_str());
}

}  // namespace coppice::python
