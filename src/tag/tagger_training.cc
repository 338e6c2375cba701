#include "coppice/tag/tagger_training.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/chain/after_likelihood.h"
#include "coppice/eval/span_score.h"
#include "coppice/learn/checkpoint.h"
#include "coppice/tag/feature_names.h"
#include "coppice/text/spans.h"
#include "tag/boosted_learner.h"
#include "tag/warm_start.h"

namespace coppice::tag {

namespace {

constexpr std::string_view kTaggerCheckpoint = "coppice tagger 2\n";

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

// A risk begins where the likelihood ends.
std::unique_ptr<chain::SentenceObjective> staged_objective(const chain::TrainingObjective& goal,
                                                           const TaggerConfig& config) {
  auto objective = chain::make_objective(goal, config.labels, config.scheme);
  if (!goal.is_risk()) return objective;
  return std::make_unique<chain::AfterLikelihood>(std::move(objective));
}

// What trees follow.
std::unique_ptr<chain::EdgeObjective> edge_objective(const chain::TrainingObjective& goal,
                                                     const TaggerConfig& config) {
  if (goal.goal == chain::TrainingGoal::kLikelihood && goal.entropy_weight == 0) {
    return std::make_unique<chain::EdgeLikelihood>();
  }
  return std::make_unique<chain::SentenceEdgeObjective>(staged_objective(goal, config));
}

}  // namespace

struct TaggerTraining::State {
  explicit State(TaggerTrainingOptions settings)
      : options(std::move(settings)),
        builder(std::in_place, text::Extractor(options.templates, options.resources),
                options.encoder),
        columns(options.encoder.feature_columns) {
    if (options.names) {
      names.emplace(text::Extractor(options.templates, options.resources),
                    options.encoder.feature_columns);
    }
  }

  void set_config(const Symbols& labels);
  chain::Constraints constraints() const;
  const chain::TrainingProgress& progress() const noexcept {
    return boosted ? boosted->progress() : trainer->progress();
  }
  bool iterate_learner(const Threads& threads);
  // After the linear part, or at once where there is none.
  void start_boosting(BoostingData data);
  std::uint64_t kept_rounds() const;
  void predict(const Threads& threads, std::vector<std::vector<std::uint16_t>>& predicted) const;
  void check(const Threads& threads);
  DevelopmentMetric metric() const noexcept;
  DevelopmentScore evaluate(const Threads& threads) const;
  double development_accuracy(Decoding decoding) const;
  void find_curve(const Threads& threads);
  ModelWriter writer(const std::string& card, const NameCollector* with_names) const;
  Tagger tagger() const;
  std::span<const float> kept() const {
    return best_weights.empty() ? trainer->weights() : std::span<const float>(best_weights);
  }

  TaggerTrainingOptions options;
  std::optional<DatasetBuilder> builder;
  std::optional<NameCollector> names;
  FeatureCells columns;
  std::vector<text::Sentence> sentences;  // of the development data
  std::vector<std::uint64_t> keys, pair_keys;
  std::optional<Tagger> older;
  std::vector<FrozenLinear::KeyedRow> retained;  // of the older model's attributes
  TaggerConfig config;
  std::optional<chain::Trainer> trainer;  // of a linear potential
  std::optional<BoostingData> for_trees;  // until it is trained
  std::optional<BoostedLearner> boosted;
  DevelopmentScore last;
  std::optional<BoostingCurve> last_curve;
  std::vector<float> best_weights;
  double best_score = -1;
  std::uint64_t best_iteration = 0;
  unsigned checks_since_best = 0;
  bool out_of_patience = false;
};

ModelWriter TaggerTraining::State::writer(const std::string& card,
                                          const NameCollector* with_names) const {
  std::optional<TaggerTrees> trees;
  if (boosted) {
    trees.emplace(TaggerTrees{boosted->inputs(), boosted->trees(kept_rounds()),
                              boosted->constraints(), with_names});
  }
  if (!trainer) return write_tagger(config, *trees, card);
  const chain::CorpusObjective& objective = trainer->objective();
  const auto weights = kept();
  const std::size_t split = objective.potential().num_parameters();
  const auto parts = weights.subspan(objective.first_part());
  const std::size_t pairs = parts.size() - objective.ngrams().size();
  return write_tagger(
      config,
      {objective.potential(), keys, weights.first(split), parts.first(pairs), objective.ngrams(),
       parts.subspan(pairs), objective.constraints(), retained, objective.pair_potential(),
       pair_keys, weights.first(objective.first_part()).subspan(objective.first_pair_parameter()),
       trees && kept_rounds() > 0 ? &*trees : nullptr, with_names},
      card);
}

// Those up to the best check; none where that was one of the linear part.
std::uint64_t TaggerTraining::State::kept_rounds() const {
  if (best_iteration == 0) return boosted->num_rounds();
  const std::uint64_t before = progress().iteration - boosted->num_rounds();
  return best_iteration > before ? best_iteration - before : 0;
}

Tagger TaggerTraining::State::tagger() const {
  std::ostringstream bytes;
  writer("{}", nullptr).write(bytes);
  const std::string text = std::move(bytes).str();
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(text))));
}

