#include "chain/corpus_objective.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chain/coarse_to_fine.h"
#include "chain/forbidden.h"
#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

// Tokens in a chunk: enough to share, few enough that float sums of pairs stay good to 1e-5.
constexpr std::size_t kChunkTokens = 4096;
// Label sequences that a window of partly labelled tokens may add; past that it adds none.
constexpr std::size_t kMaxCombinations = 4096;

// Calls visit(key) for each combination of allowed labels at the tokens [begin, end).
template <class Visit>
void each_combination(const Dataset& data, std::size_t begin, std::size_t end, const Visit& visit) {
  std::vector<LabelKey> keys{0}, longer;
  const auto length = static_cast<unsigned>(end - begin);
  for (std::size_t t = begin; t < end; ++t) {
    longer.clear();
    for (const LabelKey key : keys) {
      for (const std::uint16_t label : data.gold_of(t)) {
        longer.push_back(extended(key, label, length));
      }
    }
    if (longer.size() > kMaxCombinations) return;
    keys.swap(longer);
  }
  for (const LabelKey key : keys) visit(key);
}

// Adds what a lattice holds.
void add_counts(const LabelLattice& lattice, KeptCounts& counts) {
  std::vector<std::uint16_t> labels;
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    labels.assign(lattice.label.begin() + static_cast<std::ptrdiff_t>(lattice.first_edge(t)),
                  lattice.label.begin() + static_cast<std::ptrdiff_t>(lattice.first_edge(t + 1)));
    std::sort(labels.begin(), labels.end());
    counts.labels +=
        static_cast<std::uint64_t>(std::unique(labels.begin(), labels.end()) - labels.begin());
  }
  counts.tokens += lattice.length();
  counts.edges += lattice.num_edges();
}

}  // namespace

struct CorpusObjective::Scratch {
  Workspace workspace;
  std::vector<float> edges;        // of one sentence, where pairs are scored by its tokens
  LabelLattice lattice;            // of one sentence, where it is not frozen
  AlignedVector<float> coarse;     // scores of one sentence for the dense chain that prunes
  PairDerivatives parts;           // of the chunk or batch
  PairDerivatives sentence_parts;  // of one sentence, where it has to be weighted
};

CorpusObjective::CorpusObjective(Dataset data, Constraints constraints, ChainOptions options,
                                 const learn::TrainingObjective& objective, LossTables loss)
    : data_(std::move(data)),
      constraints_(std::move(constraints)),
      options_(options),
      objective_(objective),
      loss_(std::move(loss)),
      potential_(data_.design, data_.labels(), data_.num_labels, options.features,
                 data_.further.states),
      complete_(data_.num_sentences(), 1) {
  data_.design = {};  // the potential has its own copy, laid out better
  check_options();
  find_partial();
  check_gold();
  mask_.assign(potential_.mask().begin(), potential_.mask().end());
  multiplicity_.assign(potential_.multiplicity().begin(), potential_.multiplicity().end());
  first_pair_parameter_ = mask_.size();
  if (data_.pair_design.num_attributes > 0) add_pair_features();
  if (options_.order > 0) find_pairs();
  if (options_.order > 1) find_ngrams();
  cut_chunks();
  scores_.resize(data_.num_tokens() * potential_.stride());
}

void CorpusObjective::check_options() const {
  require(options_.order <= kMaxOrder, "a chain's order is 0 to ", kMaxOrder, ", not ",
          options_.order);
  require(options_.prune >= 0 && options_.prune < 1,
          "a pruning threshold is at least 0 and below 1, not ", options_.prune);
  require(!objective_.goal().of_corpus || data_.weight.empty(),
          "an objective of the whole corpus does not go with weights of sentences");
}

