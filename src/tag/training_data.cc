#include "coppice/tag/training_data.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "coppice/base/file.h"
#include "coppice/base/random.h"
#include "coppice/base/usage_error.h"
#include "coppice/eval/signature.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/text/template_defaults.h"
#include "text/sentence_list.h"
#include "text/template_import.h"

namespace coppice::tag {

namespace {

// Draws of what is held out are not those of the order of sentences.
constexpr std::uint64_t kHoldOutStream = 0x686f6c646f7574;
constexpr double kAdaGradStep = 0.4, kSgdStep = 0.1;
constexpr unsigned kPassesBefore = 4, kPassesAlone = 20;
constexpr std::uint64_t kMaxIterations = 200;

// Without columns (CRFsuite's attribute files) there are the attributes that the data brings.
text::TemplateSet templates_of(const TrainingRequest& options,
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

text::ResourceTexts resources_of(const TrainingRequest& options, const text::TemplateSet& templates,
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

learn::TrainerOptions trainer_options(const TrainingRequest& options) {
  learn::TrainerOptions trainer;
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

TreeTrainingOptions tree_training_options(const TrainingRequest& options) {
  TreeTrainingOptions trees;
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
  trees.label_depth = static_cast<unsigned>(options.label_depth);
  trees.boosting.seed = options.seed;
  return trees;
}

// The column in which --partial-labels looks for "?" and "A|B".
std::string partial_column(const text::DataOptions& options) {
  if (!options.label_column.empty()) return options.label_column;
  if (options.columns.empty()) return "label";
  const auto names = text::ColumnNames::parse(options.columns);
  std::size_t column = names.size() - 1;
  while (column > 0 && names[column] == "_") --column;
  return names.find("label") ? "label" : names[column];
}

class DataReading {
 public:
  DataReading(const TrainingRequest& request, const Threads& threads, ReadingListener& listener)
      : request_(request),
        threads_(threads),
        listener_(listener),
        draws_(request.seed, kHoldOutStream) {
    if (!request.init.empty()) older_ = Tagger::open(request.init);
  }

  TrainingData run(std::optional<GivenSentences> given) && {
    if (!request_.raw.empty()) learn_classes(given);
    if (given) {
      read_given(std::move(*given));
    } else {
      for (const std::string& path : request_.train) read_training(path);
    }
    for (const std::string& path : request_.objective.unlabelled) read_unlabelled(path);
    if (!given && !request_.development.empty()) read_development();
    if (request_.develops() && read_.development.sentences == 0) {
      const std::uint64_t sentences = read_.train.sentences;
      throw UsageError(concat("--dev-fraction ", *request_.dev_fraction, " holds out none of ",
                              sentences, sentences == 1 ? " sentence" : " sentences"),
                       {.code = "E003"});
    }
    return std::move(read_);
  }

 private:
  void learn_classes(const std::optional<GivenSentences>& given) {
    text::ClassLearning learning(
        {}, [this](const text::SentenceReader& reader) { listener_.at_end(reader); });
    text::DataOptions raw;
    raw.encoding = request_.data.encoding;
    for (const std::string& path : request_.raw) learning.read(path, raw, text::Format::kText);
    if (given) {
      text::LabelledReader reader = over(given->train, given->columns, request_.train.front());
      learning.read(reader);
    } else {
      for (const std::string& path : request_.train) {
        if (path != "-") learning.read(path, request_.data, text::Format::kColumns);
      }
    }
    const text::WordBigrams bigrams = learning.bigrams();
    listener_.learning_classes(learning, bigrams);
    classes_ = learning.learn(bigrams, threads_, listener_.progress(), listener_.interrupt_poll());
  }

  text::LabelledReader over(std::vector<text::Sentence> sentences, const text::ColumnNames& columns,
                            const std::string& name) const {
    return {std::make_unique<text::SentenceList>(std::move(sentences), columns, name),
            request_.data.label_column};
  }

  void read_given(GivenSentences given) {
    text::LabelledReader train =
        over(std::move(given.train), given.columns, request_.train.front());
    read_training(train);
    if (given.development.empty()) return;
    text::LabelledReader development =
        over(std::move(given.development), given.columns, request_.development);
    read_development(development);
  }

  void read_training(const std::string& path) {
    text::ReaderOptions reading = reader_options(request_.data, text::Format::kColumns);
    if (request_.partial_labels) reading.partial_labels = partial_column(request_.data);
    text::LabelledReader reader(text::open_sentences(path, reading), request_.data.label_column);
    read_training(reader);
    note_digest(path, read_.train);
  }

  void read_training(text::LabelledReader& reader) {
    while (reader.next()) {
      reader.require_labels();
      if (!read_.training) start(reader);
      if (request_.dev_fraction && draws_.uniform() < *request_.dev_fraction) {
        add_development(reader.sentence());
      } else {
        read_.training->add(reader.sentence());
        read_.train.add(reader.sentence());
      }
    }
    note_end(reader);
  }

  void read_unlabelled(const std::string& path) {
    text::ReaderOptions reading = reader_options(request_.data, text::Format::kText);
    reading.format = text::Format::kAuto;  // the format and columns given are of labelled data
    reading.columns = {};
    const auto reader = text::open_sentences(path, reading);
    text::Sentence sentence;
    while (reader->next(sentence)) read_.training->add_unlabelled(sentence);
    text::require_sentences(*reader);
    read_.unlabelled.sentences += reader->counts().sentences;
    read_.unlabelled.tokens += reader->counts().tokens;
    listener_.at_end(*reader);
  }

  void start(const text::LabelledReader& reader) {
    read_.training.emplace(training_options(request_, reader, classes_, older_));
    if (older_) read_.training->start_from(*older_);
  }

  void read_development() {
    text::LabelledReader reader(request_.development, request_.data, text::Format::kColumns);
    read_development(reader);
    note_digest(request_.development, read_.development);
  }

  void read_development(text::LabelledReader& reader) {
    while (reader.next()) {
      reader.require_labels();
      add_development(reader.sentence());
    }
    note_end(reader);
  }

  void add_development(const text::Sentence& sentence) {
    read_.training->add_development(sentence);
    read_.development.add(sentence);
  }

  void note_end(const text::LabelledReader& reader) {
    text::require_sentences(reader.reader());
    read_.description = reader.reader().description();
    listener_.at_end(reader.reader());
  }

  static void note_digest(const std::string& path, Corpus& corpus) {
    corpus.digest = path == "-" ? "" : eval::digest(corpus.digest + read_file(path));
  }

  const TrainingRequest& request_;
  const Threads& threads_;
  ReadingListener& listener_;
  Random draws_;
  std::string classes_;  // learnt of raw text
  std::optional<Tagger> older_;
  TrainingData read_;
};

}  // namespace

TaggerTrainingOptions training_options(const TrainingRequest& options,
                                       const text::LabelledReader& reader,
                                       const std::string& classes,
                                       const std::optional<Tagger>& older) {
  const std::size_t label_column = reader.label_column().value_or(0);
  FeatureColumns columns = input_columns(reader.reader(), label_column, reader.sentence().format());
  TaggerTrainingOptions training;
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
  training.objective = learn::training_objective(options.objective);
  if (options.has_trees()) {
    training.trees = tree_training_options(options);
    training.curve = options.curve;
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
    training.class_weights = ClassWeights::parse(options.class_weight);
  }
  if (options.metric == "f1") training.metric = DevelopmentMetric::kSpanF1;
  if (options.metric == "accuracy") training.metric = DevelopmentMetric::kAccuracy;
  if (options.patience) training.patience = static_cast<unsigned>(*options.patience);
  if (options.check_every) training.check_every = static_cast<unsigned>(*options.check_every);
  return training;
}

TrainingData read_training_data(const TrainingRequest& request, const Threads& threads,
                                ReadingListener& listener, std::optional<GivenSentences> given) {
  return DataReading(request, threads, listener).run(std::move(given));
}

}  // namespace coppice::tag
