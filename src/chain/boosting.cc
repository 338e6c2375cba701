#include "coppice/chain/boosting.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "chain/boosted_scores.h"
#include "chain/forbidden.h"
#include "chain/stiffness.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/base/reduce.h"

namespace coppice::chain {

namespace {

constexpr std::size_t kSentencesPerChunk = 16;
// Of a Newton step: where a pair is nearly certain and wrong, the curvature says nothing.
constexpr double kLongestStep = 4;

void check(const BoostingOptions& options) {
  require(options.max_leaves >= 2, "trees need two leaves at the least");
  require(options.shrinkage > 0 && options.shrinkage <= 1, "shrinkage must lie in (0, 1]");
  require(options.row_fraction > 0 && options.row_fraction <= 1,
          "the fraction of rows must lie in (0, 1]");
  require(options.feature_fraction > 0 && options.feature_fraction <= 1,
          "the fraction of features must lie in (0, 1]");
  require(options.trim >= 0 && options.trim < 1, "the share to trim must lie in [0, 1)");
  require(options.ridge >= 0, "ridge must not be negative");
  require(options.trees_per_round >= 1, "a round needs a tree for each label");
  require(options.stage_rounds >= 1, "a stage needs a round");
  require(options.label_depth >= 1, "trees see one label before a token at the least");
}

// Gives every inner node the mean of what its examples get, by their curvature.
void set_means(trees::GrownTree& grown) {
  auto& nodes = grown.tree.nodes;
  std::vector<double> curvature(nodes.size(), 0.0);
  for (const trees::GrownLeaf& leaf : grown.leaves) curvature[leaf.node] = leaf.curvature;
  for (std::size_t at = nodes.size(); at-- > 0;) {  // children stand after their parents
    trees::Node& node = nodes[at];
    if (node.is_leaf()) continue;
    const double left = curvature[node.left], right = curvature[node.right()];
    const double share = left + right > 0 ? right / (left + right) : 0.5;
    curvature[at] = left + right;
    node.value = static_cast<float>((1 - share) * static_cast<double>(nodes[node.left].value) +
                                    share * static_cast<double>(nodes[node.right()].value));
  }
}

}  // namespace

void constrained_scores(const EdgeShape& shape, const Constraints& constraints, std::size_t length,
                        std::vector<float>& scores) {
  scores.assign(length * shape.block(), 0.0f);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      for (std::size_t v = 0; v < shape.labels; ++v) {
        const bool pair_allowed =
            !shape.has_pairs() || t == 0 || constraints.allows(state, v, shape.labels);
        const bool allowed = pair_allowed && (t > 0 || constraints.may_begin(v)) &&
                             (t + 1 < length || constraints.may_end(v));
        if (!allowed) scores[shape.place(t, state, v)] = kForbidden;
      }
    }
  }
}

struct ChainBooster::State {
  State(const trees::Schema& s, const TreeCorpus& corpus, const Dataset& g, const Constraints& c,
        unsigned order, const BoostingOptions& o, std::unique_ptr<EdgeObjective> f)
      : schema(s),
        data(g),
        constraints(c),
        options(o),
        objective(std::move(f)),
        shape(EdgeShape::of_order(std::min(order, 1u), g.num_labels)),
        histories(g.num_labels, std::min(order, o.label_depth)),
        train(corpus, shape, constraints) {
    descents.resize(num_tokens() * shape.labels * histories.size());
    if (!train.has_lattices()) find_impossible_states();
    const auto index = trees::index_rows(train.corpus().rows, schema.num_bins());
    for (std::size_t v = 0; v < shape.labels; ++v) {
      growers.emplace_back(schema, train.corpus().rows, histories.states(), index);
    }
  }

  std::size_t num_tokens() const { return train.corpus().rows.size(); }

  struct Worker {
    EdgeObjectiveWorkspace objective;
    std::vector<float> derivatives;
  };