void CorpusObjective::add_pair_features() {
  require(options_.order == 1 && !options_.is_sparse(),
          "templates that are conjoined with pairs of labels take chains of order 1 that are not "
          "pruned");
  const LinearPotential& linear =
      pair_potential_.emplace(data_, constraints_, options_.features).linear();
  data_.pair_design = {};
  first_pair_parameter_ = row_stride(mask_.size());  // rows are aligned
  mask_.resize(first_pair_parameter_, 0);
  multiplicity_.resize(first_pair_parameter_, 1.0f);
  mask_.insert(mask_.end(), linear.mask().begin(), linear.mask().end());
  multiplicity_.insert(multiplicity_.end(), linear.multiplicity().begin(),
                       linear.multiplicity().end());
  pair_scores_.resize(data_.num_tokens() * linear.stride());
}

void CorpusObjective::find_partial() {
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    for (std::size_t t = data_.sentence_begin[i]; t < data_.sentence_begin[i + 1]; ++t) {
      if (data_.gold_of(t).size() != 1) complete_[i] = 0;
    }
  }
}

void CorpusObjective::check_gold() const {
  const auto gold = [&](std::size_t t) { return data_.gold_of(t)[0]; };
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
    if (complete_[i] == 0 || begin == end) continue;
    bool valid = constraints_.may_begin(gold(begin)) && constraints_.may_end(gold(end - 1));
    for (std::size_t t = begin + 1; t < end && valid; ++t) {
      valid = constraints_.allows(gold(t - 1), gold(t), data_.num_labels);
    }
    require(valid, "the labels of sentence ", i + 1, " break the constraints");
  }
}

// Which label pairs are features.
void CorpusObjective::find_pairs() {
  const std::size_t labels = data_.num_labels, stride = potential_.stride();
  num_pairs_ = labels * stride;
  std::vector<unsigned char> seen(num_pairs_, options_.features == FeatureSet::kAllPairs ? 1 : 0);
  for (const auto& [previous, next] : data_.further.pairs) seen[previous * stride + next] = 1;
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    for (std::size_t t = data_.sentence_begin[i] + 1; t < data_.sentence_begin[i + 1]; ++t) {
      for (const std::size_t previous : data_.gold_of(t - 1)) {
        for (const std::size_t next : data_.gold_of(t)) seen[previous * stride + next] = 1;
      }
    }
  }
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t y = 0; y < stride; ++y) {
      const bool feature =
          y < labels && seen[u * stride + y] != 0 && constraints_.allows(u, y, labels);
      mask_.push_back(feature ? 1 : 0);
      multiplicity_.push_back(1.0f);
    }
  }
}

// Longer label sequences of the annotation are features; what it breaks constraints with is not.
void CorpusObjective::find_ngrams() {
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t length = 3;
           length <= std::min<std::size_t>(options_.order + 1, t + 1 - begin); ++length) {
        each_combination(data_, t + 1 - length, t + 1, [&](LabelKey key) { ngrams_.add(key); });
      }
    }
  }
  for (const LabelKey key : data_.further.ngrams) ngrams_.add(key);
  mask_.resize(mask_.size() + ngrams_.size(), 1);
  multiplicity_.resize(mask_.size(), 1.0f);
}

void CorpusObjective::cut_chunks() {
  chunks_.push_back(0);
  std::size_t tokens = 0;
  for (std::uint32_t i = 0; i < data_.num_sentences(); ++i) {
    tokens += data_.sentence_begin[i + 1] - data_.sentence_begin[i];
    if (tokens >= kChunkTokens || i + 1 == data_.num_sentences()) {
      chunks_.push_back(i + 1);
      tokens = 0;
    }
  }
}

std::size_t CorpusObjective::num_features() const noexcept {
  const auto parts = std::span(mask_).subspan(first_part());
  return potential_.num_features() +
         (pair_potential_ ? pair_potential_->linear().num_features() : 0) +
         static_cast<std::size_t>(std::count(parts.begin(), parts.end(), 1));
}

