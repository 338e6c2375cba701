#include "coppice/chain/boosting.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chain/forbidden.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/base/reduce.h"

namespace coppice::chain {

namespace {

constexpr std::size_t kSentencesPerChunk = 16;

void check(const BoostingOptions& options) {
  require(options.max_leaves >= 2, "trees need two leaves at the least");
  require(options.shrinkage > 0 && options.shrinkage <= 1, "shrinkage must lie in (0, 1]");
  require(options.row_fraction > 0 && options.row_fraction <= 1,
          "the fraction of rows must lie in (0, 1]");
  require(options.feature_fraction > 0 && options.feature_fraction <= 1,
          "the fraction of features must lie in (0, 1]");
  require(options.trim >= 0 && options.trim < 1, "the share to trim must lie in [0, 1)");
  require(options.ridge >= 0, "ridge must not be negative");
}

// A corpus with its scores.
struct Scored {
  TreeCorpus corpus;
  std::vector<float> scores;

  std::span<float> of(const EdgeShape& shape, std::size_t sentence) {
    const std::size_t begin = corpus.sentence_begin[sentence];
    const std::size_t end = corpus.sentence_begin[sentence + 1];
    return std::span(scores).subspan(begin * shape.block(), (end - begin) * shape.block());
  }
};

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

bool asks_for_state(const trees::Ensemble& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(),
                     [](const trees::Node& node) { return node.feature == trees::kStateFeature; });
}

}  // namespace