  double evaluate(const EdgeObjective& what, std::size_t sentence, Worker& worker) {
    const std::size_t begin = data.sentence_begin[sentence];
    const std::size_t length = data.sentence_begin[sentence + 1] - begin;
    if (length == 0) return 0;
    worker.derivatives.resize(train.of(sentence).size());
    const double value = what.evaluate(example(sentence), worker.derivatives, worker.objective);
    if (!std::isfinite(value)) {
      throw Error(concat("the objective is not finite at sentence ", sentence + 1),
                  {.code = "E310"});
    }
    const float weight = data.weight_of(sentence);
    if (train.has_lattices()) {
      descend(worker.derivatives, sentence, weight);
    } else {
      for (std::size_t t = 0; t < length; ++t) descend(worker.derivatives, t, begin + t, weight);
    }
    return static_cast<double>(weight) * value;
  }

  // Where a token's targets for the tree of a label are, by state.
  std::size_t descent_place(std::size_t label, std::size_t token) const {
    return (label * num_tokens() + token) * histories.size();
  }

  // By edges of the sentence's lattice, of which several may be one case to the trees.
  void descend(std::span<const float> derivatives, std::size_t sentence, float weight) {
    const std::size_t begin = data.sentence_begin[sentence],
                      end = data.sentence_begin[sentence + 1];
    for (std::size_t v = 0; v < shape.labels; ++v) {
      const auto first = descents.begin() + static_cast<std::ptrdiff_t>(descent_place(v, begin));
      std::fill_n(first, (end - begin) * histories.size(), 0.0f);
    }
    for_edges(*train.lattice(sentence), histories,
              [&](std::size_t t, std::size_t edge, std::size_t history, std::size_t label) {
                descents[descent_place(label, begin + t) + history] -= weight * derivatives[edge];
              });
  }

  void descend(std::span<const float> derivatives, std::size_t t, std::size_t token, float weight) {
    for (std::size_t v = 0; v < shape.labels; ++v) {
      float* out = descents.data() + descent_place(v, token);
      for (std::size_t state = 0; state < shape.states; ++state) {
        out[state] = -weight * derivatives[shape.place(t, state, v)];
      }
    }
  }

  double differentiate(const Threads& threads) {
    const bool is_pseudo = rounds < options.pseudo_rounds;
    const EdgePseudoLikelihood pseudo;
    const EdgeObjective& what = is_pseudo ? static_cast<const EdgeObjective&>(pseudo) : *objective;
    std::vector<Worker> workers(threads.size());
    if (!is_pseudo && objective->looks_ahead()) {
      objective->begin_look(data.num_sentences());
      for_sentences(threads, [&](std::size_t sentence, unsigned worker) {
        if (data.sentence_begin[sentence] == data.sentence_begin[sentence + 1]) return;
        objective->look(example(sentence), workers[worker].objective);
      });
      objective->end_look();
    }
    std::vector<double> values(data.num_sentences());
    for_sentences(threads, [&](std::size_t sentence, unsigned worker) {
      values[sentence] = evaluate(what, sentence, workers[worker]);
    });
    const double value = pairwise_sum(std::move(values));
    stiffness.evaluated(value);
    return value;
  }

  // Calls visit(sentence, worker) for all, in parallel.
  template <class Visit>
  void for_sentences(const Threads& threads, const Visit& visit) const {
    const std::size_t sentences = data.num_sentences();
    const std::size_t chunks = (sentences + kSentencesPerChunk - 1) / kSentencesPerChunk;
    threads.for_chunks(chunks, [&](std::size_t chunk, unsigned worker) {
      const std::size_t end = std::min(sentences, (chunk + 1) * kSentencesPerChunk);
      for (std::size_t i = chunk * kSentencesPerChunk; i < end; ++i) visit(i, worker);
    });
  }

  EdgeExample example(std::size_t sentence) {
    return {shape, train.of(sentence), data.annotation(sentence), sentence,
            train.lattice(sentence)};
  }

  // What the tree of one label is fitted to, and whether a token has the case at all.
  struct LabelTargets {
    std::vector<std::int32_t> gradient, curvature;
    trees::Targets targets;
  };

