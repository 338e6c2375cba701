#include "cli/train_setup.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/class_learning.h"
#include "cli/human.h"
#include "cli/model_input.h"
#include "cli/usage_error.h"
#include "coppice/base/file.h"
#include "coppice/base/random.h"
#include "coppice/eval/signature.h"
#include "coppice/text/template_defaults.h"
#include "coppice/text/template_import.h"

namespace coppice::cli {

namespace {

// Draws of what is held out are not those of the order of sentences.
constexpr std::uint64_t kHoldOutStream = 0x686f6c646f7574;
constexpr double kAdaGradStep = 0.4, kSgdStep = 0.1;
constexpr unsigned kPassesBefore = 4, kPassesAlone = 20;
constexpr std::uint64_t kMaxIterations = 200;

// Without columns (CRFsuite's attribute files) there are the attributes that the data brings.
text::TemplateSet templates_of(const TrainTagOptions& options,
                               const std::vector<std::string>& columns) {
  if (options.templates.empty() && columns.empty()) return {.columns = {}, .transition = true};
  if (options.templates.empty()) {
    return text::default_templates(columns, options.raw.empty() ? options.classes : "raw text");
  }
  const std::string text = read_file(options.templates);
  const text::TemplateSource source{.file = options.templates, .columns = columns};
  const std::string format = options.template_format.value_or("coppice");
  if (format == "crfpp") return text::import_crfpp_templates(text, source);
  if (format == "wapiti") return text::import_wapiti_patterns(text, source);
  return text::parse_templates(text, source);
}

text::ResourceTexts resources_of(const TrainTagOptions& options, const text::TemplateSet& templates,
                                 const std::string& classes) {
  if (!classes.empty()) return {{text::kClasses, classes}};
  return text::load_resources(templates,
                              std::filesystem::path(options.templates).parent_path().string());
}

// The columns that templates may read: named ones other than the labels'.
struct FeatureColumns {
  std::vector<std::size_t> places;
  std::vector<std::string> names;
};

FeatureColumns input_columns(const text::SentenceReader& reader, std::size_t label_column,
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
  trainer.batch = options.is_batch() && options.max_iterations != 0;
  trainer.adaptive = options.optimizer != "sgd";
  trainer.averaging = options.averaging;
  trainer.stochastic_step = options.step.value_or(trainer.adaptive ? kAdaGradStep : kSgdStep);
  // Passes before L-BFGS would leave the place where an older model ended.
  unsigned passes = options.is_batch() ? kPassesBefore : kPassesAlone;
  if (options.is_batch() && (!options.is_stochastic() || !options.init.empty())) passes = 0;
  trainer.stochastic_passes = options.passes ? static_cast<unsigned>(*options.passes) : passes;
  trainer.stopping.max_iterations = options.max_iterations.value_or(kMaxIterations);
  return trainer;
}

chain::TreeTrainingOptions tree_options(const TrainTagOptions& options) {
  chain::TreeTrainingOptions trees;
  trees.rounds = options.rounds;
  trees.inputs.max_categories = options.max_categories;
  trees.beside_linear = options.potential == "linear+trees";
  trees.boosting.max_leaves = options.leaves;
  trees.boosting.shrinkage = options.shrinkage;
  trees.boosting.newton = options.leaf_values == "newton";
  trees.boosting.ridge = options.ridge;
  trees.boosting.pseudo_rounds = static_cast<unsigned>(options.pseudo_rounds);
  trees.boosting.trees_per_round = options.trees_per_round;
  trees.boosting.row_fraction = options.row_fraction;
  trees.boosting.feature_fraction = options.feature_fraction;
  trees.boosting.trim = options.trim;
  trees.boosting.max_surrogates = static_cast<unsigned>(options.surrogates);
  trees.boosting.label_depth = static_cast<unsigned>(options.label_depth);
  trees.boosting.seed = options.seed;
  return trees;
}

// The column in which --partial-labels looks for "?" and "A|B".
std::string partial_column(const DataOptions& options) {
  if (!options.label_column.empty()) return options.label_column;
  if (options.columns.empty()) return "label";
  const auto names = text::ColumnNames::parse(options.columns);
  std::size_t column = names.size() - 1;
  while (column > 0 && names[column] == "_") --column;
  return names.find("label") ? "label" : names[column];
}

class DataReading {
 public:
  DataReading(const TrainTagOptions& options, Context& context)
      : options_(options), context_(context), draws_(options.seed, kHoldOutStream) {
    if (!options.init.empty()) older_ = chain::Tagger::open(options.init);
  }

  TrainingData run() && {
    if (!options_.raw.empty()) learn_classes();
    for (const std::string& path : options_.train) read_training(path);
    for (const std::string& path : options_.objective.unlabelled) read_unlabelled(path);
    if (!options_.development.empty()) read_development();
    if (options_.develops() && read_.development.sentences == 0) {
      throw UsageError(fmt::format("--dev-fraction {} holds out none of {}", *options_.dev_fraction,
                                   counted(read_.train.sentences, "sentence")),
                       {.code = "E003"});
    }
    return std::move(read_);
  }