Transitions CorpusObjective::transitions(std::span<const float> weights) const {
  const std::size_t labels = data_.num_labels;
  if (options_.order == 0) return Transitions(labels);
  const auto pairs = weights.subspan(first_part(), num_pairs_);
  std::vector<float> scores(pairs.begin(), pairs.end());
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t y = 0; y < labels; ++y) {
      if (!constraints_.allows(u, y, labels)) scores[u * potential_.stride() + y] = kForbidden;
    }
  }
  return Transitions(labels, scores);
}

Annotation CorpusObjective::annotation(std::size_t sentence) const noexcept {
  const std::size_t begin = data_.sentence_begin[sentence];
  const std::size_t length = data_.sentence_begin[sentence + 1] - begin;
  return {std::span(data_.gold_begin).subspan(begin, length + 1), data_.gold,
          complete_[sentence] != 0};
}

LabelModel CorpusObjective::model(const Transitions& transitions,
                                  std::span<const float> weights) const noexcept {
  return {.order = options_.order,
          .prune = options_.prune,
          .transitions = transitions,
          .ngrams = ngrams_,
          .parts = weights.subspan(first_part())};
}

float* CorpusObjective::scores_of(std::size_t sentence) noexcept {
  return scores_.data() + data_.sentence_begin[sentence] * potential_.stride();
}

float* CorpusObjective::pair_scores_of(std::size_t sentence) noexcept {
  return pair_scores_.data() + data_.sentence_begin[sentence] * pair_potential_->stride();
}

void CorpusObjective::score(std::span<const float> weights, std::size_t first, std::size_t last) {
  potential_.score(weights, first, last, scores_.data());
  if (!pair_potential_) return;
  pair_potential_->linear().score(of_pairs(weights), first, last, pair_scores_.data());
}

void CorpusObjective::gather(std::span<float> gradient, const Threads& threads) const {
  threads.for_chunks(potential_.num_blocks(), [&](std::size_t block, unsigned) {
    potential_.gradient(scores_.data(), block, gradient);
  });
  if (!pair_potential_) return;
  const LinearPotential& linear = pair_potential_->linear();
  threads.for_chunks(linear.num_blocks(), [&](std::size_t block, unsigned) {
    linear.gradient(pair_scores_.data(), block, of_pairs(gradient));
  });
}

void CorpusObjective::forbid_ends(std::size_t sentence) {
  chain::forbid_ends(constraints_, data_.num_labels,
                     {scores_of(sentence), scores_of(sentence + 1)});
}

const LabelLattice* CorpusObjective::lattice(std::size_t sentence, const LabelModel& model,
                                             Scratch& scratch) {
  if (!options_.is_sparse()) return nullptr;
  if (!lattices_.empty()) return &lattices_[sentence];
  const Annotation gold = annotation(sentence);
  scratch.lattice =
      coarse_to_fine(scores_of(sentence), gold.length(), model, &gold, scratch.workspace);
  return &scratch.lattice;
}

SentenceTarget CorpusObjective::target(std::size_t sentence) const noexcept {
  return {annotation(sentence), &loss_, data_.soft_targets(sentence)};
}

template <class Use>
double CorpusObjective::with_engine(std::size_t sentence, const LabelModel& model, Scratch& scratch,
                                    PairDerivatives& parts, const Use& use) {
  forbid_ends(sentence);
  float* rows = scores_of(sentence);
  const SentenceTarget judged = target(sentence);
  if (pair_potential_) {
    const EdgeShape shape = EdgeShape::of_order(1, data_.num_labels);
    scratch.edges.resize(judged.gold.length() * shape.block());
    fill_edges(shape, rows, model.transitions, scratch.edges);
    add_pair_scores(shape, pair_potential_->pairs(), pair_scores_of(sentence),
                    pair_potential_->stride(), scratch.edges);
    EdgeEngine engine(shape, scratch.edges, judged, scratch.workspace);
    return use(engine);
  }
  if (const LabelLattice* states = lattice(sentence, model, scratch)) {
    LatticeEngine engine(*states, {rows, potential_.stride(), model.parts}, model.transitions,
                         judged, &parts, scratch.workspace);
    return use(engine);
  }
  DenseEngine engine(rows, model.transitions, judged, parts, scratch.workspace);
  return use(engine);
}