  LabelTargets targets_of(std::size_t label, const Threads& threads) const {
    const std::size_t size = num_tokens() * histories.size();
    const auto descent = std::span(descents).subspan(descent_place(label, 0), size);
    LabelTargets made;
    made.gradient.resize(size);
    made.curvature.assign(size, 1);
    made.targets.gradient_unit = trees::quantise(threads, descent, made.gradient);
    if (options.newton) {
      std::vector<float> curvature(size);
      for (std::size_t i = 0; i < size; ++i) {
        curvature[i] = pair_curvature(descent[i]);
      }
      made.targets.curvature_unit =
          stiffness.factor() * trees::quantise(threads, curvature, made.curvature);
      for (std::int32_t& one : made.curvature) one = std::max(one, 1);
    }
    forget_impossible(label, made.curvature);
    made.targets.gradient = made.gradient;
    made.targets.curvature = made.curvature;
    return made;
  }

  // Cases that cannot be have no curvature, and so do not count.
  void forget_impossible(std::size_t label, std::vector<std::int32_t>& curvature) const {
    if (train.has_lattices()) return forget_unlisted(label, curvature);
    for (std::size_t i = 0; i < data.num_sentences(); ++i) {
      const std::size_t begin = data.sentence_begin[i], end = data.sentence_begin[i + 1];
      for (std::size_t token = begin; token < end; ++token) {
        const auto& impossible = impossible_states[place_in_sentence(token, begin, end)][label];
        for (const std::size_t state : impossible) curvature[token * shape.states + state] = 0;
      }
    }
  }

  // The same for cases that no edge of a lattice has.
  void forget_unlisted(std::size_t label, std::vector<std::int32_t>& curvature) const {
    std::vector<unsigned char> listed(curvature.size(), 0);
    for (std::size_t i = 0; i < data.num_sentences(); ++i) {
      const std::size_t begin = data.sentence_begin[i];
      for_edges(*train.lattice(i), histories,
                [&](std::size_t t, std::size_t, std::size_t history, std::size_t y) {
                  if (y == label) listed[(begin + t) * histories.size() + history] = 1;
                });
    }
    for (std::size_t k = 0; k < listed.size(); ++k) curvature[k] *= listed[k];
  }

  // Of the four kinds of places: whether a token is the first, and whether it is the last.
  static std::size_t place_in_sentence(std::size_t token, std::size_t begin, std::size_t end) {
    return (token == begin ? 1u : 0u) + (token + 1 == end ? 2u : 0u);
  }

  void find_impossible_states() {
    std::vector<float> scores;
    for (const std::size_t length : {std::size_t{1}, std::size_t{3}}) {
      constrained_scores(shape, constraints, length, scores);
      for (std::size_t t = 0; t < length; ++t) {
        auto& by_label = impossible_states[place_in_sentence(t, 0, length)];
        by_label.resize(shape.labels);
        for (std::size_t v = 0; v < shape.labels; ++v) {
          for (std::size_t state = 0; state < shape.states; ++state) {
            const bool exists = state >= shape.first_state(t) && state < shape.last_state(t);
            if (!exists || std::isinf(scores[shape.place(t, state, v)])) {
              by_label[v].push_back(state);
            }
          }
        }
      }
    }
  }

  // The tokens that tree number `tree` is grown on, a tree of that label.
  std::vector<std::uint32_t> draw_rows(std::size_t label, std::size_t tree) const {
    std::vector<std::uint32_t> rows(num_tokens());
    std::iota(rows.begin(), rows.end(), 0u);
    if (options.trim > 0) trim(label, rows);
    if (options.row_fraction < 1) {
      Random random(options.seed, tree + 1);
      std::erase_if(rows, [&](std::uint32_t) { return random.uniform() >= options.row_fraction; });
    }
    return rows;
  }

  void trim(std::size_t label, std::vector<std::uint32_t>& rows) const {
    std::vector<float> influence(rows.size(), 0.0f);
    double total = 0;
    for (const std::uint32_t row : rows) {
      for (std::size_t state = 0; state < histories.size(); ++state) {
        influence[row] += std::fabs(descents[descent_place(label, row) + state]);
      }
      total += static_cast<double>(influence[row]);
    }
    // Positive floats ascend with their bits: 2^7 classes of each power of two will do.
    const auto size_class = [](float one) { return std::bit_cast<std::uint32_t>(one) >> 16; };
    std::vector<double> by_class(std::size_t{1} << 15, 0.0);
    for (const float one : influence) by_class[size_class(one)] += static_cast<double>(one);
    std::size_t first_kept = 0;
    double dropped = by_class[0];
    while (dropped <= options.trim * total && first_kept + 1 < by_class.size()) {
      dropped += by_class[++first_kept];
    }
    std::erase_if(rows, [&](std::uint32_t row) { return size_class(influence[row]) < first_kept; });
  }

