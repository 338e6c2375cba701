// The generic engine: an example laid out as a forest with parts, and the algorithms of forest/ run
// on it. Every structure has it; faster engines are held to it (tests/engines).
//
// Numbers are WideFloat and double inside, floats at the parts. Cost: that of learn/objective.h,
// some 100 ns per edge for a likelihood; a loss of counts costs what splitting costs.
#pragma once

#include <functional>
#include <span>

#include "coppice/learn/engine.h"
#include "coppice/learn/objective.h"
#include "coppice/learn/part_loss.h"
#include "coppice/learn/structure.h"

namespace coppice::learn {

class ForestEngine final : public Engine {
 public:
  // `scores` of the parts become derivatives. All must outlive this; `loss` may be null where no
  // question with a loss is asked.
  ForestEngine(const PartForest& forest, const PartTarget& target, const PartLoss* loss,
               std::span<float> scores)
      : forest_(forest), target_(target), loss_(loss), scores_(scores) {}

  bool is_annotated() const override { return target_.gold.size() > 0; }
  void require_complete() const override;

  double likelihood() override;
  double pseudo_likelihood() override;
  double margin() override;
  double risk(const AnnealedRiskOptions& annealing) override;
  double entropy(double weight) override;
  double teacher() override;
  double parts() override;
  ExampleCounts counts() override;
  double margin_of_counts(const CountDistribution& table, std::span<const double> losses) override;
  void risk_of_counts(const CountDistribution& table, std::span<const double> losses) override;

  // ln Z; the scores become posteriors of parts. Infinity where no derivation is possible.
  double posteriors();

 private:
  const PartLoss& loss() const;
  // Asks learn/objective.h, hands the derivatives to the parts, and returns the value; infinity
  // where no derivation is possible.
  double ask(const std::function<EdgeGradient(const EdgeMap<double>& scores)>& question,
             double factor = 1);
  double with_loss(const Objective& objective);
  double of_counts(const Objective& objective, const CountDistribution& table,
                   std::span<const double> losses);

  const PartForest& forest_;
  const PartTarget& target_;
  const PartLoss* loss_;
  std::span<float> scores_;
};

}  // namespace coppice::learn