template <class Infer>
double CorpusObjective::weigh(std::size_t sentence, const LabelModel& model, Scratch& scratch,
                              const Infer& infer) {
  const float weight = data_.weight_of(sentence);
  const auto infer_parts = [&](PairDerivatives& parts) {
    const double value = with_engine(sentence, model, scratch, parts,
                                     [&](SentenceEngine& engine) { return infer(engine, parts); });
    if (pair_potential_) take_back(sentence, scratch, parts);
    return value;
  };
  if (weight == 1.0f) return infer_parts(scratch.parts);
  scratch.sentence_parts.reset(model.transitions, ngrams_.size());
  const double value = infer_parts(scratch.sentence_parts);
  scratch.sentence_parts.finish(model.transitions);
  scratch.parts.add(scratch.sentence_parts, weight);
  for (float* score = scores_of(sentence); score != scores_of(sentence + 1); ++score) {
    *score *= weight;
  }
  if (pair_potential_) {
    const float* end = pair_scores_of(sentence + 1);
    for (float* score = pair_scores_of(sentence); score != end; ++score) *score *= weight;
  }
  return weight * value;
}

void CorpusObjective::take_back(std::size_t sentence, Scratch& scratch, PairDerivatives& parts) {
  const EdgeShape shape = EdgeShape::of_order(1, data_.num_labels);
  const std::size_t stride = potential_.stride(), length = scratch.edges.size() / shape.block();
  float* labels = scores_of(sentence);
  std::fill_n(labels, length * stride, 0.0f);
  for (std::size_t t = 0; t < length; ++t, labels += stride) {
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      const float* row = scratch.edges.data() + shape.place(t, state, 0);
      for (std::size_t y = 0; y < shape.labels; ++y) {
        labels[y] += row[y];
        if (t > 0 && row[y] != 0) parts.add(state, y, row[y]);
      }
    }
  }
  pair_potential_->take_derivatives(shape, scratch.edges, pair_scores_of(sentence));
}

double CorpusObjective::evaluate_sentence(Phase phase, std::size_t sentence,
                                          const LabelModel& model, Scratch& scratch) {
  return weigh(sentence, model, scratch, [&](SentenceEngine& engine, PairDerivatives& parts) {
    float* rows = scores_of(sentence);
    const std::size_t size =
        (data_.sentence_begin[sentence + 1] - data_.sentence_begin[sentence]) * potential_.stride();
    if (is_pruned()) scratch.coarse.assign(rows, rows + size);
    double value =
        phase == Phase::kPass ? objective_.warm_up(engine) : objective_.evaluate(engine, sentence);
    if (is_pruned()) {
      value += evaluate_coarse(sentence, model, parts, scratch);
      for (std::size_t k = 0; k < size; ++k) rows[k] += scratch.coarse[k];
    }
    if (std::isfinite(value)) return value;
    throw Error(concat("the objective is not finite at sentence ", sentence + 1),
                {.code = "E310", .help = "check real-valued features for very large numbers"});
  });
}

// The likelihood of the dense chain that prunes, with the scores in scratch.coarse, which become
// derivatives.
double CorpusObjective::evaluate_coarse(std::size_t sentence, const LabelModel& model,
                                        PairDerivatives& parts, Scratch& scratch) const {
  const Transitions none(data_.num_labels);
  const Transitions& transitions = options_.order > 1 ? model.transitions : none;
  return DenseEngine(scratch.coarse.data(), transitions, target(sentence), parts, scratch.workspace)
      .likelihood();
}