  // The trees of a label in this round.
  trees::Ensemble fit(std::size_t label, const Threads& threads) {
    const LabelTargets made = targets_of(label, threads);
    trees::Ensemble fitted;
    for (std::size_t i = 0; i < options.trees_per_round; ++i) {
      const std::size_t number = (rounds * shape.labels + label) * options.trees_per_round + i;
      fitted.append(fit(label, number, made, threads).view());
    }
    return fitted;
  }

  trees::Ensemble fit(std::size_t label, std::size_t number, const LabelTargets& made,
                      const Threads& threads) {
    trees::GrowOptions grow;
    grow.max_leaves = options.max_leaves;
    grow.feature_fraction = options.feature_fraction;
    grow.max_surrogates = options.max_surrogates;
    grow.seed = Random(options.seed, 2 * number).next();
    const double ridge = options.newton ? options.ridge : 0;
    trees::GrownTree grown =
        growers[label].grow(draw_rows(label, number), made.targets,
                            {trees::Criterion::Kind::kSquares, ridge}, grow, threads);
    const double share = options.shrinkage / static_cast<double>(options.trees_per_round);
    for (const trees::GrownLeaf& leaf : grown.leaves) {
      const double curvature = leaf.curvature + ridge;
      double value = curvature > 0 ? leaf.gradient / curvature : 0;
      if (options.newton) value = std::clamp(value, -kLongestStep, kLongestStep);
      grown.tree.nodes[leaf.node].value = static_cast<float>(share * value);
    }
    grown.tree.output[0] = static_cast<std::uint32_t>(label);
    set_means(grown);
    return std::move(grown.tree);
  }

  double round(const Threads& threads) {
    const double value = differentiate(threads);
    std::vector<trees::Ensemble> grown(shape.labels);
    threads.for_chunks(shape.labels, [&](std::size_t v, unsigned) { grown[v] = fit(v, threads); });
    trees::Ensemble all;
    for (const trees::Ensemble& tree : grown) all.append(tree.view());
    add_round(all.view(), threads);
    trees.append(all.view());
    return value;
  }

  void add_round(const trees::EnsembleView& round_trees, const Threads& threads) {
    const trees::Predictor predictor(schema, round_trees, histories.size(), shape.labels);
    const BoostingStep step = add_to_train(predictor, threads);
    for (BoostedScores& scores : followed) scores.add(predictor, histories, threads);
    ++rounds;
    const bool follows = rounds > options.pseudo_rounds;
    const bool stage_ends = follows && (rounds - options.pseudo_rounds) % options.stage_rounds == 0;
    const bool advances = stage_ends && objective->advance();
    stiffness.stepped(step, rounds != options.pseudo_rounds && !advances);
  }

  BoostingStep add_to_train(const trees::Predictor& predictor, const Threads& threads) {
    if (!options.newton) {
      train.add(predictor, histories, threads);
      return {};
    }
    std::vector<BoostingStep> steps(data.num_sentences());
    train.add(predictor, histories, threads,
              [&](std::size_t sentence, std::size_t token, std::span<const double> values) {
                for (std::size_t v = 0; v < shape.labels; ++v) {
                  const float* descent = descents.data() + descent_place(v, token);
                  for (std::size_t history = 0; history < histories.size(); ++history) {
                    steps[sentence].add(descent[history], values[history * shape.labels + v]);
                  }
                }
              });
    return pairwise_sum(std::move(steps));
  }

