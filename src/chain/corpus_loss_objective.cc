#include "coppice/chain/corpus_loss_objective.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "chain/sentence_paths.h"
#include "coppice/base/error.h"

namespace coppice::chain {

using learn::ObjectiveKind;

CorpusLossObjective::CorpusLossObjective(ItemRules rules, learn::Measure measure,
                                         learn::Objective objective)
    : rules_(std::move(rules)), measure_(measure), objective_(objective) {
  require(objective.kind == ObjectiveKind::kSoftmaxMargin || objective.kind == ObjectiveKind::kRisk,
          "a loss of the whole corpus goes with softmax-margin and risk, not with ",
          name(objective.kind));
}

void CorpusLossObjective::begin_look(std::size_t num_sentences) {
  tables_.assign(num_sentences, {{Counts{}, 1.0}});
  gold_.assign(num_sentences, 0);
}

void CorpusLossObjective::look(const Example& example, Workspace& workspace) {
  const GoldItems gold(rules_, gold_labels(example.gold));
  SentencePaths paths(example, rules_, &gold, 1, {}, workspace);
  gold_[example.sentence] = gold.number;
  if (!paths.possible()) return;  // evaluate() will say so
  SplitPaths split = split_paths(paths.lattice(), PathLimits{}.least_probability);
  counters_.add({paths.lattice().paths.num_nodes, split.num_splits, split.largest_splits,
                 paths.lattice().cut + split.cut});
  const Forward swept = forward(split.paths);
  learn::CountDistribution& table = tables_[example.sentence];
  table.clear();
  const std::size_t first = split.paths.edges.size() - split.goal_counts.size();
  for (std::size_t i = 0; i < split.goal_counts.size(); ++i) {
    table.push_back({split.goal_counts[i], swept.conditional[first + i]});
  }
}

void CorpusLossObjective::end_look() {
  const auto sentences = static_cast<double>(tables_.size());
  const std::uint32_t gold = std::accumulate(gold_.begin(), gold_.end(), 0u);
  const auto loss = [&](Counts counts) { return sentences * learn::loss(measure_, counts, gold); };
  corpus_ = objective_.kind == ObjectiveKind::kRisk
                ? learn::corpus_expectation(tables_, loss)
                : learn::corpus_softmax(tables_, loss, objective_.loss_scale);
}

std::string CorpusLossObjective::remarks() const {
  return concat(describe(statistics()), "; ", window_cut(), " of the corpus' mass outside windows");
}

double CorpusLossObjective::evaluate(const Example& example, PairDerivatives& pairs,
                                     Workspace& workspace) const {
  const GoldItems gold(rules_, gold_labels(example.gold));
  const double right = gold_score(example);
  SentencePaths paths(example, rules_, &gold, 1, {}, workspace);
  if (!paths.possible()) return std::numeric_limits<double>::infinity();
  SplitPaths split = split_paths(paths.lattice(), PathLimits{}.least_probability);
  const std::vector<double>& goal_losses = corpus_.outside[example.sentence];
  const std::size_t num_parts = paths.lattice().parts.size();
  const double share = corpus_.value / static_cast<double>(tables_.size());
  if (objective_.kind == ObjectiveKind::kRisk) {
    const Forward swept = forward(split.paths);
    const auto values = edge_values(split.paths, swept, {}, goal_losses, 0);
    paths.write(part_expectation(split.paths, swept, values, num_parts).gradient, 1, pairs);
    return share;
  }
  paths.write(margin_of_goal(split, goal_losses, 1, num_parts).gradient, 1, pairs);
  subtract_gold(example, pairs);
  return paths.log_partition() - right + share;
}

}  // namespace coppice::chain