template <class Infer>
double CorpusObjective::sweep(std::span<const float> weights, const LabelModel& model,
                              const Threads& threads, std::vector<double>& parts,
                              const Infer& infer) {
  const std::size_t chunks = chunks_.size() - 1;
  std::vector<double> values(chunks, 0.0);
  std::vector<AlignedVector<float>> chunk_parts(chunks);
  std::vector<Scratch> scratch(threads.size());
  threads.for_chunks(chunks, [&](std::size_t c, unsigned worker) {
    const std::size_t first = chunks_[c], last = chunks_[c + 1];
    score(weights, data_.sentence_begin[first], data_.sentence_begin[last]);
    PairDerivatives& sums = scratch[worker].parts;
    sums.reset(model.transitions, ngrams_.size());
    for (std::size_t i = first; i < last; ++i) {
      if (data_.sentence_begin[i] != data_.sentence_begin[i + 1]) {
        values[c] += infer(i, scratch[worker]);
      }
    }
    const auto finished = sums.finish(model.transitions);
    chunk_parts[c].assign(finished.begin(), finished.end());
  });
  double value = 0;
  parts.assign(model.parts.size(), 0.0);
  for (std::size_t c = 0; c < chunks; ++c) {
    value += values[c];
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k] += chunk_parts[c][k];
  }
  return value;
}

void CorpusObjective::look_ahead(std::span<const float> weights, const LabelModel& model,
                                 const Threads& threads) {
  std::vector<double> parts;
  objective_.begin_look(data_.num_sentences());
  sweep(weights, model, threads, parts, [&](std::size_t sentence, Scratch& scratch) {
    return with_engine(sentence, model, scratch, scratch.parts, [&](SentenceEngine& engine) {
      objective_.look(engine, sentence);
      return 0.0;
    });
  });
  objective_.end_look();
}

double CorpusObjective::evaluate(std::span<const float> weights, std::span<float> gradient,
                                 const Threads& threads) {
  std::vector<double> parts;
  const Transitions table = transitions(weights);
  const LabelModel labels = model(table, weights);
  if (objective_.looks_ahead()) look_ahead(weights, labels, threads);
  const double value =
      sweep(weights, labels, threads, parts, [&](std::size_t sentence, Scratch& scratch) {
        return evaluate_sentence(Phase::kBatch, sentence, labels, scratch);
      });
  gather(gradient, threads);
  const std::size_t first = first_part();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    gradient[first + k] = mask_[first + k] != 0 ? static_cast<float>(parts[k]) : 0.0f;
  }
  return value;
}

void CorpusObjective::prune(std::span<const float> weights, const Threads& threads) {
  if (!options_.is_sparse()) return;
  lattices_.clear();
  std::vector<LabelLattice> lattices(data_.num_sentences());
  std::vector<double> ignored;
  const Transitions table = transitions(weights);
  const LabelModel labels = model(table, weights);
  sweep(weights, labels, threads, ignored, [&](std::size_t sentence, Scratch& scratch) {
    forbid_ends(sentence);
    lattice(sentence, labels, scratch);
    lattices[sentence] = std::move(scratch.lattice);
    return 0.0;
  });
  lattices_ = std::move(lattices);
  kept_ = {};
  for (const LabelLattice& one : lattices_) add_counts(one, kept_);
}

// One step on the label sequences for a batch.
void CorpusObjective::step_parts(const LabelModel& model, Scratch& scratch,
                                 std::span<float> weights) {
  PairAdaGrad& steps = part_steps_;
  scratch.parts.finish(model.transitions);
  float* w = weights.data() + first_part();
  const unsigned char* mask = mask_.data() + first_part();
  scratch.parts.for_each([&](std::size_t part, float derivative) {
    if (mask[part] == 0) return;
    if (steps.adaptive) steps.sums[part] += derivative * derivative;
    w[part] -= static_cast<float>(steps.step) * derivative / std::sqrt(steps.sums[part]);
  });
}

