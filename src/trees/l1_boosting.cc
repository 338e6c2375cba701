#include "coppice/trees/l1_boosting.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/base/reduce.h"
#include "coppice/trees/leaf_fit.h"
#include "trees/conjunction.h"

namespace coppice::trees {

namespace {

constexpr double kLargestTarget = 1 << 30;

struct Loss {
  double sum = 0, importance = 0;
  Loss& operator+=(const Loss& other) noexcept {
    sum += other.sum;
    importance += other.importance;
    return *this;
  }
  double mean() const noexcept { return importance > 0 ? sum / importance : 0; }
};

double log_loss(double margin) {
  return std::log1p(std::exp(-std::fabs(margin))) + (margin < 0 ? -margin : 0);
}

void check(const L1Options& options) {
  require(options.lambda_factor > 0 && options.lambda_factor < 1,
          "lambda-factor must lie between 0 and 1");
  require(options.min_lambda > 0, "min-lambda must be positive");
  require(options.sample > 0 && options.sample <= 1, "sample must lie in (0, 1]");
  require(options.tolerance >= 0, "tolerance must not be negative");
}

}  // namespace

struct L1Booster::State {
  State(const Schema& s, const ExampleView& train_view, const ExampleView& development_view,
        std::uint16_t positive_class, const L1Options& o)
      : schema(s),
        train(train_view),
        development(development_view),
        positive(positive_class),
        options(o),
        grower(schema, train.rows),
        scores(train.size()),
        development_scores(development.size()),
        targets(train.size()) {
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
    std::vector<double> steps(grown.leaves.size());
    threads.for_chunks(grown.leaves.size(), [&](std::size_t i, unsigned) {
      const GrownLeaf& leaf = grown.leaves[i];
      const auto known = weights.find(names[leaf.node]);
      const double theta = known == weights.end() ? 0 : known->second;
      const auto rows = std::span(grown.rows).subspan(leaf.begin, leaf.end - leaf.begin);
      steps[i] = fit_leaf(m, rows, theta, lambda, threads);
    });
    bool moved = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto value = static_cast<float>(steps[i]);
      if (value == 0) continue;
      moved = true;
      grown.tree.nodes[grown.leaves[i].node].value = value;
      double& theta = weights[names[grown.leaves[i].node]];
      weight_sum -= std::fabs(theta);
      num_features -= theta != 0;
      theta += static_cast<double>(value);
      weight_sum += std::fabs(theta);
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

  // Ends the work at this lambda; returns whether there is another.
  bool lower(const Threads& threads) {
    path.push_back({lambda, trees.num_trees(), num_features, objective(), loss.mean(),
                    development_loss(threads)});
    if (options.patience > 0 && points_since_best() >= options.patience) return false;
    lambda *= options.lambda_factor;
    return lambda >= options.min_lambda;
  }

  // Points after the best one at which the model had changed; 0 without development data.
  unsigned points_since_best() const noexcept {
    if (!path.back().development_loss) return 0;
    unsigned count = 0;
    for (std::size_t i = best_point() + 1; i < path.size(); ++i) {
      count += path[i].trees > path[i - 1].trees ? 1 : 0;
    }
    return count;
  }

  std::size_t best_point() const noexcept {
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
    GrowOptions grow = options.grow;
    grow.seed = Random(options.seed, trees.num_trees()).next();
    GrownTree grown = grower.grow(std::move(rows), {.gradient = targets, .gradient_unit = unit},
                                  {Criterion::Kind::kL1, lambda * share}, grow, threads);
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
};

L1Booster::L1Booster(const Schema& schema, const ExampleView& train, const ExampleView& development,
                     std::uint16_t positive, const L1Options& options) {
  check(options);
  require(train.size() > 0, "there is no example to learn from");
  state_ = std::make_unique<State>(schema, train, development, positive, options);
}
L1Booster::~L1Booster() = default;
L1Booster::L1Booster(L1Booster&&) noexcept = default;
L1Booster& L1Booster::operator=(L1Booster&&) noexcept = default;

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
  const bool full = s.options.max_trees > 0 && s.trees.num_trees() >= s.options.max_trees;
  if (full) {
    s.lower(threads);
    s.finished = true;
  } else if (!s.grow_tree(threads)) {
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
