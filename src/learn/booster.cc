#include "coppice/learn/booster.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "learn/stiffness.h"

namespace coppice::learn {

namespace {

// Of a Newton step: where a cell is nearly certain and wrong, the curvature says nothing.
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
  require(options.trees_per_round >= 1, "a round needs a tree for each output");
  require(options.stage_rounds >= 1, "a stage needs a round");
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

struct Booster::State {
  State(Boostable& boosted, const BoostingOptions& settings)
      : corpus(boosted),
        options(settings),
        states(boosted.states()),
        outputs(boosted.num_outputs()),
        descents(boosted.rows().size() * outputs * states.count) {
    const auto index = trees::index_rows(corpus.rows(), corpus.schema().num_bins());
    for (std::size_t v = 0; v < outputs; ++v) {
      growers.emplace_back(corpus.schema(), corpus.rows(), states, index);
    }
  }

  std::size_t num_rows() const { return corpus.rows().size(); }
  // Where a row's targets for the trees of an output are, by state.
  std::size_t descent_place(std::size_t output, std::size_t row) const {
    return (output * num_rows() + row) * states.count;
  }

  double differentiate(const Threads& threads) {
    const bool is_pseudo = corpus.has_pseudo_likelihood() && rounds < options.pseudo_rounds;
    const double value = corpus.differentiate(
        is_pseudo ? RoundGoal::kPseudoLikelihood : RoundGoal::kObjective, descents, threads);
    stiffness.evaluated(value);
    return value;
  }

  // What the tree of one output is fitted to.
  struct OutputTargets {
    std::vector<std::int32_t> gradient, curvature;
    trees::Targets targets;
  };

  OutputTargets targets_of(std::size_t output, const Threads& threads) const {
    const std::size_t size = num_rows() * states.count;
    const auto descent = std::span(descents).subspan(descent_place(output, 0), size);
    OutputTargets made;
    made.gradient.resize(size);
    made.curvature.assign(size, 1);
    made.targets.gradient_unit = trees::quantise(threads, descent, made.gradient);
    if (options.newton) {
      std::vector<float> curvature(size);
      for (std::size_t i = 0; i < size; ++i) {
        curvature[i] = cell_curvature(descent[i]);
      }
      made.targets.curvature_unit =
          stiffness.factor() * trees::quantise(threads, curvature, made.curvature);
      for (std::int32_t& one : made.curvature) one = std::max(one, 1);
    }
    corpus.forget_impossible(output, made.curvature);
    made.targets.gradient = made.gradient;
    made.targets.curvature = made.curvature;
    return made;
  }

  // The rows that tree number `tree` is grown on, a tree of that output.
  std::vector<std::uint32_t> draw_rows(std::size_t output, std::size_t tree) const {
    std::vector<std::uint32_t> rows(num_rows());
    std::iota(rows.begin(), rows.end(), 0u);
    if (options.trim > 0) trim(output, rows);
    if (options.row_fraction < 1) {
      Random random(options.seed, tree + 1);
      std::erase_if(rows, [&](std::uint32_t) { return random.uniform() >= options.row_fraction; });
    }
    return rows;
  }