// The labels of the development data under the current weights.
void TaggerTraining::State::predict(const Threads& threads,
                                    std::vector<std::vector<std::uint16_t>>& predicted) const {
  if (boosted) {
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      boosted->labels(i, Decoding::kViterbi, predicted[i]);
    }
    return;
  }
  const Tagger model = tagger();
  constexpr std::size_t chunk_size = 64;
  const std::size_t chunks = (sentences.size() + chunk_size - 1) / chunk_size;
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned) {
    TaggingSession session(model);
    FeatureCells cells = columns;
    const std::size_t end = std::min(sentences.size(), (chunk + 1) * chunk_size);
    for (std::size_t i = chunk * chunk_size; i < end; ++i) {
      session.read(sentences[i], cells);
      session.best_labels(predicted[i]);
    }
  });
}

DevelopmentMetric TaggerTraining::State::metric() const noexcept {
  if (options.metric != DevelopmentMetric::kAuto) return options.metric;
  return config.scheme == text::Scheme::kRaw ? DevelopmentMetric::kAccuracy
                                             : DevelopmentMetric::kSpanF1;
}

DevelopmentScore TaggerTraining::State::evaluate(const Threads& threads) const {
  std::vector<std::vector<std::uint16_t>> predicted(sentences.size());
  predict(threads, predicted);
  eval::SpanScorer scorer(eval::Match::kConlleval, config.scheme);
  std::vector<std::string_view> gold, labels;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    gold.clear();
    labels.clear();
    for (std::size_t t = 0; t < sentences[i].num_tokens(); ++t) {
      gold.push_back(sentences[i].cell(t, options.encoder.label_column));
      labels.push_back(config.labels[predicted[i][t]]);
    }
    scorer.add(gold, labels);
  }
  const bool by_span = config.scheme != text::Scheme::kRaw;
  const double accuracy = scorer.token_accuracy();
  return {.checked = true,
          .score = metric() == DevelopmentMetric::kSpanF1 ? scorer.total().f1() : accuracy,
          .precision = by_span ? scorer.total().precision() : accuracy,
          .recall = by_span ? scorer.total().recall() : accuracy};
}

double TaggerTraining::State::development_accuracy(Decoding decoding) const {
  std::size_t tokens = 0, right = 0;
  std::vector<std::uint16_t> labels;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    boosted->labels(i, decoding, labels);
    for (std::size_t t = 0; t < labels.size(); ++t) {
      ++tokens;
      right += sentences[i].cell(t, options.encoder.label_column) == config.labels[labels[t]];
    }
  }
  return tokens == 0 ? 0 : static_cast<double>(right) / static_cast<double>(tokens);
}

void TaggerTraining::State::find_curve(const Threads& threads) {
  last_curve.emplace();
  last_curve->train_viterbi = boosted->training_accuracy(Decoding::kViterbi, threads);
  last_curve->train_posterior = boosted->training_accuracy(Decoding::kPosterior, threads);
  if (sentences.empty()) return;
  last_curve->development_viterbi = development_accuracy(Decoding::kViterbi);
  last_curve->development_posterior = development_accuracy(Decoding::kPosterior);
}

