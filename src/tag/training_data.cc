#include "coppice/tag/training_data.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "coppice/base/digest.h"
#include "coppice/base/file.h"
#include "coppice/base/random.h"
#include "coppice/base/usage_error.h"
#include "coppice/tag/feature_columns.h"
#include "coppice/text/template_defaults.h"
#include "text/sentence_list.h"
#include "text/template_import.h"

namespace coppice::tag {

namespace {

// Draws of what is held out are not those of the order of sentences.
constexpr std::uint64_t kHoldOutStream = 0x686f6c646f7574;

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

TreeTrainingOptions tree_training_options(const TrainingRequest& options) {
  TreeTrainingOptions trees;
  trees.rounds = options.rounds;
  trees.inputs = options.inputs;
  trees.beside_linear = options.has_weights();
  trees.boosting = learn::boosting_options(options);
  trees.label_depth = static_cast<unsigned>(options.label_depth);
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

// Of what a training learns from, so that a checkpoint is not gone on from with other sentences.
std::string digest_of(const std::vector<text::Sentence>& sentences) {
  std::string state;
  for (const text::Sentence& sentence : sentences) {
    state += concat(sentence.weight(), '\n');
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      for (std::size_t c = 0; c < sentence.num_columns(); ++c) {
        state.append(sentence.cell(t, c)) += '\t';
      }
      const std::size_t labels = sentence.is_partial() ? sentence.num_labels(t) : 0;
      for (std::size_t i = 0; i < labels; ++i) state.append(sentence.label(t, i)) += '|';
      for (std::size_t i = 0; i < sentence.num_attributes(t); ++i) {
        const text::Attribute attribute = sentence.attribute(t, i);
        state += concat(attribute.name, ':', attribute.value, ' ');
      }
      state += '\n';
    }
    state = digest(state);
  }
  return state;
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
    if (request_.develops() && read_.summary.development.sentences == 0) {
      const std::uint64_t sentences = read_.summary.train.sentences;
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
        const RepeatableInput& input = twice_read_.try_emplace(path, path).first->second;
        text::LabelledReader reader(
            text::open_sentences(input.open(),
                                 reader_options(request_.data, text::Format::kColumns)),
            request_.data.label_column);
        learning.read(reader);
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
    read_.summary.train.digest = digest_of(given.train);
    if (!given.development.empty()) {
      read_.summary.development.digest = digest_of(given.development);
    }
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
    const auto kept = twice_read_.find(path);
    LineReader lines = kept == twice_read_.end() ? LineReader(path) : kept->second.open();
    text::LabelledReader reader(text::open_sentences(std::move(lines), reading),
                                request_.data.label_column);
    read_training(reader);
    note_digest(reader.reader(), read_.summary.train);
  }

  void read_training(text::LabelledReader& reader) {
    while (reader.next()) {
      reader.require_labels();
      if (!read_.training) start(reader);
      if (request_.dev_fraction && draws_.uniform() < *request_.dev_fraction) {
        add_development(reader.sentence());
      } else {
        read_.training->add(reader.sentence());
        count(reader.sentence(), read_.summary.train);
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
    note_digest(*reader, read_.summary.unlabelled);
    read_.summary.unlabelled.sentences += reader->counts().sentences;
    read_.summary.unlabelled.tokens += reader->counts().tokens;
    listener_.at_end(*reader);
  }

  void start(const text::LabelledReader& reader) {
    read_.training.emplace(training_options(request_, reader, classes_, older_));
    if (older_) read_.training->start_from(*older_);
  }

  void read_development() {
    text::LabelledReader reader(request_.development, request_.data, text::Format::kColumns);
    read_development(reader);
    note_digest(reader.reader(), read_.summary.development);
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
    count(sentence, read_.summary.development);
  }

  void note_end(const text::LabelledReader& reader) {
    text::require_sentences(reader.reader());
    read_.summary.description = reader.reader().description();
    listener_.at_end(reader.reader());
  }

  static void count(const text::Sentence& sentence, learn::DataSummary& data) {
    ++data.sentences;
    data.tokens += sentence.num_tokens();
  }

  // Of one file its own; of several, of their digests in order.
  static void note_digest(const text::SentenceReader& at_end, learn::DataSummary& data) {
    const std::string& before = data.digest;
    data.digest = before.empty() ? at_end.digest() : digest(before + at_end.digest());
  }

  const TrainingRequest& request_;
  const Threads& threads_;
  ReadingListener& listener_;
  Random draws_;
  std::map<std::string, RepeatableInput> twice_read_;  // training data that classes were learnt of
  std::string classes_;                                // learnt of raw text
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
  const bool prunes = options.order > 1 && options.has_weights();
  training.chain.prune = options.prune.value_or(prunes ? chain::kDefaultPrune : 0);
  training.objective = learn::training_objective(options.objective);
  if (options.has_trees()) {
    training.trees = tree_training_options(options);
    training.curve = options.curve;
  }
  const learn::LoopOptions loop = learn::loop_options(options, training.objective);
  training.trainer = loop.trainer;
  training.patience = loop.patience;
  training.check_every = loop.check_every;
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
  return training;
}

TrainingData read_training_data(const TrainingRequest& request, const Threads& threads,
                                ReadingListener& listener, std::optional<GivenSentences> given) {
  return DataReading(request, threads, listener).run(std::move(given));
}

}  // namespace coppice::tag
