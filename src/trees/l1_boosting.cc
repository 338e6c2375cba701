#include "coppice/trees/l1_boosting.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/trees/predictor.h"
#include "trees/conjunction.h"
#include "trees/feature_search.h"
#include "trees/leaf_fit.h"

namespace coppice::trees {

namespace {

constexpr double kLargestTarget = 1 << 30;
// Weights are fitted to within this share of what a round has to take off the objective.
constexpr double kFitShare = 0.3;

struct Loss {
  double sum = 0, importance = 0;
  Loss& operator+=(const Loss& other) noexcept {
    sum += other.sum;
    importance += other.importance;
    return *this;
  }
  double mean() const noexcept { return importance > 0 ? sum / importance : 0; }
};

// Questions on the way to each node.
std::vector<std::size_t> depths_of(const Ensemble& tree) {
  std::vector<std::size_t> depths(tree.nodes.size());
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {  // parents come first
    const Node& node = tree.nodes[at];
    if (!node.is_leaf()) depths[node.left] = depths[node.right()] = depths[at] + 1;
  }
  return depths;
}

double log_loss(double margin) {
  return std::log1p(std::exp(-std::fabs(margin))) + (margin < 0 ? -margin : 0);
}

void check(const L1Options& options, const Schema& schema) {
  require(options.lambda_factor > 0 && options.lambda_factor < 1,
          "lambda-factor must lie between 0 and 1");
  require(options.min_lambda > 0, "min-lambda must be positive");
  require(options.sample > 0 && options.sample <= 1, "sample must lie in (0, 1]");
  require(options.tolerance >= 0, "tolerance must not be negative");
  require(options.question_cost >= 0, "question-cost must not be negative");
  require(options.within >= 0, "within must not be negative");
  require(options.fit == Fit::kTree || options.sample == 1,
          "a sample needs --fit tree: weights that are fitted together need all examples");
  for (std::uint32_t column = 0; column < schema.num_columns(); ++column) {
    require(options.fit == Fit::kTree || schema.kind(column) != FeatureKind::kCategorical,
            "weights are fitted together for binary and ordered features only");
  }
}

}  // namespace

struct L1Booster::State {
  State(const Schema& s, const ExampleView& train_view, const ExampleView& development_view,
        std::uint16_t positive_class, const L1Options& o, std::shared_ptr<const RowIndex> rows)
      : schema(s),
        train(train_view),
        development(development_view),
        positive(positive_class),
        options(o),
        index(std::move(rows)),
        grower(schema, train.rows, {}, index),
        scores(train.size()),
        development_scores(development.size()),
        targets(train.size()) {
    if (options.fit == Fit::kAll) {
      search.emplace(schema, train.rows, index);
      held.emplace(margins(), scores);
    }
    float most = train.importance.empty() ? 1.0f : 0.0f;
    for (const float importance : train.importance) most = std::max(most, importance);
    unit = static_cast<double>(most) / kLargestTarget;
  }

  BinaryMargins margins() const { return {scores, train.classes, positive, train.importance}; }

  // The targets y w of all examples, and the loss. Weights never exceed the importance, which gives
  // targets their unit.
  void weigh(const Threads& threads) {
    const BinaryMargins m = margins();
    loss = sum_elements<Loss>(threads, train.size(), [&](std::size_t begin, std::size_t end) {
      Loss part;
      for (std::size_t i = begin; i < end; ++i) {
        const double sign = m.sign(i), weight = m.weight(i);
        const double margin = sign * static_cast<double>(scores[i]);
        const double small = std::exp(-std::fabs(margin));  // never overflows
        const double wrong = margin > 0 ? small / (1 + small) : 1 / (1 + small);
        targets[i] = static_cast<std::int32_t>(sign * (weight * wrong / unit + 0.5));
        part += {weight * (std::log(1 + small) + (margin < 0 ? -margin : 0)), weight};
      }
      return part;
    });
    if (!std::isfinite(loss.sum)) {
      throw Error("the loss of the training data is not finite", {.code = "E310"});
    }
    weighed = true;
  }

  double objective() const noexcept { return loss.sum + lambda * weight_sum; }
  Criterion criterion() const noexcept {
    return {Criterion::Kind::kL1, lambda, options.question_cost};
  }