 private:
  void learn_classes() {
    ClassLearning learning({}, context_);
    DataOptions raw;
    raw.encoding = options_.data.encoding;
    for (const std::string& path : options_.raw) learning.read(path, raw, text::Format::kText);
    for (const std::string& path : options_.train) {
      if (path != "-") learning.read(path, options_.data, text::Format::kColumns);
    }
    classes_ = learning.learn(Threads(static_cast<unsigned>(context_.threads())));
    read_.skipped = learning.skipped();
  }

  void read_training(const std::string& path) {
    text::ReaderOptions reading = reader_options(options_.data, text::Format::kColumns);
    if (options_.partial_labels) reading.partial_labels = partial_column(options_.data);
    LabelledReader reader(path, reading, options_.data.label_column);
    while (reader.next()) {
      reader.require_labels();
      if (!read_.training) start(reader);
      if (options_.dev_fraction && draws_.uniform() < *options_.dev_fraction) {
        add_development(reader.sentence());
      } else {
        read_.training->add(reader.sentence());
        read_.train.add(reader.sentence());
      }
    }
    note(reader, path, read_.train);
  }

  void read_unlabelled(const std::string& path) {
    const auto reader =
        text::open_sentences(path, reader_options(options_.data, text::Format::kText));
    text::Sentence sentence;
    while (reader->next(sentence)) read_.training->add_unlabelled(sentence);
    text::require_sentences(*reader);
    read_.unlabelled.sentences += reader->counts().sentences;
    read_.unlabelled.tokens += reader->counts().tokens;
    read_.skipped = report_skipped(*reader, context_) || read_.skipped;
  }

  void start(const LabelledReader& reader) {
    read_.training.emplace(training_options(options_, reader, classes_, older_));
    if (older_) read_.training->start_from(*older_);
  }

  void read_development() {
    LabelledReader reader(options_.development, options_.data, text::Format::kColumns);
    while (reader.next()) {
      reader.require_labels();
      add_development(reader.sentence());
    }
    note(reader, options_.development, read_.development);
  }

  void add_development(const text::Sentence& sentence) {
    read_.training->add_development(sentence);
    read_.development.add(sentence);
  }

  void note(const LabelledReader& reader, const std::string& path, Corpus& corpus) {
    text::require_sentences(reader.reader());
    corpus.digest = path == "-" ? "" : eval::digest(corpus.digest + read_file(path));
    read_.description = reader.reader().description();
    read_.skipped = report_skipped(reader.reader(), context_) || read_.skipped;
  }

  const TrainTagOptions& options_;
  Context& context_;
  Random draws_;
  std::string classes_;  // learnt of raw text
  std::optional<chain::Tagger> older_;
  TrainingData read_;
};

}  // namespace

chain::TaggerTrainingOptions training_options(const TrainTagOptions& options,
                                              const LabelledReader& reader,
                                              const std::string& classes,
                                              const std::optional<chain::Tagger>& older) {
  const std::size_t label_column = reader.label_column().value_or(0);
  FeatureColumns columns = input_columns(reader.reader(), label_column, reader.sentence().format());
  chain::TaggerTrainingOptions training;
  if (older && options.templates.empty()) {
    columns.places = feature_columns(*older, reader.reader(), reader.sentence());
    training.templates = older->extractor().set();
    training.resources = older->config().resources;
  } else {
    training.templates = templates_of(options, columns.names);
    training.resources = resources_of(options, training.templates, classes);
  }
  training.encoder = {columns.places, label_column, options.min_count,
                      static_cast<unsigned>(options.hash_bits)};
  training.names = !options.no_names;
  training.label_column = reader.reader().column_names()[label_column];
  training.chain.order = static_cast<unsigned>(options.order);
  training.chain.features =
      options.features == "all" ? FeatureSet::kAllPairs : FeatureSet::kObserved;
  const bool prunes = options.order > 1 && options.potential != "trees";
  training.chain.prune = options.prune.value_or(prunes ? chain::kDefaultPrune : 0);
  training.objective = training_objective(options.objective);
  if (options.has_trees()) {
    training.trees = tree_options(options);
    training.curve = !options.log.empty();
  }
  training.trainer = trainer_options(options);
  if (training.objective.starts_from_likelihood() && !training.trainer.batch) {
    throw UsageError("this objective begins after the stochastic passes, which are all there is",
                     {.code = "E003"});
  }
  training.constrain = !options.unconstrained;
  if (!options.constraints.empty()) {
    training.rules =
        chain::ConstraintRules::parse(read_file(options.constraints), options.constraints);
  }
  if (!options.class_weight.empty()) {
    training.class_weights = chain::ClassWeights::parse(options.class_weight);
  }
  if (options.metric == "f1") training.metric = chain::DevelopmentMetric::kSpanF1;
  if (options.metric == "accuracy") training.metric = chain::DevelopmentMetric::kAccuracy;
  if (options.patience) training.patience = static_cast<unsigned>(*options.patience);
  if (options.check_every) training.check_every = static_cast<unsigned>(*options.check_every);
  return training;
}

TrainingData read_training_data(const TrainTagOptions& options, Context& context) {
  return DataReading(options, context).run();
}

}  // namespace coppice::cli
