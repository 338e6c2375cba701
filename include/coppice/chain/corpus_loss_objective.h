// Objectives of the counts of a whole corpus on chains: risk and softmax-margin of corpus-level
// precision, recall and F, exactly (learn/corpus_loss.h).
//
//     risk            tau S E[l(N, D)]
//     softmax-margin  sum over i of (ln Z_i - s(gold_i))  +  ln E[e^{tau S l(N, D)}]
//
// where (N, D) are the counts of all S sentences: the factor S makes the loss of a corpus weigh as
// much as those of its sentences would. Each sentence is looked at twice: once for the distribution
// of its counts, then, when these have been put together, for its derivatives.
//
// Cost: twice that of the exact measure of sentences, and O(S log^2 S) in between.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coppice/chain/items.h"
#include "coppice/chain/loss_objective.h"
#include "coppice/chain/objective.h"
#include "coppice/learn/corpus_loss.h"
#include "coppice/learn/measure.h"
#include "coppice/learn/objective.h"

namespace coppice::chain {

class CorpusLossObjective final : public SentenceObjective {
 public:
  // Throws InvalidArgument unless the objective is softmax-margin or risk.
  CorpusLossObjective(ItemRules rules, learn::Measure measure, learn::Objective objective);
  ~CorpusLossObjective() override;

  bool looks_ahead() const noexcept override { return true; }
  void begin_look(std::size_t num_sentences) override;
  void look(const Example& example, Workspace& workspace) override;
  void end_look() override;
  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return true; }

  std::string remarks() const override;
  LatticeStatistics statistics() const { return counters_.total(); }
  // The mass that the windows of the last evaluation cut.
  double window_cut() const noexcept { return corpus_.cut; }

 private:
  learn::CountDistribution lattice_table(const Example& example, const GoldItems& gold,
                                         Workspace& workspace);
  // Write derivatives and return ln Z: by the dense kernel, nothing where floats do not suffice; by
  // the lattice, nothing where every path is forbidden.
  std::optional<double> write_counts(const Example& example, const GoldItems& gold,
                                     PairDerivatives& pairs, Workspace& workspace) const;
  std::optional<double> write_lattice(const Example& example, const GoldItems& gold,
                                      PairDerivatives& pairs, Workspace& workspace) const;

  ItemRules rules_;
  std::unique_ptr<const CountRules> count_rules_;
  learn::Measure measure_;
  learn::Objective objective_;
  std::vector<learn::CountDistribution> tables_;  // by sentence
  std::vector<std::uint32_t> gold_;
  learn::CorpusExpectation corpus_;  // of the last look
  LatticeCounters counters_;
};

}  // namespace coppice::chain
