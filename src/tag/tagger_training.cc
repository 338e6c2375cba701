#include "coppice/tag/tagger_training.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/eval/span_score.h"
#include "coppice/learn/training_loop.h"
#include "coppice/text/spans.h"
#include "tag/boosted_learner.h"
#include "tag/dataset_builder.h"
#include "tag/development_set.h"
#include "tag/feature_names.h"
#include "tag/tagger_state.h"
#include "tag/tagger_writer.h"
#include "tag/warm_start.h"

namespace coppice::tag {

namespace {

// Throws ParseError (E211) for the first sentence none of whose annotated label sequences is
// possible.
void check_annotation(const DatasetBuilder::Result& encoded, const chain::Constraints& constraints,
                      const std::vector<std::string>& labels) {
  const chain::Dataset& data = encoded.data;
  for (std::size_t i = 0; i < data.num_sentences(); ++i) {
    const auto token = chain::first_impossible(data, i, constraints);
    if (!token) continue;
    const std::size_t number = *token - data.sentence_begin[i];
    const auto gold = data.gold_of(*token);
    const std::string label = gold.size() == 1 ? " (" + labels[gold[0]] + ")" : "";
    const auto [file, line] = encoded.origins[i];
    throw ParseError(
        concat("the constraints forbid the labels of this sentence at token ", number + 1, label),
        {.code = "E211",
         .where = {.file = encoded.files[file], .line = line},
         .help = "correct them (coppice convert --scheme repairs IOB labels), or train with "
                 "--unconstrained"});
  }
}

bool has_pair_templates(const text::TemplateSet& set) {
  return std::any_of(set.templates.begin(), set.templates.end(), [](const text::Template& one) {
    return one.scope == text::Scope::kTransition;
  });
}

}  // namespace

struct TaggerTraining::State final : learn::Development {
  explicit State(TaggerTrainingOptions settings)
      : options(std::move(settings)),
        builder(std::in_place, text::Extractor(options.templates, options.resources),
                options.encoder),
        development(text::Extractor(options.templates, options.resources), options.encoder) {
    if (options.names) {
      names.emplace(text::Extractor(options.templates, options.resources),
                    options.encoder.feature_columns);
    }
  }

  void set_config(const Symbols& labels);
  chain::Constraints find_constraints() const;
  void encode_development();
  void begin_loop(std::unique_ptr<chain::CorpusObjective> corpus);
  learn::Booster& start_boosting(std::span<const float> weights);
  chain::LossTables loss_tables() const {
    return {options.objective, config.labels, config.scheme};
  }
  const chain::Constraints& constraints() const noexcept {
    return linear != nullptr ? linear->constraints() : own_constraints;
  }
  learn::DevelopmentScore score(std::span<const float> weights, bool has_trees,
                                const Threads& threads) override;
  DevelopmentMetric metric() const noexcept;
  void find_curve(const Threads& threads);
  ModelWriter writer(const std::string& card, const NameCollector* with_names) const;

