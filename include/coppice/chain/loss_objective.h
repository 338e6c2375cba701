// Objectives with a loss on chains: softmax-margin, risk and annealed risk for costs of labels, for
// costs of wrong and missed items, and for exact precision, recall and F of a sentence; entropy.
//
//     costs of labels      sum over tokens of matrix[gold][answer]; Hamming loss where all are 1
//     costs of errors      false_positive * (d - n) + false_negative * (gold - n), by type of item
//     a measure            1 - P, 1 - R or 1 - F of the sentence's (n, d): exact, by splitting the
//                          states of the chain by counts
//
// with items and counts as in chain/items.h. The same values as learn/objective.h has on the
// chain's forest, from a lattice that leaves out what is improbable: labels of a posterior below
// 1e-9, and pairs of counts of a probability below 1e-10. The statistics say what that cut.
//
// Sentences must be annotated completely, else InvalidArgument (E313).
// Softmax-margin and risk of a loss that the counts decide (a measure, or the same costs for all
// types) are found by a dense kernel, which leaves out counts of a probability below 1e-8, and by
// the lattice only where floats do not suffice, scores of pairs differ from token to token, or the
// chain is of higher order or pruned.
//
// Cost: one forward-backward pass of the dense kernels; then for losses of counts about another for
// each pair of counts that occurs at a token, for the others some ten operations for each edge of
// the lattice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coppice/chain/items.h"
#include "coppice/chain/objective.h"
#include "coppice/learn/annealing.h"
#include "coppice/learn/measure.h"
#include "coppice/learn/objective.h"

namespace coppice::chain {

struct Lattice;       // of src/chain/lattice.h
struct PartGradient;  // of src/chain/lattice.h
struct CountRules;    // of src/chain/count_kernel.h

struct ChainLoss {
  enum class Kind : unsigned char { kLabelCosts, kErrorCosts, kMeasure };
  Kind kind = Kind::kLabelCosts;
  std::vector<float> matrix{};              // of label costs: [gold * labels + answer]
  std::vector<learn::ErrorCosts> errors{};  // by label: of an item with that label's type
  learn::Measure measure{};

  // Cost 1 for every wrong label.
  static ChainLoss hamming(std::size_t labels);
};

struct LatticeStatistics {
  std::uint64_t nodes = 0;   // labels with their bit, before splitting
  std::uint64_t splits = 0;  // nodes after it
  std::uint64_t largest_splits = 0;
  double largest_cut = 0;  // of a sentence: the probability that was left out

  double average_splits() const noexcept {
    return nodes == 0 ? 0 : static_cast<double>(splits) / static_cast<double>(nodes);
  }
};

// "3.1 splits a state on average, 17 at the most; 2e-9 of the mass cut", where there were splits.
std::string describe(const LatticeStatistics& statistics);

// Gathers statistics from several threads; sums and maxima do not depend on their order.
class LatticeCounters {
 public:
  void add(const LatticeStatistics& sentence);
  LatticeStatistics total() const;

 private:
  std::atomic<std::uint64_t> nodes_{0}, splits_{0}, largest_splits_{0};
  std::atomic<double> largest_cut_{0};
};

class LossObjective final : public SentenceObjective {
 public:
  // Throws InvalidArgument when tables do not fit the labels.
  LossObjective(ItemRules rules, ChainLoss loss, learn::Objective objective,
                learn::AnnealingSchedule schedule = {});
  ~LossObjective() override;

  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return true; }
  bool advance() override;
  bool has_next_stage() const noexcept override;
  std::string remarks() const override { return describe(statistics()); }
  LatticeStatistics statistics() const { return counters_.total(); }

 private:
  // Of losses that tau has been multiplied to.
  double temperature() const noexcept {
    return objective_.loss_scale * objective_.annealing.temperature;
  }
  PartGradient exact(const Lattice& lattice, const GoldItems& gold,
                     LatticeStatistics& statistics) const;
  PartGradient additive(Lattice& lattice, const GoldItems& gold) const;
  std::optional<double> by_counts(const Example& example, PairDerivatives& pairs,
                                  Workspace& workspace) const;
  double by_lattice(const Example& example, PairDerivatives& pairs, Workspace& workspace) const;

  ItemRules rules_;
  ChainLoss loss_;
  learn::Objective objective_;
  learn::AnnealingSchedule schedule_;
  std::size_t stage_ = 0;
  std::unique_ptr<const CountRules> count_rules_;  // null where the lattice is needed
  mutable LatticeCounters counters_;
};

}  // namespace coppice::chain