  std::vector<std::uint32_t> draw_rows() const {
    std::vector<std::uint32_t> rows;
    if (options.sample >= 1) {
      rows.resize(train.size());
      std::iota(rows.begin(), rows.end(), 0u);
      return rows;
    }
    Random random(options.seed, trees.num_trees() + 1);
    for (std::size_t i = 0; i < train.size(); ++i) {
      if (random.uniform() < options.sample) rows.push_back(static_cast<std::uint32_t>(i));
    }
    return rows;
  }

  // Puts every row into its leaf, where splits came from a sample.
  void route_all(GrownTree& grown, const Threads& threads) const {
    std::vector<std::uint32_t> leaf(train.size());
    const EnsembleView view = grown.tree.view();
    for_elements(threads, train.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        leaf[i] = leaf_of(schema, view, 0, train.rows.row(i));
      }
    });
    std::vector<std::size_t> at(grown.tree.nodes.size() + 1);
    for (const std::uint32_t node : leaf) ++at[node + 1];
    std::partial_sum(at.begin(), at.end(), at.begin());
    for (GrownLeaf& one : grown.leaves) {
      one.begin = at[one.node];
      one.end = at[one.node + 1];
    }
    grown.rows.resize(train.size());
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      grown.rows[at[leaf[i]]++] = static_cast<std::uint32_t>(i);
    }
  }

  // Sets the leaves' values; returns whether any is not 0.
  bool fit(GrownTree& grown, const Threads& threads) {
    const BinaryMargins m = margins();
    const std::vector<Conjunction> names = conjunctions(schema, grown.tree);
    const std::vector<std::size_t> depths = depths_of(grown.tree);
    const auto cost = [&](const GrownLeaf& leaf) {
      return criterion().at(depths[leaf.node]).penalty / lambda;
    };
    std::vector<double> steps(grown.leaves.size());
    threads.for_chunks(grown.leaves.size(), [&](std::size_t i, unsigned) {
      const GrownLeaf& leaf = grown.leaves[i];
      const auto known = weights.find(names[leaf.node]);
      const double theta = known == weights.end() ? 0 : known->second;
      const auto rows = std::span(grown.rows).subspan(leaf.begin, leaf.end - leaf.begin);
      steps[i] = fit_leaf(m, rows, theta, lambda * cost(leaf), threads);
    });
    bool moved = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto value = static_cast<float>(steps[i]);
      if (value == 0) continue;
      moved = true;
      grown.tree.nodes[grown.leaves[i].node].value = value;
      double& theta = weights[names[grown.leaves[i].node]];
      weight_sum -= cost(grown.leaves[i]) * std::fabs(theta);
      num_features -= theta != 0;
      theta += static_cast<double>(value);
      weight_sum += cost(grown.leaves[i]) * std::fabs(theta);
      num_features += theta != 0;
    }
    return moved;
  }

  void add(const GrownTree& grown, const Threads& threads) {
    for (const GrownLeaf& leaf : grown.leaves) {
      const float value = grown.tree.nodes[leaf.node].value;
      if (value == 0) continue;
      for (std::size_t i = leaf.begin; i < leaf.end; ++i) scores[grown.rows[i]] += value;
    }
    const EnsembleView view = grown.tree.view();
    for_elements(threads, development.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t leaf = leaf_of(schema, view, 0, development.rows.row(i));
        development_scores[i] += view.nodes[leaf].value;
      }
    });
    trees.append(view);
  }

  // One round of Fit::kAll: new features, then all weights; returns whether it was worth it.
  bool fit_all(const Threads& threads) {
    const double before = objective();
    if (!held->has({})) held->add(constant_feature(train.size()));
    std::vector<FeatureSearch::Found> found =
        search->search(grower, {.gradient = targets, .gradient_unit = unit}, criterion(),
                       options.grow, *held, threads);
    keep_room(found);
    for (FeatureSearch::Found& one : found) held->add(std::move(one.feature));
    held->fit(lambda, kFitShare * options.tolerance * before, threads);
    weight_sum = held->penalty();
    num_features = held->num_weights();
    weigh(threads);
    return !found.empty() && before - objective() > options.tolerance * before;
  }

  // The most gainful ones, when there are too many.
  void keep_room(std::vector<FeatureSearch::Found>& found) const {
    if (options.max_trees == 0) return;
    const std::size_t room =
        options.max_trees - std::min(options.max_trees, held->features().size());
    if (found.size() <= room) return;
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.gain > b.gain; });
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(room), found.end());
  }

  // The weights of Fit::kAll as weights of trees, which get their place when they are first used.
  std::vector<TreeWeight> settled_weights(const Threads& threads) {
    held->settle(threads);
    weigh(threads);
    std::vector<TreeWeight> found;
    for (const HeldFeature& feature : held->features()) {
      const auto place = static_cast<std::uint32_t>(trees.num_trees());
      const auto [known, is_new] = places.emplace(feature.name, place);
      if (is_new) trees.append(feature.path.view());
      found.push_back({known->second, feature.weight});
    }
    std::sort(found.begin(), found.end(),
              [](const TreeWeight& a, const TreeWeight& b) { return a.tree < b.tree; });
    return found;
  }

  void score_development(const PathPoint& point, const Threads& threads) {
    const Ensemble used = trees_at(point, trees.view());
    const Predictor predictor(schema, used.view(), 1, 1);
    for_elements(threads, development.size(), [&](std::size_t begin, std::size_t end) {
      Predictor::Scratch scratch;
      for (std::size_t i = begin; i < end; ++i) {
        double score = 0;
        predictor.score(development.rows.row(i), {&score, 1}, scratch);
        development_scores[i] = static_cast<float>(score);
      }
    });
  }

  std::optional<double> development_loss(const Threads& threads) const {
    if (development.size() == 0) return std::nullopt;
    const Loss sum =
        sum_elements<Loss>(threads, development.size(), [&](std::size_t begin, std::size_t end) {
          Loss part;
          for (std::size_t i = begin; i < end; ++i) {
            const double sign = development.classes[i] == positive ? 1 : -1;
            const double weight = development.importance_of(i);
            part += {weight * log_loss(sign * static_cast<double>(development_scores[i])), weight};
          }
          return part;
        });
    return sum.mean();
  }

  bool is_full() const noexcept {
    const std::size_t trees_now = held ? num_features : trees.num_trees();
    return options.max_trees > 0 && trees_now >= options.max_trees;
  }

  // Ends the work at this lambda; returns whether there is another.
  bool lower(const Threads& threads) {
    PathPoint point{.lambda = lambda, .trees = trees.num_trees(), .features = num_features};
    if (held) {
      point.weights = settled_weights(threads);
      point.trees = point.weights->size();
      if (development.size() > 0) score_development(point, threads);
    }
    point.objective = objective();
    point.loss = loss.mean();
    point.development_loss = development_loss(threads);
    path.push_back(std::move(point));
    if (options.patience > 0 && points_since_best() >= options.patience) return false;
    lambda *= options.lambda_factor;
    return lambda >= options.min_lambda;
  }

  // Points after the best one at which the model had changed; 0 without development data.
  unsigned points_since_best() const noexcept {
    if (!path.back().development_loss) return 0;
    unsigned count = 0;
    for (std::size_t i = lowest_point() + 1; i < path.size(); ++i) {
      count += path[i].loss != path[i - 1].loss ? 1 : 0;
    }
    return count;
  }

  std::size_t best_point() const noexcept {
    const std::size_t lowest = lowest_point();
    if (path.empty() || !path[lowest].development_loss) return lowest;
    const double most = *path[lowest].development_loss * (1 + options.within);
    std::size_t best = 0;
    while (*path[best].development_loss > most) ++best;
    return best;
  }

  std::size_t lowest_point() const noexcept {
    if (path.empty()) return 0;
    std::size_t best = path.size() - 1;
    for (std::size_t i = path.size(); i-- > 0;) {
      if (path[i].development_loss <= path[best].development_loss) best = i;
    }
    return path.back().development_loss ? best : path.size() - 1;
  }

  bool grow_tree(const Threads& threads) {
    const double before = objective();
    std::vector<std::uint32_t> rows = draw_rows();
    const double share =
        static_cast<double>(rows.size()) / std::max(1.0, static_cast<double>(train.size()));
    Criterion sampled = criterion();
    sampled.penalty *= share;
    GrowOptions grow = options.grow;
    grow.seed = Random(options.seed, trees.num_trees()).next();
    GrownTree grown = grower.grow(std::move(rows), {.gradient = targets, .gradient_unit = unit},
                                  sampled, grow, threads);
    if (options.sample < 1) route_all(grown, threads);
    if (!fit(grown, threads)) return false;
    add(grown, threads);
    weigh(threads);
    return before - objective() > options.tolerance * before;
  }

  const Schema& schema;
  ExampleView train, development;
  std::uint16_t positive;
  L1Options options;
  std::shared_ptr<const RowIndex> index;  // with Fit::kAll, else null
  TreeGrower grower;
  Ensemble trees;
  std::vector<float> scores, development_scores;
  std::vector<std::int32_t> targets;
  double unit = 1;
  bool weighed = false, finished = false;
  Loss loss;
  double lambda = 0;
  std::map<Conjunction, double> weights;
  double weight_sum = 0;
  std::size_t num_features = 0;
  std::vector<PathPoint> path;
  // Fit::kAll only.
  std::optional<FeatureSearch> search;
  std::optional<CompoundFeatures> held;
  std::map<Conjunction, std::uint32_t> places;  // of features among the trees
};