  TaggerTrainingOptions options;
  std::optional<DatasetBuilder> builder;
  std::optional<NameCollector> names;
  DevelopmentSet development;
  std::vector<std::uint64_t> keys, pair_keys;
  std::optional<Tagger> older;
  std::vector<FrozenLinear::KeyedRow> retained;  // of the older model's attributes
  TaggerConfig config;
  chain::Dataset data;                             // of trees without a linear potential
  chain::Constraints own_constraints;              // the same
  const chain::CorpusObjective* linear = nullptr;  // null without a linear potential
  std::optional<BoostedLearner> boosted;           // encoded from the beginning, started later
  std::optional<learn::TrainingLoop> loop;
  std::optional<BoostingCurve> last_curve;
};

ModelWriter TaggerTraining::State::writer(const std::string& card,
                                          const NameCollector* with_names) const {
  std::optional<TaggerTrees> trees;
  const std::size_t rounds = loop->kept_rounds();
  if (loop->is_boosting()) {
    trees.emplace(
        TaggerTrees{boosted->inputs(), boosted->trees(rounds), constraints(), with_names});
  }
  if (linear == nullptr) return write_tagger(config, *trees, card);
  const auto weights = loop->kept_weights();
  const std::size_t split = linear->potential().num_parameters();
  const auto parts = weights.subspan(linear->first_part());
  const std::size_t pairs = parts.size() - linear->ngrams().size();
  return write_tagger(
      config,
      {linear->potential(), keys, weights.first(split), parts.first(pairs), linear->ngrams(),
       parts.subspan(pairs), linear->constraints(), retained, linear->pair_potential(), pair_keys,
       linear->pair_weights(weights), rounds > 0 ? &*trees : nullptr, with_names},
      card);
}

DevelopmentMetric TaggerTraining::State::metric() const noexcept {
  if (options.metric != DevelopmentMetric::kAuto) return options.metric;
  return config.scheme == text::Scheme::kRaw ? DevelopmentMetric::kAccuracy
                                             : DevelopmentMetric::kSpanF1;
}

learn::DevelopmentScore TaggerTraining::State::score(std::span<const float> weights, bool has_trees,
                                                     const Threads& threads) {
  const DevelopmentSet::Labels found = has_trees
                                           ? boosted->development_labels(Decoding::kViterbi)
                                           : best_labels(development, *linear, weights, threads);
  eval::SpanScorer scorer(eval::Match::kConlleval, config.scheme);
  development.judge(found, config.labels, scorer);
  const bool by_span = config.scheme != text::Scheme::kRaw;
  const double accuracy = scorer.token_accuracy();
  return {.score = metric() == DevelopmentMetric::kSpanF1 ? scorer.total().f1() : accuracy,
          .precision = by_span ? scorer.total().precision() : accuracy,
          .recall = by_span ? scorer.total().recall() : accuracy};
}

void TaggerTraining::State::find_curve(const Threads& threads) {
  last_curve.emplace();
  last_curve->train_viterbi = boosted->training_accuracy(Decoding::kViterbi, threads);
  last_curve->train_posterior = boosted->training_accuracy(Decoding::kPosterior, threads);
  if (development.empty()) return;
  const auto accuracy = [&](Decoding decoding) {
    return development.accuracy(boosted->development_labels(decoding), config.labels);
  };
  last_curve->development_viterbi = accuracy(Decoding::kViterbi);
  last_curve->development_posterior = accuracy(Decoding::kPosterior);
}

TaggerTraining::TaggerTraining(TaggerTrainingOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
  const State& s = *state_;
  if (!has_pair_templates(s.options.templates)) return;
  require(s.options.chain.order == 1 && !s.options.chain.is_sparse(),
          "a template is conjoined with pairs of labels (`transition: ...`, or a CRF++ B line with "
          "a macro), which takes a chain of order 1 that is not pruned");
  require(!s.options.trees || s.options.trees->beside_linear,
          "a template is conjoined with pairs of labels, which trees ask for by themselves: give "
          "them templates without `transition:`, or a linear potential beside them");
}
TaggerTraining::~TaggerTraining() = default;
TaggerTraining::TaggerTraining(TaggerTraining&&) noexcept = default;
TaggerTraining& TaggerTraining::operator=(TaggerTraining&&) noexcept = default;

void TaggerTraining::start_from(const Tagger& older) {
  State& s = *state_;
  const TaggerConfig& config = older.config();
  require(!s.options.trees && older.trees() == nullptr,
          "trees do not go on from an older model; linear potentials do");
  require(older.state().pairs() == nullptr && !has_pair_templates(s.options.templates),
          "a training does not go on from an older model where templates are conjoined with pairs "
          "of labels");
  require(config.order == s.options.chain.order, "the older model is a chain of order ",
          config.order, ", the new one of order ", s.options.chain.order);
  require(config.hash_bits == s.options.encoder.hash_bits, "the older model has attribute keys of ",
          config.hash_bits, " bits, the new one of ", s.options.encoder.hash_bits);
  for (const std::string& label : config.labels) s.builder->add_label_name(label);
  s.older = older;
}

void TaggerTraining::add(const text::Sentence& sentence) {
  state_->builder->add(sentence);
  if (state_->names) state_->names->add(sentence);
}

void TaggerTraining::add_unlabelled(const text::Sentence& sentence) {
  state_->builder->add_unlabelled(sentence);
}

void TaggerTraining::add_development(const text::Sentence& sentence) {
  state_->development.add(sentence);
}

void TaggerTraining::begin() {
  State& s = *state_;
  DatasetBuilder::Result encoded = std::move(*s.builder).build();
  s.builder.reset();
  require(encoded.data.num_tokens() > 0, "there is no token to learn from");
  s.keys = std::move(encoded.keys);
  s.pair_keys = std::move(encoded.pair_keys);
  s.set_config(encoded.labels);
  if (s.options.metric == DevelopmentMetric::kSpanF1 && s.config.scheme == text::Scheme::kRaw) {
    throw InvalidArgument("the labels spell no spans, whose F1 is to be the development score",
                          {.code = "E213", .help = "score the accuracy of tokens"});
  }
  chain::Constraints constraints = s.find_constraints();
  check_annotation(encoded, constraints, s.config.labels);
  s.options.class_weights.apply(s.config.labels, encoded.data);
  if (s.options.trees) {
    require(s.options.trees->beside_linear || s.config.prune == 0,
            "trees alone have no coarser chain to prune by: prune by 0, or train weights beside "
            "them");
    s.options.trees->inputs.fold = KeyFold(s.options.encoder.hash_bits);
    s.boosted.emplace(encoded.data.design, s.keys, encoded.groups, *s.options.trees);
    if (!s.options.trees->beside_linear) {
      s.data = std::move(encoded.data);
      s.data.design = s.data.pair_design = {};
      s.own_constraints = std::move(constraints);
      s.encode_development();
      return s.begin_loop(nullptr);
    }
  }
  if (s.older) {
    unite_features(*s.older, s.keys, encoded.data);
    s.retained = retained_rows(*s.older, s.keys);
  }
  s.encode_development();
  s.begin_loop(std::make_unique<chain::CorpusObjective>(std::move(encoded.data),
                                                        std::move(constraints), s.options.chain,
                                                        s.options.objective, s.loss_tables()));
  if (s.older) {  // a risk goes on where the older model has ended
    s.loop->start_from(start_weights(*s.older, s.keys, *s.linear), s.options.objective.is_risk());
  }
  s.older.reset();
}

void TaggerTraining::State::encode_development() {
  const bool has_linear = !options.trees || options.trees->beside_linear;
  DevelopmentKeys known;
  known.hash_bits = options.encoder.hash_bits;
  known.num_labels = config.labels.size();
  known.trees = boosted ? &boosted->inputs() : nullptr;
  if (has_linear) {
    known.states = keys;
    known.pairs = pair_keys;
    known.retained = retained;
  }
  development.encode(known);
}

void TaggerTraining::State::begin_loop(std::unique_ptr<chain::CorpusObjective> corpus) {
  linear = corpus.get();
  learn::LoopOptions settings{.trainer = options.trainer,
                              .rounds = options.trees ? options.trees->rounds : 0,
                              .patience = options.patience,
                              .check_every = options.check_every};
  loop.emplace(
      learn::TrainingLoop::Learner{.corpus = std::move(corpus),
                                   .start_boosting = [this](std::span<const float> weights)
                                       -> learn::Booster& { return start_boosting(weights); },
                                   .development = development.empty() ? nullptr : this},
      settings);
}

learn::Booster& TaggerTraining::State::start_boosting(std::span<const float> weights) {
  return boosted->start({.gold = linear != nullptr ? linear->data() : data,
                         .constraints = constraints(),
                         .chain = options.chain,
                         .development = development,
                         .linear = linear,
                         .weights = weights},
                        options.objective, loss_tables());
}

void TaggerTraining::State::set_config(const Symbols& labels) {
  for (const SymbolId id : labels.ids()) config.labels.emplace_back(labels[id]);
  config.columns = options.templates.columns;
  config.label_column = options.label_column;
  config.templates = text::to_text(options.templates);
  config.resources = options.resources;
  config.order = options.chain.order;
  config.prune = options.chain.is_sparse() ? options.chain.prune : 0;
  if (options.trees) config.label_depth = options.trees->label_depth;
  config.hash_bits = options.encoder.hash_bits;
  config.scheme = text::detect_scheme(
      std::vector<std::string_view>(config.labels.begin(), config.labels.end()));
}

chain::Constraints TaggerTraining::State::find_constraints() const {
  require(options.rules.empty() || config.order > 0,
          "a chain of order 0 has no label pairs to constrain");
  const bool constrain = options.constrain && config.order > 0;
  chain::Constraints all =
      chain::scheme_constraints(config.labels, constrain ? config.scheme : text::Scheme::kRaw);
  options.rules.apply(config.labels, all);
  return all;
}

bool TaggerTraining::iterate(const Threads& threads) {
  State& s = *state_;
  s.last_curve.reset();
  if (!s.loop->iterate(threads)) return false;
  if (s.options.curve && s.loop->progress().boosting && s.loop->check_was_due()) {
    s.find_curve(threads);
  }
  return true;
}

const learn::TrainingLoop& TaggerTraining::loop() const noexcept { return *state_->loop; }
const std::optional<BoostingCurve>& TaggerTraining::curve() const noexcept {
  return state_->last_curve;
}
chain::KeptCounts TaggerTraining::kept() const noexcept {
  return state_->linear != nullptr ? state_->linear->kept() : chain::KeptCounts{};
}
std::string TaggerTraining::remarks() const {
  return state_->linear != nullptr ? state_->linear->objective().remarks() : std::string();
}
std::size_t TaggerTraining::num_features() const noexcept {
  return state_->linear != nullptr ? state_->linear->num_features()
                                   : state_->boosted->inputs().schema().num_features();
}
const TaggerConfig& TaggerTraining::config() const noexcept { return state_->config; }

std::size_t TaggerTraining::num_allowed_pairs() const noexcept {
  const auto& pairs = state_->constraints().pairs;
  const std::size_t labels = config().labels.size();
  if (pairs.empty()) return labels * labels;
  return static_cast<std::size_t>(std::count(pairs.begin(), pairs.end(), 1));
}

bool TaggerTraining::scores_spans() const noexcept { return config().scheme != text::Scheme::kRaw; }
DevelopmentMetric TaggerTraining::metric() const noexcept { return state_->metric(); }

std::uint64_t TaggerTraining::bytes_to_come() const noexcept {
  const State& s = *state_;
  std::uint64_t of_trees = 0;
  if (s.boosted && !s.loop->is_boosting()) {
    const chain::LabelHistories histories(s.config.labels.size(),
                                          std::min(s.config.order, s.config.label_depth));
    of_trees = 2 * sizeof(float) * histories.size() * histories.num_labels() *
               s.linear->data().num_tokens();
  }
  return of_trees + s.loop->bytes_to_come();
}

Tagger TaggerTraining::tagger() const {
  std::ostringstream bytes;
  state_->writer("{}", nullptr).write(bytes);
  const std::string text = std::move(bytes).str();
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(text))));
}
ModelWriter TaggerTraining::model(const std::string& card) const {
  return state_->writer(card, state_->names ? &*state_->names : nullptr);
}

void TaggerTraining::save(std::ostream& out) const { state_->loop->save(out); }
void TaggerTraining::load(std::istream& in, const Threads& threads) {
  state_->loop->load(in, threads);
}

}  // namespace coppice::tag
