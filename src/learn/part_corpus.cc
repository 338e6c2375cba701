#include "coppice/learn/part_corpus.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/learn/forest_engine.h"
#include "learn/sgd.h"

namespace coppice::learn {

namespace {

constexpr std::size_t kExamplesAtOnce = 64;
// Of a stochastic step: smaller derivatives of parts are not worth a step each.
constexpr float kLeastDerivative = 1e-4f;

// The parts that right derivations have, or a teacher's.
std::vector<unsigned char> observed_parts(const PartExample& example) {
  const PartTarget& target = example.target;
  std::vector<unsigned char> observed(example.features.num_parts(), 0);
  for (const EdgeId edge : example.forest.forest.edges()) {
    const bool is_right = (target.gold.size() > 0 && target.gold[edge] != 0) ||
                          (target.teacher.size() > 0 && target.teacher[edge] > 0);
    if (!is_right) continue;
    for (const PartId part : example.forest.parts[edge]) observed[index(part)] = 1;
  }
  return observed;
}

// Works on examples [0, count) side by side, `work(i, slot)`, a batch at a time, and then calls
// take(i, slot) for each, in order.
template <class Slot, class Work, class Take>
void in_batches(std::size_t count, std::vector<Slot>& slots, const Threads& threads,
                const Work& work, const Take& take) {
  for (std::size_t begin = 0; begin < count; begin += slots.size()) {
    const std::size_t size = std::min(slots.size(), count - begin);
    threads.for_chunks(size, [&](std::size_t i, unsigned) { work(begin + i, slots[i]); });
    for (std::size_t i = 0; i < size; ++i) take(begin + i, slots[i]);
  }
}

}  // namespace

SparseLinear index_parts(const Structure& structure, const SparseLinearOptions& options) {
  SparseLinear::Builder builder;
  PartExample example;
  for (std::size_t i = 0; i < structure.num_examples(); ++i) {
    example.clear();
    structure.lay_out(i, example);
    if (options.pairs == PartPairs::kAll) {
      builder.observe(example.features);
    } else {
      builder.observe(example.features, observed_parts(example));
    }
  }
  return std::move(builder).build(options.min_count, options.bucket_bits);
}

PartCorpus::PartCorpus(const Structure& structure, SparseLinear linear,
                       const TrainingObjective& objective, std::size_t batch)
    : structure_(structure),
      linear_(std::move(linear)),
      objective_(objective),
      loss_(objective, structure.item_types()),
      batch_(batch) {
  require(batch > 0, "a stochastic step takes one example at the least");
}

void PartCorpus::visit(std::size_t example, VisitedExample& visited) const {
  visited.example.clear();
  structure_.lay_out(example, visited.example);
  linear_.find(visited.example.features, visited.hits);
  visited.scores.assign(visited.example.features.num_parts(), 0.0f);
}

template <class Ask>
double PartCorpus::ask(std::size_t example, VisitedExample& visited, const Ask& question) const {
  ForestEngine engine(visited.example.forest, visited.example.target, &loss_, visited.scores);
  const double value = question(engine);
  if (!std::isfinite(value)) {
    throw Error(concat("the objective is not finite at ", structure_.name(example),
                       ": no derivation is possible, or none that the annotation allows"),
                {.code = "E310"});
  }
  const double weight = structure_.weight(example);
  if (weight != 1) {
    for (float& derivative : visited.scores) derivative *= static_cast<float>(weight);
  }
  return weight * value;
}

void PartCorpus::look_ahead(std::span<const float> weights, const Threads& threads) {
  std::vector<VisitedExample> slots(kExamplesAtOnce);
  objective_.begin_look(num_examples());
  const auto look = [&](std::size_t i, VisitedExample& visited) {
    visit(i, visited);
    add_scores(visited.hits, weights, visited.scores);
    ForestEngine engine(visited.example.forest, visited.example.target, &loss_, visited.scores);
    objective_.look(engine, i);
  };
  in_batches(num_examples(), slots, threads, look, [](std::size_t, VisitedExample&) {});
  objective_.end_look();
}

double PartCorpus::evaluate(std::span<const float> weights, std::span<float> gradient,
                            const Threads& threads) {
  if (objective_.looks_ahead()) look_ahead(weights, threads);
  std::vector<double> sums(num_parameters(), 0.0), values(num_examples());
  std::vector<VisitedExample> slots(kExamplesAtOnce);
  const auto work = [&](std::size_t i, VisitedExample& visited) {
    visit(i, visited);
    add_scores(visited.hits, weights, visited.scores);
    values[i] =
        ask(i, visited, [&](ForestEngine& engine) { return objective_.evaluate(engine, i); });
  };
  const auto take = [&](std::size_t, const VisitedExample& visited) {
    for (const SparseLinear::Hit& hit : visited.hits) {
      sums[hit.parameter] += static_cast<double>(hit.value * visited.scores[hit.part]);
    }
  };
  in_batches(num_examples(), slots, threads, work, take);
  std::transform(sums.begin(), sums.end(), gradient.begin(),
                 [](double sum) { return static_cast<float>(sum); });
  return pairwise_sum(std::move(values));
}

void PartCorpus::curvature(std::span<const float> weights, std::span<float> diagonal,
                           const Threads& threads) {
  std::vector<double> sums(num_parameters(), 0.0);
  std::vector<VisitedExample> slots(kExamplesAtOnce);
  const auto work = [&](std::size_t i, VisitedExample& visited) {
    visit(i, visited);
    add_scores(visited.hits, weights, visited.scores);
    ForestEngine engine(visited.example.forest, visited.example.target, &loss_, visited.scores);
    engine.posteriors();
  };
  const auto take = [&](std::size_t i, const VisitedExample& visited) {
    const double weight = structure_.weight(i);
    for (const SparseLinear::Hit& hit : visited.hits) {
      const double p = std::clamp(static_cast<double>(visited.scores[hit.part]), 0.0, 1.0);
      const double value = hit.value;
      sums[hit.parameter] += weight * value * value * p * (1 - p);
    }
  };
  in_batches(num_examples(), slots, threads, work, take);
  std::transform(sums.begin(), sums.end(), diagonal.begin(),
                 [](double sum) { return static_cast<float>(sum); });
}

void PartCorpus::begin_passes(const StepOptions& options) {
  steps_ = options;
  squares_.assign(options.adaptive ? num_parameters() : 0, 0.0f);
}

std::vector<std::span<float>> PartCorpus::step_state() { return {squares_}; }

template <class Optimizer>
double PartCorpus::take_steps(std::span<const std::uint32_t> order, Optimizer& optimizer,
                              const Threads& threads) {
  std::vector<VisitedExample> slots(std::min(batch_, order.size()));
  std::vector<double> values(order.size());
  std::vector<double> sums(num_parameters(), 0.0);  // of a step; 0 between steps
  std::vector<std::uint32_t> touched;
  std::vector<unsigned char> is_touched(num_parameters(), 0);
  for (std::size_t begin = 0; begin < order.size(); begin += batch_) {
    const std::size_t size = std::min(batch_, order.size() - begin);
    threads.for_chunks(size, [&](std::size_t k, unsigned) { visit(order[begin + k], slots[k]); });
    // Here and not among the threads: reading a weight brings its penalty up to date.
    for (std::size_t k = 0; k < size; ++k) {
      for (const SparseLinear::Hit& hit : slots[k].hits) {
        slots[k].scores[hit.part] += hit.value * optimizer.refreshed(hit.parameter);
      }
    }
    threads.for_chunks(size, [&](std::size_t k, unsigned) {
      values[begin + k] = ask(order[begin + k], slots[k],
                              [&](ForestEngine& engine) { return objective_.warm_up(engine); });
    });
    for (std::size_t k = 0; k < size; ++k) {
      for (const SparseLinear::Hit& hit : slots[k].hits) {
        const float derivative = slots[k].scores[hit.part];
        if (std::abs(derivative) < kLeastDerivative) continue;
        if (is_touched[hit.parameter] == 0) touched.push_back(hit.parameter);
        is_touched[hit.parameter] = 1;
        sums[hit.parameter] += static_cast<double>(hit.value * derivative);
      }
    }
    for (const std::uint32_t parameter : touched) {
      optimizer.update(parameter, sums[parameter]);
      sums[parameter] = 0;
      is_touched[parameter] = 0;
    }
    touched.clear();
    optimizer.finish();
  }
  return pairwise_sum(std::move(values));
}

double PartCorpus::pass(std::span<const std::uint32_t> order, double step, std::span<float> weights,
                        const Threads& threads) {
  const std::size_t num_steps = std::max<std::size_t>(1, (order.size() + batch_ - 1) / batch_);
  const StochasticOptions options{
      .step = step, .l1 = steps_.l1, .l2 = steps_.l2, .examples = static_cast<double>(num_steps)};
  std::vector<float> start(weights.begin(), weights.end());
  double loss = 0;
  if (steps_.adaptive) {
    AdaGrad<float> optimizer(std::move(start), options, squares_);
    loss = take_steps(order, optimizer, threads);
    std::copy_n(optimizer.squares().begin(), squares_.size(), squares_.begin());
    const std::vector<float> found = optimizer.weights();
    std::copy(found.begin(), found.end(), weights.begin());
  } else {
    Sgd<float> optimizer(std::move(start), options);
    loss = take_steps(order, optimizer, threads);
    const std::vector<float> found = optimizer.weights();
    std::copy(found.begin(), found.end(), weights.begin());
  }
  return loss;
}

}  // namespace coppice::learn