trees::States tree_states(const EdgeShape& shape) {
  trees::States states{.count = shape.states};
  if (!shape.has_pairs()) return states;
  states.factors.emplace_back(shape.states);
  std::iota(states.factors[0].begin(), states.factors[0].end(), std::uint16_t{0});
  return states;
}

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
        unsigned order, const BoostingOptions& o, std::unique_ptr<const EdgeObjective> f)
      : schema(s),
        data(g),
        constraints(c),
        options(o),
        objective(std::move(f)),
        shape(EdgeShape::of_order(order, g.num_labels)),
        train{corpus, {}} {
    start(train);
    derivatives.resize(train.scores.size());
    for (std::size_t v = 0; v < shape.labels; ++v) {
      growers.emplace_back(schema, train.corpus.rows, tree_states(shape));
    }
  }

  std::size_t num_tokens() const { return train.corpus.rows.size(); }

  void start(Scored& scored) const {
    std::vector<float> scores;
    for (std::size_t i = 0; i < scored.corpus.num_sentences(); ++i) {
      const std::size_t length =
          scored.corpus.sentence_begin[i + 1] - scored.corpus.sentence_begin[i];
      constrained_scores(shape, constraints, length, scores);
      scored.scores.insert(scored.scores.end(), scores.begin(), scores.end());
    }
  }

  Annotation annotation(std::size_t sentence) const {
    const std::size_t begin = data.sentence_begin[sentence];
    const std::size_t end = data.sentence_begin[sentence + 1];
    Annotation gold{std::span(data.gold_begin).subspan(begin, end - begin + 1), data.gold, true};
    for (std::size_t t = 0; t < end - begin; ++t) {
      gold.complete = gold.complete && gold.at(t).size() == 1;
    }
    return gold;
  }

  double evaluate(const EdgeObjective& what, std::size_t sentence,
                  EdgeObjectiveWorkspace& workspace) {
    const std::size_t begin = data.sentence_begin[sentence];
    const std::size_t length = data.sentence_begin[sentence + 1] - begin;
    if (length == 0) return 0;
    const auto out = std::span(derivatives).subspan(begin * shape.block(), length * shape.block());
    const double value =
        what.evaluate({shape, train.of(shape, sentence), annotation(sentence)}, out, workspace);
    if (!std::isfinite(value)) {
      throw Error(concat("the objective is not finite at sentence ", sentence + 1),
                  {.code = "E310"});
    }
    const float weight = data.weight_of(sentence);
    if (weight != 1.0f) {
      for (float& one : out) one *= weight;
    }
    return static_cast<double>(weight) * value;
  }

  double differentiate(const Threads& threads) {
    const EdgePseudoLikelihood pseudo;
    const EdgeObjective& what =
        rounds < options.pseudo_rounds ? static_cast<const EdgeObjective&>(pseudo) : *objective;
    const std::size_t sentences = data.num_sentences();
    const std::size_t chunks = (sentences + kSentencesPerChunk - 1) / kSentencesPerChunk;
    std::vector<double> values(chunks, 0.0);
    std::vector<EdgeObjectiveWorkspace> workspaces(threads.size());
    threads.for_chunks(chunks, [&](std::size_t chunk, unsigned worker) {
      const std::size_t end = std::min(sentences, (chunk + 1) * kSentencesPerChunk);
      for (std::size_t i = chunk * kSentencesPerChunk; i < end; ++i) {
        values[chunk] += evaluate(what, i, workspaces[worker]);
      }
    });
    return pairwise_sum(std::move(values));
  }

  // What the tree of one label is fitted to, and whether a token has the case at all.
  struct LabelTargets {
    std::vector<std::int32_t> gradient, curvature;
    trees::Targets targets;
  };

  LabelTargets targets_of(std::size_t label, const Threads& threads) const {
    const std::size_t size = num_tokens() * shape.states;
    std::vector<float> negative(size), curvature(options.newton ? size : 0);
    LabelTargets made;
    made.gradient.resize(size);
    made.curvature.assign(size, 1);
    for (std::size_t i = 0; i < size; ++i) {
      const float derivative = derivatives[i * shape.labels + label];
      const float size_of = std::min(1.0f, std::fabs(derivative));
      negative[i] = -derivative;
      if (options.newton) curvature[i] = size_of * (1 - size_of);
    }
    made.targets.gradient_unit = trees::quantise(threads, negative, made.gradient);
    if (options.newton) {
      made.targets.curvature_unit = trees::quantise(threads, curvature, made.curvature);
      for (std::int32_t& one : made.curvature) one = std::max(one, 1);
    }
    forget_impossible(label, made.curvature);
    made.targets.gradient = made.gradient;
    made.targets.curvature = made.curvature;
    return made;
  }

  // Cases that cannot be have no curvature, and so do not count.
  void forget_impossible(std::size_t label, std::vector<std::int32_t>& curvature) const {
    for (std::size_t i = 0; i < data.num_sentences(); ++i) {
      const std::size_t begin = data.sentence_begin[i];
      for (std::size_t token = begin; token < data.sentence_begin[i + 1]; ++token) {
        const std::size_t t = token - begin;
        for (std::size_t state = 0; state < shape.states; ++state) {
          const bool exists = state >= shape.first_state(t) && state < shape.last_state(t);
          const std::size_t place = shape.place(token, state, label);
          if (!exists || std::isinf(train.scores[place]))
            curvature[token * shape.states + state] = 0;
        }
      }
    }
  }

  // The tokens that a tree is grown on.
  std::vector<std::uint32_t> draw_rows(std::size_t label) const {
    std::vector<std::uint32_t> rows(num_tokens());
    std::iota(rows.begin(), rows.end(), 0u);
    if (options.trim > 0) trim(label, rows);
    if (options.row_fraction < 1) {
      Random random(options.seed, rounds * shape.labels + label + 1);
      std::erase_if(rows, [&](std::uint32_t) { return random.uniform() >= options.row_fraction; });
    }
    return rows;
  }

  void trim(std::size_t label, std::vector<std::uint32_t>& rows) const {
    std::vector<float> influence(rows.size(), 0.0f);
    double total = 0;
    for (const std::uint32_t row : rows) {
      for (std::size_t state = 0; state < shape.states; ++state) {
        influence[row] += std::fabs(derivatives[shape.place(row, state, label)]);
      }
      total += static_cast<double>(influence[row]);
    }
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return influence[a] != influence[b] ? influence[a] < influence[b] : a < b;
    });
    double dropped = 0;
    std::size_t first = 0;
    while (first < rows.size() &&
           (dropped += static_cast<double>(influence[rows[first]])) <= options.trim * total) {
      ++first;
    }
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(first));
    std::sort(rows.begin(), rows.end());
  }

  trees::Ensemble fit(std::size_t label, const Threads& threads) {
    const LabelTargets made = targets_of(label, threads);
    trees::GrowOptions grow;
    grow.max_leaves = options.max_leaves;
    grow.feature_fraction = options.feature_fraction;
    grow.max_surrogates = options.max_surrogates;
    grow.seed = Random(options.seed, 2 * (rounds * shape.labels + label)).next();
    const double ridge = options.newton ? options.ridge : 0;
    trees::GrownTree grown = growers[label].grow(
        draw_rows(label), made.targets, {trees::Criterion::Kind::kSquares, ridge}, grow, threads);
    for (const trees::GrownLeaf& leaf : grown.leaves) {
      const double curvature = leaf.curvature + ridge;
      const double value = curvature > 0 ? options.shrinkage * leaf.gradient / curvature : 0;
      grown.tree.nodes[leaf.node].value = static_cast<float>(value);
    }
    grown.tree.output[0] = static_cast<std::uint32_t>(label);
    set_means(grown);
    return std::move(grown.tree);
  }

  // Adds a tree's values to the scores of its label.
  void add(const trees::Ensemble& tree, Scored& scored, const Threads& threads) const {
    const trees::EnsembleView view = tree.view();
    const std::size_t label = tree.output[0];
    const bool by_state = asks_for_state(tree);
    for_elements(threads, scored.corpus.rows.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t token = begin; token < end; ++token) {
        float value = 0;
        for (std::size_t state = 0; state < shape.states; ++state) {
          if (by_state || state == 0) {
            value =
                view.nodes[leaf_of(schema, view, 0, scored.corpus.rows.row(token), state)].value;
          }
          scored.scores[shape.place(token, state, label)] += value;
        }
      }
    });
  }

  double round(const Threads& threads) {
    const double value = differentiate(threads);
    std::vector<trees::Ensemble> grown(shape.labels);
    threads.for_chunks(shape.labels, [&](std::size_t v, unsigned) { grown[v] = fit(v, threads); });
    for (const trees::Ensemble& tree : grown) {
      trees.append(tree.view());
      add(tree, train, threads);
      for (Scored& scored : followed) add(tree, scored, threads);
    }
    ++rounds;
    return value;
  }

  const trees::Schema& schema;
  const Dataset& data;
  const Constraints& constraints;
  BoostingOptions options;
  std::unique_ptr<const EdgeObjective> objective;
  EdgeShape shape;
  Scored train;
  std::vector<Scored> followed;
  std::vector<float> derivatives;
  std::vector<trees::TreeGrower> growers;
  trees::Ensemble trees;
  std::size_t rounds = 0;
};

