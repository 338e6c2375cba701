#include "cli/train_setup.h"

#include <filesystem>

#include "coppice/base/file.h"
#include "coppice/eval/signature.h"
#include "coppice/text/template_defaults.h"
#include "coppice/text/template_import.h"

namespace coppice::cli {

namespace {

text::TemplateSet templates_of(const TrainTagOptions& options,
                               const std::vector<std::string>& columns) {
  if (options.templates.empty()) return text::default_templates(columns);
  const std::string text = read_file(options.templates);
  const text::TemplateSource source{.file = options.templates, .columns = columns};
  if (options.template_format == "crfpp") return text::import_crfpp_templates(text, source);
  if (options.template_format == "wapiti") return text::import_wapiti_patterns(text, source);
  return text::parse_templates(text, source);
}

// The columns that templates may read: named ones other than the labels'.
struct FeatureColumns {
  std::vector<std::size_t> places;
  std::vector<std::string> names;
};

FeatureColumns feature_columns(const text::SentenceReader& reader, std::size_t label_column,
                               text::Format format) {
  FeatureColumns columns;
  const text::ColumnNames& names = reader.column_names();
  for (std::size_t c = 0; c < names.size(); ++c) {
    // Of CoNLL-U's ten columns, the others are annotation too.
    const bool is_input = format != text::Format::kConllu || names[c] == "form";
    if (c == label_column || names[c] == "_" || !is_input) continue;
    columns.places.push_back(c);
    columns.names.push_back(names[c]);
  }
  return columns;
}

chain::TrainerOptions trainer_options(const TrainTagOptions& options) {
  chain::TrainerOptions trainer;
  trainer.l1 = options.l1;
  trainer.l2 = options.l2;
  trainer.seed = options.seed;
  trainer.stochastic_passes = static_cast<unsigned>(options.passes);
  trainer.stopping.max_iterations = options.max_iterations;
  trainer.batch = options.max_iterations > 0;
  return trainer;
}

class DataReading {
 public:
  DataReading(const TrainTagOptions& options, Context& context)
      : options_(options), context_(context) {}

  TrainingData run() && {
    for (const std::string& path : options_.train) read_training(path);
    if (!options_.development.empty()) read_development();
    return std::move(read_);
  }

 private:
  void read_training(const std::string& path) {
    LabelledReader reader(path, options_.data, text::Format::kColumns);
    while (reader.next()) {
      reader.require_labels();
      if (!read_.training) read_.training.emplace(training_options(options_, reader));
      read_.training->add(reader.sentence());
    }
    note(reader, path, read_.train);
  }

  void read_development() {
    LabelledReader reader(options_.development, options_.data, text::Format::kColumns);
    while (reader.next()) {
      reader.require_labels();
      read_.training->add_development(reader.sentence());
    }
    note(reader, options_.development, read_.development);
  }

  void note(const LabelledReader& reader, const std::string& path, Corpus& corpus) {
    text::require_sentences(reader.reader());
    corpus.sentences += reader.reader().counts().sentences;
    corpus.tokens += reader.reader().counts().tokens;
    corpus.digest = path == "-" ? "" : eval::digest(corpus.digest + read_file(path));
    read_.description = reader.reader().description();
    read_.skipped = report_skipped(reader.reader(), context_) || read_.skipped;
  }

  const TrainTagOptions& options_;
  Context& context_;
  TrainingData read_;
};

}  // namespace

chain::TaggerTrainingOptions training_options(const TrainTagOptions& options,
                                              const LabelledReader& reader) {
  const std::size_t label_column = reader.label_column().value_or(0);
  const FeatureColumns columns =
      feature_columns(reader.reader(), label_column, reader.sentence().format());
  chain::TaggerTrainingOptions training;
  training.templates = templates_of(options, columns.names);
  training.resources = text::load_resources(
      training.templates, std::filesystem::path(options.templates).parent_path().string());
  training.encoder = {columns.places, label_column, options.min_count};
  training.label_column = reader.reader().column_names()[label_column];
  training.chain = {options.order == 0 ? chain::Order::kIndependent : chain::Order::kFirst,
                    options.features == "all" ? FeatureSet::kAllPairs : FeatureSet::kObserved};
  training.trainer = trainer_options(options);
  training.constrain = !options.unconstrained;
  training.patience = static_cast<unsigned>(options.patience);
  training.check_every = static_cast<unsigned>(options.check_every);
  return training;
}

TrainingData read_training_data(const TrainTagOptions& options, Context& context) {
  return DataReading(options, context).run();
}

}  // namespace coppice::cli