  void trim(std::size_t output, std::vector<std::uint32_t>& rows) const {
    std::vector<float> influence(rows.size(), 0.0f);
    double total = 0;
    for (const std::uint32_t row : rows) {
      for (std::size_t state = 0; state < states.count; ++state) {
        influence[row] += std::fabs(descents[descent_place(output, row) + state]);
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

  // The trees of an output in this round.
  trees::Ensemble fit(std::size_t output, const Threads& threads) {
    const OutputTargets made = targets_of(output, threads);
    trees::Ensemble fitted;
    for (std::size_t i = 0; i < options.trees_per_round; ++i) {
      const std::size_t number = (rounds * outputs + output) * options.trees_per_round + i;
      fitted.append(fit(output, number, made, threads).view());
    }
    return fitted;
  }

  trees::Ensemble fit(std::size_t output, std::size_t number, const OutputTargets& made,
                      const Threads& threads) {
    trees::GrowOptions grow;
    grow.max_leaves = options.max_leaves;
    grow.feature_fraction = options.feature_fraction;
    grow.max_surrogates = static_cast<unsigned>(options.max_surrogates);
    grow.seed = Random(options.seed, 2 * number).next();
    const double ridge = options.newton ? options.ridge : 0;
    trees::GrownTree grown =
        growers[output].grow(draw_rows(output, number), made.targets,
                             {trees::Criterion::Kind::kSquares, ridge}, grow, threads);
    const double share = options.shrinkage / static_cast<double>(options.trees_per_round);
    for (const trees::GrownLeaf& leaf : grown.leaves) {
      const double curvature = leaf.curvature + ridge;
      double value = curvature > 0 ? leaf.gradient / curvature : 0;
      if (options.newton) value = std::clamp(value, -kLongestStep, kLongestStep);
      grown.tree.nodes[leaf.node].value = static_cast<float>(share * value);
    }
    grown.tree.output[0] = static_cast<std::uint32_t>(output);
    set_means(grown);
    return std::move(grown.tree);
  }

  double round(const Threads& threads) {
    const double value = differentiate(threads);
    std::vector<trees::Ensemble> grown(outputs);
    threads.for_chunks(outputs, [&](std::size_t v, unsigned) { grown[v] = fit(v, threads); });
    trees::Ensemble all;
    for (const trees::Ensemble& tree : grown) all.append(tree.view());
    add_round(all.view(), threads);
    trees.append(all.view());
    return value;
  }

  void add_round(const trees::EnsembleView& round_trees, const Threads& threads) {
    const trees::Predictor predictor(corpus.schema(), round_trees, states.count, outputs);
    const BoostingStep step = add_trees(predictor, threads);
    ++rounds;
    const bool has_pseudo = corpus.has_pseudo_likelihood();
    const std::size_t pseudo = has_pseudo ? options.pseudo_rounds : 0;
    const bool stage_ends = rounds > pseudo && (rounds - pseudo) % options.stage_rounds == 0;
    const bool advances = stage_ends && corpus.objective().advance();
    stiffness.stepped(step, rounds != pseudo && !advances);
  }

  // What the step was, for Newton leaves.
  BoostingStep add_trees(const trees::Predictor& predictor, const Threads& threads) {
    if (!options.newton) {
      corpus.add(predictor, threads, {});
      return {};
    }
    std::vector<BoostingStep> steps(corpus.num_examples());
    corpus.add(predictor, threads,
               [&](std::size_t example, std::size_t row, std::span<const double> values) {
                 for (std::size_t v = 0; v < outputs; ++v) {
                   const float* descent = descents.data() + descent_place(v, row);
                   for (std::size_t state = 0; state < states.count; ++state) {
                     steps[example].add(descent[state], values[state * outputs + v]);
                   }
                 }
               });
    return pairwise_sum(std::move(steps));
  }

  void replay(const trees::EnsembleView& earlier, const Threads& threads) {
    const std::size_t in_round = outputs * options.trees_per_round;
    trees::check(corpus.schema(), earlier, states.count, outputs);
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

  Boostable& corpus;
  BoostingOptions options;
  trees::States states;
  std::size_t outputs;
  std::vector<float> descents;  // negative derivatives: [output][row][state]
  std::vector<trees::TreeGrower> growers;
  trees::Ensemble trees;
  std::size_t rounds = 0;
  Stiffness stiffness;  // used with `newton` only
};

Booster::Booster(Boostable& corpus, const BoostingOptions& options) {
  check(options);
  require(corpus.rows().size() > 0, "there is nothing to learn from");
  state_ = std::make_unique<State>(corpus, options);
}
Booster::~Booster() = default;
Booster::Booster(Booster&&) noexcept = default;
Booster& Booster::operator=(Booster&&) noexcept = default;

double Booster::round(const Threads& threads) { return state_->round(threads); }

void Booster::replay(const trees::EnsembleView& trees, const Threads& threads) {
  require(state_->rounds == 0,
          "boosting: trees of another booster that come after the first round");
  state_->replay(trees, threads);
}

std::size_t Booster::num_rounds() const noexcept { return state_->rounds; }
const trees::Ensemble& Booster::trees() const noexcept { return state_->trees; }

trees::EnsembleView Booster::trees(std::size_t rounds) const noexcept {
  trees::EnsembleView view = state_->trees.view();
  const std::size_t in_round = state_->outputs * state_->options.trees_per_round;
  const std::size_t count = std::min(rounds * in_round, view.num_trees());
  view.begin = view.begin.first(count + 1);
  view.output = view.output.first(count);
  view.nodes = view.nodes.first(view.begin.back());
  return view;
}

void Booster::save(CheckpointWriter& out) const {
  const trees::Ensemble& grown = state_->trees;
  out.vector(grown.begin);
  out.vector(grown.output);
  out.vector(grown.nodes);
  out.vector(grown.sets);
  out.vector(grown.surrogates);
}

void Booster::load(CheckpointReader& in, const Threads& threads) {
  trees::Ensemble grown;
  grown.begin = in.vector<std::uint32_t>();
  grown.output = in.vector<std::uint32_t>();
  grown.nodes = in.vector<trees::Node>();
  grown.sets = in.vector<std::uint64_t>();
  grown.surrogates = in.vector<trees::Surrogate>();
  try {
    replay(grown.view(), threads);
  } catch (const InvalidArgument&) {
    in.check(false);
  }
}

}  // namespace coppice::learn