  void replay(const trees::EnsembleView& earlier, const Threads& threads) {
    const std::size_t in_round = shape.labels * options.trees_per_round;
    trees::check(schema, earlier, histories.size(), shape.labels);
    require(earlier.num_trees() % in_round == 0, "boosting: ", earlier.num_trees(),
            " trees are no whole rounds of ", in_round);
    for (std::size_t first = 0; first < earlier.num_trees(); first += in_round) {
      trees::EnsembleView round_trees = earlier;
      round_trees.begin = earlier.begin.subspan(first, in_round + 1);
      round_trees.output = earlier.output.subspan(first, in_round);
      if (options.newton) differentiate(threads);  // for the stiffness of the next round
      add_round(round_trees, threads);
    }
    trees.append(earlier);
  }

  const trees::Schema& schema;
  const Dataset& data;
  const Constraints& constraints;
  BoostingOptions options;
  std::unique_ptr<EdgeObjective> objective;
  EdgeShape shape;
  LabelHistories histories;  // what trees see of the labels before: the states of their examples
  BoostedScores train;
  std::vector<BoostedScores> followed;
  std::vector<float> descents;  // negative derivatives: [label][token][history]
  std::array<std::vector<std::vector<std::size_t>>, 4> impossible_states;  // [place][label]
  std::vector<trees::TreeGrower> growers;
  trees::Ensemble trees;
  std::size_t rounds = 0;
  Stiffness stiffness;  // used with `newton` only
};

ChainBooster::ChainBooster(const trees::Schema& schema, const TreeCorpus& corpus,
                           const Dataset& gold, const Constraints& constraints, unsigned order,
                           const BoostingOptions& options,
                           std::unique_ptr<EdgeObjective> objective) {
  check(options);
  require(gold.num_tokens() > 0, "there is no token to learn from");
  require(!objective->looks_ahead() || gold.weight.empty(),
          "an objective of the whole corpus does not go with weights of sentences");
  require(corpus.rows.size() == gold.num_tokens(), "boosting: ", corpus.rows.size(), " rows for ",
          gold.num_tokens(), " tokens");
  require(corpus.lattices.empty() ? order <= 1
                                  : corpus.lattices.size() == corpus.num_sentences() && order > 0,
          "boosting: ", corpus.lattices.size(), " lattices of a chain of order ", order, " for ",
          corpus.num_sentences(), " sentences");
  state_ = std::make_unique<State>(schema, corpus, gold, constraints, order, options,
                                   std::move(objective));
}
ChainBooster::~ChainBooster() = default;
ChainBooster::ChainBooster(ChainBooster&&) noexcept = default;
ChainBooster& ChainBooster::operator=(ChainBooster&&) noexcept = default;

std::size_t ChainBooster::follow(const TreeCorpus& corpus) {
  require(state_->rounds == 0, "boosting: a corpus that comes after the first round");
  state_->followed.emplace_back(corpus, state_->shape, state_->constraints);
  return state_->followed.size() - 1;
}

std::span<float> ChainBooster::start_scores(std::size_t sentence) {
  require(state_->rounds == 0, "boosting: other scores that come after the first round");
  return state_->train.of(sentence);
}
std::span<float> ChainBooster::start_scores(std::size_t followed, std::size_t sentence) {
  require(state_->rounds == 0, "boosting: other scores that come after the first round");
  return state_->followed[followed].of(sentence);
}

double ChainBooster::round(const Threads& threads) { return state_->round(threads); }
void ChainBooster::replay(const trees::EnsembleView& trees, const Threads& threads) {
  require(state_->rounds == 0,
          "boosting: trees of another booster that come after the first round");
  state_->replay(trees, threads);
}
std::size_t ChainBooster::num_rounds() const noexcept { return state_->rounds; }
const EdgeShape& ChainBooster::shape() const noexcept { return state_->shape; }
const LabelHistories& ChainBooster::histories() const noexcept { return state_->histories; }
const trees::Ensemble& ChainBooster::trees() const noexcept { return state_->trees; }

std::span<const float> ChainBooster::scores(std::size_t sentence) const noexcept {
  return state_->train.of(sentence);
}
std::span<const float> ChainBooster::scores(std::size_t followed,
                                            std::size_t sentence) const noexcept {
  return state_->followed[followed].of(sentence);
}

}  // namespace coppice::chain