// In rounds of trees, the weights beside them stay what they are.
void TaggerTraining::State::check(const Threads& threads) {
  std::vector<float> kept_before;
  if (!boosted) kept_before = std::exchange(best_weights, {});
  last = evaluate(threads);
  last.best = last.score > best_score;
  if (last.best) {
    if (!boosted) best_weights.assign(trainer->weights().begin(), trainer->weights().end());
    best_score = last.score;
    best_iteration = progress().iteration;
    checks_since_best = 0;
  } else {
    if (!boosted) best_weights = std::move(kept_before);
    ++checks_since_best;
    out_of_patience = options.patience > 0 && checks_since_best >= options.patience;
  }
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
  require(older.pairs() == nullptr && !has_pair_templates(s.options.templates),
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
  state_->sentences.push_back(sentence);
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
  chain::Constraints constraints = s.constraints();
  check_annotation(encoded, constraints, s.config.labels);
  s.options.class_weights.apply(s.config.labels, encoded.data);
  if (s.options.trees) {
    require(s.options.trees->beside_linear || s.config.prune == 0,
            "trees alone have no coarser chain to prune by: prune by 0, or train weights beside "
            "them");
    s.options.trees->inputs.fold = KeyFold(s.options.encoder.hash_bits);
    if (!s.options.trees->beside_linear) {
      return s.start_boosting(
          {std::move(encoded.data), std::move(s.keys), std::move(encoded.groups), {}});
    }
    s.for_trees = BoostingData{encoded.data, s.keys, std::move(encoded.groups), s.pair_keys};
  }
  if (s.older) {
    unite_features(*s.older, s.keys, encoded.data);
    s.retained = retained_rows(*s.older, s.keys);
  }
  const chain::TrainingObjective& goal = s.options.objective;
  s.trainer.emplace(
      chain::CorpusObjective(
          std::move(encoded.data), std::move(constraints), s.options.chain,
          staged_objective(goal, s.config),
          goal.starts_from_likelihood() ? std::make_unique<chain::Likelihood>() : nullptr),
      s.options.trainer);
  if (s.older) {
    s.trainer->start_from(start_weights(*s.older, s.keys, s.trainer->objective()));
    if (goal.is_risk()) s.trainer->end_stage();  // the older model is the place to begin
  }
  s.older.reset();
}

void TaggerTraining::State::start_boosting(BoostingData data) {
  std::optional<Tagger> linear;
  if (trainer) linear = tagger();
  const Tagger* beside = linear ? &*linear : nullptr;
  BoostedLearner& learner =
      boosted.emplace(std::move(data), constraints(), options.chain, *options.trees,
                      edge_objective(options.objective, config), beside);
  const text::Extractor extractor(options.templates, options.resources);
  if (!sentences.empty()) learner.follow(sentences, extractor, columns, beside);
  if (trainer) learner.count_from(trainer->progress());
  checks_since_best = 0;
  out_of_patience = false;
}

bool TaggerTraining::State::iterate_learner(const Threads& threads) {
  if (!boosted && out_of_patience && trainer->end_stage()) {
    checks_since_best = 0;
    out_of_patience = false;
  }
  if (!boosted && !out_of_patience && trainer->iterate(threads)) return true;
  if (for_trees) {
    start_boosting(*std::exchange(for_trees, std::nullopt));
  }
  return boosted && !out_of_patience && boosted->iterate(threads);
}

void TaggerTraining::State::set_config(const Symbols& labels) {
  for (const SymbolId id : labels.ids()) config.labels.emplace_back(labels[id]);
  config.columns = options.templates.columns;
  config.label_column = options.label_column;
  config.templates = text::to_text(options.templates);
  config.resources = options.resources;
  config.order = options.chain.order;
  config.prune = options.chain.is_sparse() ? options.chain.prune : 0;
  if (options.trees) config.label_depth = options.trees->boosting.label_depth;
  config.hash_bits = options.encoder.hash_bits;
  config.scheme = text::detect_scheme(
      std::vector<std::string_view>(config.labels.begin(), config.labels.end()));
}

chain::Constraints TaggerTraining::State::constraints() const {
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
  s.last = {};
  s.last_curve.reset();
  if (!s.iterate_learner(threads)) return false;
  const chain::TrainingProgress& progress = s.progress();
  const bool is_due = progress.stochastic || progress.iteration % s.options.check_every == 0 ||
                      !progress.stopped.empty();
  if (!s.sentences.empty() && is_due) s.check(threads);
  if (s.options.curve && progress.boosting && is_due) s.find_curve(threads);
  return true;
}

const chain::TrainingProgress& TaggerTraining::progress() const noexcept {
  return state_->progress();
}
std::optional<std::uint64_t> TaggerTraining::most_steps_left() const noexcept {
  const State& s = *state_;
  if (s.for_trees) return std::nullopt;
  if (s.boosted) return s.out_of_patience ? 0 : s.boosted->rounds_left();
  if (s.out_of_patience && !s.trainer->objective().has_next_stage()) return 0;
  return s.trainer->most_steps_left();
}

const DevelopmentScore& TaggerTraining::development() const noexcept { return state_->last; }
const std::optional<BoostingCurve>& TaggerTraining::curve() const noexcept {
  return state_->last_curve;
}

std::string TaggerTraining::stopped() const {
  const State& s = *state_;
  if (s.out_of_patience) {
    return concat("development score not better for ", s.options.patience, " checks");
  }
  return std::string(s.progress().stopped);
}

std::uint64_t TaggerTraining::kept_iteration() const noexcept {
  return state_->best_iteration == 0 ? progress().iteration : state_->best_iteration;
}
double TaggerTraining::kept_score() const noexcept { return state_->best_score; }
const chain::CorpusObjective& TaggerTraining::objective() const noexcept {
  return state_->trainer->objective();
}
chain::KeptCounts TaggerTraining::kept() const noexcept {
  return state_->trainer ? objective().kept() : chain::KeptCounts{};
}
std::string TaggerTraining::remarks() const {
  return state_->trainer ? objective().remarks() : std::string();
}
std::size_t TaggerTraining::num_features() const noexcept {
  return state_->trainer ? objective().num_features()
                         : state_->boosted->inputs().schema().num_features();
}
const TaggerConfig& TaggerTraining::config() const noexcept { return state_->config; }

std::size_t TaggerTraining::num_allowed_pairs() const noexcept {
  const auto& pairs =
      state_->trainer ? objective().constraints().pairs : state_->boosted->constraints().pairs;
  const std::size_t labels = config().labels.size();
  if (pairs.empty()) return labels * labels;
  return static_cast<std::size_t>(std::count(pairs.begin(), pairs.end(), 1));
}

bool TaggerTraining::scores_spans() const noexcept { return config().scheme != text::Scheme::kRaw; }
DevelopmentMetric TaggerTraining::metric() const noexcept { return state_->metric(); }

// Gradient, scales and penalties of the trainer, and what learn/lbfgs.h says of itself.
std::uint64_t TaggerTraining::bytes_to_come() const noexcept {
  const State& s = *state_;
  if (!s.trainer) return 0;  // scores and derivatives are there from the beginning
  std::uint64_t of_trees = 0;
  if (s.for_trees) {
    const chain::LabelHistories histories(s.config.labels.size(),
                                          std::min(s.config.order, s.config.label_depth));
    of_trees = 2 * sizeof(float) * histories.size() * histories.num_labels() *
               s.for_trees->data.num_tokens();
  }
  const std::uint64_t of_trainer = s.options.trainer.batch ? 3 : 0;
  const std::uint64_t of_lbfgs = s.options.trainer.batch ? 4 + 2 * s.options.trainer.history : 0;
  const std::uint64_t best = s.sentences.empty() ? 0 : 1;
  return of_trees + objective().num_parameters() * sizeof(float) * (of_trainer + of_lbfgs + best);
}

Tagger TaggerTraining::tagger() const { return state_->tagger(); }
ModelWriter TaggerTraining::model(const std::string& card) const {
  return state_->writer(card, state_->names ? &*state_->names : nullptr);
}

void TaggerTraining::save(std::ostream& out) const {
  const State& s = *state_;
  learn::CheckpointWriter writer(out, kTaggerCheckpoint);
  writer.vector(s.best_weights);
  writer.value(s.best_score);
  writer.value(s.best_iteration);
  writer.value(s.checks_since_best);
  writer.value<unsigned char>(s.out_of_patience ? 1 : 0);
  writer.value<unsigned char>(s.boosted ? 1 : 0);
  if (s.trainer) s.trainer->save(out);
  if (s.boosted) s.boosted->save(writer);
}

void TaggerTraining::load(std::istream& in, const Threads& threads) {
  State& s = *state_;
  learn::CheckpointReader reader(in, kTaggerCheckpoint);
  s.best_weights = reader.vector<float>();
  const std::size_t weights = s.trainer ? s.trainer->weights().size() : 0;
  reader.check(s.best_weights.empty() || s.best_weights.size() == weights);
  s.best_score = reader.value<double>();
  s.best_iteration = reader.value<std::uint64_t>();
  const auto checks_since_best = reader.value<unsigned>();
  const bool out_of_patience = reader.value<unsigned char>() != 0;
  const bool is_boosting = reader.value<unsigned char>() != 0;
  reader.check(is_boosting ? s.options.trees.has_value() : s.trainer.has_value());
  if (s.trainer) s.trainer->load(in);
  if (is_boosting && s.for_trees) s.start_boosting(*std::exchange(s.for_trees, std::nullopt));
  if (is_boosting) s.boosted->load(reader, threads);
  s.checks_since_best = checks_since_best;
  s.out_of_patience = out_of_patience;
}

}  // namespace coppice::tag