ChainBooster::ChainBooster(const trees::Schema& schema, const TreeCorpus& corpus,
                           const Dataset& gold, const Constraints& constraints, unsigned order,
                           const BoostingOptions& options,
                           std::unique_ptr<const EdgeObjective> objective) {
  check(options);
  require(gold.num_tokens() > 0, "there is no token to learn from");
  require(corpus.rows.size() == gold.num_tokens(), "boosting: ", corpus.rows.size(), " rows for ",
          gold.num_tokens(), " tokens");
  state_ = std::make_unique<State>(schema, corpus, gold, constraints, order, options,
                                   std::move(objective));
}
ChainBooster::~ChainBooster() = default;
ChainBooster::ChainBooster(ChainBooster&&) noexcept = default;
ChainBooster& ChainBooster::operator=(ChainBooster&&) noexcept = default;

std::size_t ChainBooster::follow(const TreeCorpus& corpus) {
  require(state_->rounds == 0, "boosting: a corpus that comes after the first round");
  state_->followed.push_back({corpus, {}});
  state_->start(state_->followed.back());
  return state_->followed.size() - 1;
}

std::span<float> ChainBooster::start_scores(std::size_t sentence) {
  require(state_->rounds == 0, "boosting: other scores that come after the first round");
  return state_->train.of(state_->shape, sentence);
}
std::span<float> ChainBooster::start_scores(std::size_t followed, std::size_t sentence) {
  require(state_->rounds == 0, "boosting: other scores that come after the first round");
  return state_->followed[followed].of(state_->shape, sentence);
}

double ChainBooster::round(const Threads& threads) { return state_->round(threads); }
std::size_t ChainBooster::num_rounds() const noexcept { return state_->rounds; }
const EdgeShape& ChainBooster::shape() const noexcept { return state_->shape; }
const trees::Ensemble& ChainBooster::trees() const noexcept { return state_->trees; }

std::span<const float> ChainBooster::scores(std::size_t sentence) const noexcept {
  return state_->train.of(state_->shape, sentence);
}
std::span<const float> ChainBooster::scores(std::size_t followed,
                                            std::size_t sentence) const noexcept {
  return state_->followed[followed].of(state_->shape, sentence);
}

}  // namespace coppice::chain