Ensemble trees_at(const PathPoint& point, const EnsembleView& trees) {
  Ensemble used;
  const auto add = [&](std::size_t tree, float weight) {
    for (Node node : trees.tree(tree)) {
      node.value *= weight;
      used.nodes.push_back(node);
    }
    used.begin.push_back(static_cast<std::uint32_t>(used.nodes.size()));
    used.output.push_back(trees.output[tree]);
  };
  if (point.weights) {
    for (const TreeWeight& one : *point.weights) add(one.tree, one.weight);
  } else {
    for (std::size_t tree = 0; tree < point.trees; ++tree) add(tree, 1);
  }
  return used;
}

L1Booster::L1Booster(const Schema& schema, const ExampleView& train, const ExampleView& development,
                     std::uint16_t positive, const L1Options& options) {
  check(options, schema);
  require(train.size() > 0, "there is no example to learn from");
  auto index = options.fit == Fit::kAll ? index_rows(train.rows, schema.num_bins()) : nullptr;
  state_ = std::make_unique<State>(schema, train, development, positive, options, std::move(index));
}
L1Booster::L1Booster(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
L1Booster::~L1Booster() = default;
L1Booster::L1Booster(L1Booster&&) noexcept = default;
L1Booster& L1Booster::operator=(L1Booster&&) noexcept = default;

L1Booster L1Booster::for_class(std::uint16_t positive) const {
  const State& s = *state_;
  return L1Booster(
      std::make_unique<State>(s.schema, s.train, s.development, positive, s.options, s.index));
}

bool L1Booster::step(const Threads& threads) {
  State& s = *state_;
  if (s.finished) return false;
  if (!s.weighed) {
    s.weigh(threads);
    std::vector<std::uint32_t> all(s.train.size());
    std::iota(all.begin(), all.end(), 0u);
    const Targets targets{.gradient = s.targets, .gradient_unit = s.unit};
    s.lambda = s.grower.largest_first_sum(all, targets, threads);
    s.finished = !s.lower(threads);
    return !s.finished;
  }
  if (s.is_full()) {
    s.lower(threads);
    s.finished = true;
  } else if (!(s.held ? s.fit_all(threads) : s.grow_tree(threads))) {
    s.finished = !s.lower(threads);
  }
  return !s.finished;
}

double L1Booster::lambda() const noexcept { return state_->lambda; }
double L1Booster::objective() const noexcept { return state_->objective(); }
const Ensemble& L1Booster::trees() const noexcept { return state_->trees; }
const std::vector<PathPoint>& L1Booster::path() const noexcept { return state_->path; }
std::size_t L1Booster::best_point() const noexcept { return state_->best_point(); }

}  // namespace coppice::trees
