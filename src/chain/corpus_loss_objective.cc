#include "coppice/chain/corpus_loss_objective.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "chain/count_kernel.h"
#include "chain/sentence_counts.h"
#include "chain/sentence_paths.h"
#include "coppice/base/error.h"

namespace coppice::chain {

using learn::ObjectiveKind;

namespace {

// The losses of `counts`, where `table` has them; of others, which are improbable, any.
std::vector<double> matched(std::span<const Counts> counts, const learn::CountDistribution& table,
                            std::span<const double> losses) {
  std::vector<double> found(counts.size(), losses[0]);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (table[k].counts == counts[i]) found[i] = losses[k];
    }
  }
  return found;
}

// Whether the dense kernel knows such scores.
bool is_dense(const Example& example) {
  return example.edges.empty() && example.lattice == nullptr;
}

}  // namespace

CorpusLossObjective::CorpusLossObjective(ItemRules rules, learn::Measure measure,
                                         learn::Objective objective)
    : rules_(std::move(rules)),
      count_rules_(std::make_unique<CountRules>(rules_)),
      measure_(measure),
      objective_(objective) {
  require(objective.kind == ObjectiveKind::kSoftmaxMargin || objective.kind == ObjectiveKind::kRisk,
          "a loss of the whole corpus goes with softmax-margin and risk, not with ",
          name(objective.kind));
}

CorpusLossObjective::~CorpusLossObjective() = default;

void CorpusLossObjective::begin_look(std::size_t num_sentences) {
  tables_.assign(num_sentences, {{Counts{}, 1.0}});
  gold_.assign(num_sentences, 0);
}

void CorpusLossObjective::look(const Example& example, Workspace& workspace) {
  const GoldItems gold(rules_, gold_labels(example.gold));
  gold_[example.sentence] = gold.number;
  if (is_dense(example)) {
    const SentenceCounts counts(example, *count_rules_, gold, workspace);
    if (counts.possible()) {
      tables_[example.sentence] = counts.table();
      counters_.add(counts.statistics());
      return;
    }
  }
  const auto table = lattice_table(example, gold, workspace);
  if (!table.empty()) tables_[example.sentence] = table;  // else evaluate() will say so
}

// Empty where every path is forbidden.
learn::CountDistribution CorpusLossObjective::lattice_table(const Example& example,
                                                            const GoldItems& gold,
                                                            Workspace& workspace) {
  SentencePaths paths(example, rules_, &gold, 1, {}, workspace);
  if (!paths.possible()) return {};
  const SplitPaths split = split_paths(paths.lattice(), PathLimits{}.least_probability);
  counters_.add({paths.lattice().paths.num_nodes, split.num_splits, split.largest_splits,
                 paths.lattice().cut + split.cut});
  const Forward swept = forward(split.paths);
  learn::CountDistribution table;
  const std::size_t first = split.paths.edges.size() - split.goal_counts.size();
  for (std::size_t i = 0; i < split.goal_counts.size(); ++i) {
    table.push_back({split.goal_counts[i], swept.conditional[first + i]});
  }
  return table;
}

void CorpusLossObjective::end_look() {
  const auto sentences = static_cast<double>(tables_.size());
  const std::uint32_t gold = std::accumulate(gold_.begin(), gold_.end(), 0u);
  const double scale = sentences * objective_.loss_scale;
  const auto loss = [&](Counts counts) { return scale * learn::loss(measure_, counts, gold); };
  corpus_ = objective_.kind == ObjectiveKind::kRisk ? learn::corpus_expectation(tables_, loss)
                                                    : learn::corpus_softmax(tables_, loss, 1);
}

std::string CorpusLossObjective::remarks() const {
  return concat(describe(statistics()), "; ", window_cut(), " of the corpus' mass outside windows");
}

std::optional<double> CorpusLossObjective::write_counts(const Example& example,
                                                        const GoldItems& gold,
                                                        PairDerivatives& pairs,
                                                        Workspace& workspace) const {
  SentenceCounts counts(example, *count_rules_, gold, workspace);
  if (!counts.possible()) return std::nullopt;
  const std::vector<double>& losses = corpus_.outside[example.sentence];
  const GoalValues goal = objective_.kind == ObjectiveKind::kRisk
                              ? goal_risk(counts.table(), losses)
                              : goal_margin(counts.table(), losses);
  if (!counts.write(goal.derivatives, pairs)) return std::nullopt;
  return counts.log_partition();
}

std::optional<double> CorpusLossObjective::write_lattice(const Example& example,
                                                         const GoldItems& gold,
                                                         PairDerivatives& pairs,
                                                         Workspace& workspace) const {
  SentencePaths paths(example, rules_, &gold, 1, {}, workspace);
  if (!paths.possible()) return std::nullopt;
  SplitPaths split = split_paths(paths.lattice(), PathLimits{}.least_probability);
  const std::vector<double> losses =
      matched(split.goal_counts, tables_[example.sentence], corpus_.outside[example.sentence]);
  const std::size_t num_parts = paths.lattice().parts.size();
  if (objective_.kind == ObjectiveKind::kRisk) {
    const Forward swept = forward(split.paths);
    const auto values = edge_values(split.paths, swept, {}, losses, 0);
    paths.write(part_expectation(split.paths, swept, values, num_parts).gradient, 1, pairs);
  } else {
    paths.write(margin_of_goal(split, losses, num_parts).gradient, 1, pairs);
  }
  return paths.log_partition();
}

double CorpusLossObjective::evaluate(const Example& example, PairDerivatives& pairs,
                                     Workspace& workspace) const {
  const GoldItems gold(rules_, gold_labels(example.gold));
  const double right = gold_score(example);
  std::optional<double> log_z;
  if (is_dense(example)) log_z = write_counts(example, gold, pairs, workspace);
  if (!log_z) log_z = write_lattice(example, gold, pairs, workspace);
  if (!log_z) return std::numeric_limits<double>::infinity();
  const double share = corpus_.value / static_cast<double>(tables_.size());
  if (objective_.kind == ObjectiveKind::kRisk) return share;
  subtract_gold(example, pairs);
  return *log_z - right + share;
}

}  // namespace coppice::chain