void CorpusObjective::begin_passes(const learn::StepOptions& options) {
  const RowAdaGradOptions rows{options.step, options.l1, options.l2, options.adaptive};
  row_steps_.emplace(potential_, rows);
  if (pair_potential_) pair_row_steps_.emplace(pair_potential_->linear(), rows);
  part_steps_ = {options.step, options.adaptive, {}};
  part_steps_.sums.resize(num_parameters() - first_part(), options.adaptive ? 1e-3f : 1.0f);
}

std::vector<std::span<float>> CorpusObjective::step_state() {
  return {row_steps_->sums(), pair_row_steps_ ? pair_row_steps_->sums() : std::span<float>(),
          part_steps_.sums};
}

double CorpusObjective::pass(std::span<const std::uint32_t> order, double step,
                             std::span<float> weights, const Threads& /*threads*/) {
  constexpr std::size_t batch_size = 8;  // sentences between steps on the label sequences
  const std::size_t stride = potential_.stride();
  row_steps_->set_step(step);
  if (pair_row_steps_) pair_row_steps_->set_step(step);
  part_steps_.step = step;
  Scratch scratch;
  double value = 0;
  for (std::size_t at = 0; at < order.size(); at += batch_size) {
    const Transitions table = transitions(weights);
    const LabelModel labels = model(table, weights);
    scratch.parts.reset(table, ngrams_.size());
    for (const std::uint32_t i : order.subspan(at, std::min(batch_size, order.size() - at))) {
      const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
      if (begin == end) continue;
      score(weights, begin, end);
      value += evaluate_sentence(Phase::kPass, i, labels, scratch);
      for (std::size_t t = begin; t < end; ++t) {
        row_steps_->update(t, scores_.data() + t * stride, weights);
        if (!pair_potential_) continue;
        const float* pairs = pair_scores_.data() + t * pair_potential_->stride();
        pair_row_steps_->update(t, pairs, of_pairs(weights));
      }
    }
    step_parts(labels, scratch, weights);
  }
  return value;
}

void CorpusObjective::curvature(std::span<const float> weights, std::span<float> diagonal,
                                const Threads& threads) {
  const std::size_t num_labels = data_.num_labels, stride = potential_.stride();
  std::vector<double> parts;
  const Transitions table = transitions(weights);
  const LabelModel labels = model(table, weights);
  sweep(weights, labels, threads, parts, [&](std::size_t sentence, Scratch& scratch) {
    return weigh(sentence, labels, scratch,
                 [](SentenceEngine& engine, PairDerivatives&) { return engine.posteriors(); });
  });
  std::vector<double> expected(num_labels, 1e-6), share(num_labels, 0.0);
  for (std::size_t t = 0; t < data_.num_tokens(); ++t) {
    float* row = scores_.data() + t * stride;
    for (std::size_t y = 0; y < num_labels; ++y) {
      const float p = std::clamp(row[y], 0.0f, 1.0f);
      row[y] = p * (1 - p);
      expected[y] += p;
      share[y] += row[y];
    }
  }
  for (std::size_t y = 0; y < num_labels; ++y) share[y] /= expected[y];
  for (float& p : pair_scores_) p *= 1 - p;
  gather(diagonal, threads);
  part_curvature(parts, share, diagonal);
}

// A label sequence is taken to be as uncertain as its last label is on average.
void CorpusObjective::part_curvature(std::span<const double> parts, std::span<const double> share,
                                     std::span<float> diagonal) const {
  const std::size_t first = first_part();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t last =
        k < num_pairs_ ? k % potential_.stride() : last_label(ngrams_.keys()[k - num_pairs_]);
    const double uncertain = last < share.size() ? share[last] : 0;
    diagonal[first + k] = static_cast<float>(std::abs(parts[k]) * uncertain);
  }
}

}  // namespace coppice::chain
