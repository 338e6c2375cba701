// The engines of chains: one sentence under its scores, in one of three representations.
//
//     DenseEngine     rows of label scores and one table of label pairs: linear potentials of
//                     order 0 and 1 (chain/kernel.h)
//     EdgeEngine      scores of label pairs that differ from token to token: trees, and features
//                     conjoined with pairs (chain/edge_kernel.h)
//     LatticeEngine   a lattice of label sequences: order 2 and 3, and pruned chains
//                     (chain/lattice_kernel.h)
//
// All answer the questions of learn/engine.h with the same numbers as the forest of the sentence
// would give (chain/forest.h). Losses of items run on the graph of the label sequences that the
// model finds possible (src/chain/item_graph.h), which leaves out labels of a posterior below 1e-9
// and pairs of counts of a probability below 1e-10; where dense kernels know a loss, they are
// faster, and the graph takes over where floats do not suffice.
//
// Cost: one forward-backward pass for likelihood, margins of costs and teachers; about another for
// each pair of counts that occurs at a token for exact measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "chain/dataset.h"
#include "chain/edge_kernel.h"
#include "chain/kernel.h"
#include "chain/label_lattice.h"
#include "chain/lattice_kernel.h"
#include "chain/loss.h"
#include "chain/pair_derivatives.h"
#include "coppice/learn/engine.h"

namespace coppice::chain {

struct ItemGraph;     // of src/chain/item_graph.h
struct StepGradient;  // of src/chain/item_graph.h

// What a sentence is to be judged by, whatever its representation. All must outlive the engine.
struct SentenceTarget {
  Annotation gold;
  const LossTables* loss = nullptr;  // null: only what needs neither losses nor items can be asked
  SoftTargets soft{};                // of a teacher; empty: there is none
};

// A sentence with at least one token; what the constraints forbid has the score -inf.
class SentenceEngine : public learn::Engine {
 public:
  bool is_annotated() const override { return !target_.gold.none(); }
  void require_complete() const override;

  double likelihood() override;
  double pseudo_likelihood() override;
  double margin() override;
  double risk(const AnnealedRiskOptions& annealing) override;
  double entropy(double weight) override;
  learn::ExampleCounts counts() override;
  double margin_of_counts(const learn::CountDistribution& table,
                          std::span<const double> losses) override;
  void risk_of_counts(const learn::CountDistribution& table,
                      std::span<const double> losses) override;

  // ln Z; the scores become posteriors.
  virtual double posteriors() = 0;

 protected:
  SentenceEngine(const SentenceTarget& target, Workspace& workspace)
      : target_(target), workspace_(workspace) {}

  const Annotation& gold() const noexcept { return target_.gold; }
  std::size_t length() const noexcept { return target_.gold.length(); }
  // Throws InvalidArgument without.
  const LossTables& loss() const;
  // The labels of a completely annotated sentence. Throws InvalidArgument (E313) where it is
  // annotated in part.
  std::span<const std::uint16_t> gold_labels() const;

  // What a representation has to say. The score of the gold labels, -inf where it lacks them; must
  // be asked before the scores are replaced.
  virtual double gold_score() const = 0;
  // Subtracts 1 from the derivatives of the gold labels' parts.
  virtual void subtract_gold() = 0;
  // The likelihood of what an annotation with several labels allows.
  virtual double partial_likelihood() = 0;
  virtual double complete_pseudo_likelihood() = 0;
  // Adds the costs of labels to the scores.
  virtual void add_costs(const CostRows& costs) = 0;
  // The graph of possible label sequences under p proportional to e^{scale score}, and ln Z;
  // nothing where every path is forbidden. `gold` may be null.
  virtual std::optional<double> lay_out(double scale, const GoldItems* gold, ItemGraph& graph) = 0;
  // Replaces the scores by factor * gradient, one number for each step of the graph.
  virtual void write(const ItemGraph& graph, std::span<const double> gradient, double factor) = 0;

  // Faster ways, where a representation has them; nothing where it has not, or where floats do not
  // suffice (the scores are then as before).
  virtual std::optional<double> dense_margin() { return std::nullopt; }
  virtual std::optional<double> dense_risk() { return std::nullopt; }
  virtual std::optional<learn::CountDistribution> dense_counts(const GoldItems& gold);
  // ln Z, with the derivatives of a margin or a risk of counts written.
  virtual std::optional<double> write_dense_counts(const GoldItems& gold,
                                                   std::span<const double> losses, bool is_margin);

  // How often the teacher has these labels up to and at `token`, of which the last two are read, or
  // more where the sequence is longer: neighbours of neighbours are independent given the label
  // between them.
  double soft_count(std::size_t token, std::span<const std::uint16_t> labels) const;

  SentenceTarget target_;
  Workspace& workspace_;

 private:
  StepGradient measure(const ItemGraph& graph, const GoldItems& gold, bool is_margin,
                       double temperature);
  StepGradient additive(ItemGraph& graph, const GoldItems& gold, bool is_margin,
                        double temperature) const;
  // margin or risk on the graph.
  double on_graph(bool is_margin, const AnnealedRiskOptions& annealing);
  // ln Z, with the derivatives of a margin or a risk of counts written; by whatever way.
  double write_counts(const learn::CountDistribution& table, std::span<const double> losses,
                      bool is_margin);
};

// Rows of label scores and the transitions that all tokens share.
class DenseEngine final : public SentenceEngine {
 public:
  // `scores` become derivatives; those of label pairs are added to `pairs`.
  DenseEngine(float* scores, const Transitions& transitions, const SentenceTarget& target,
              PairDerivatives& pairs, Workspace& workspace)
      : SentenceEngine(target, workspace),
        scores_(scores),
        transitions_(transitions),
        pairs_(pairs) {}

  double posteriors() override;
  double teacher() override;
  double parts() override;

 protected:
  double gold_score() const override;
  void subtract_gold() override;
  double partial_likelihood() override;
  double complete_pseudo_likelihood() override;
  void add_costs(const CostRows& costs) override;
  std::optional<double> lay_out(double scale, const GoldItems* gold, ItemGraph& graph) override;
  void write(const ItemGraph& graph, std::span<const double> gradient, double factor) override;
  std::optional<double> dense_margin() override;
  std::optional<double> dense_risk() override;
  std::optional<learn::CountDistribution> dense_counts(const GoldItems& gold) override;
  std::optional<double> write_dense_counts(const GoldItems& gold, std::span<const double> losses,
                                           bool is_margin) override;

 private:
  std::size_t stride() const noexcept { return transitions_.stride(); }
  std::optional<double> by_counts(bool is_margin);

  float* scores_;
  const Transitions& transitions_;
  PairDerivatives& pairs_;
};

// Scores of label pairs at tokens, in the layout of chain/edge_kernel.h.
class EdgeEngine final : public SentenceEngine {
 public:
  // `scores` become derivatives.
  EdgeEngine(const EdgeShape& shape, std::span<float> scores, const SentenceTarget& target,
             Workspace& workspace)
      : SentenceEngine(target, workspace), shape_(shape), scores_(scores) {}

  double posteriors() override;
  double teacher() override;
  double parts() override;

 protected:
  double gold_score() const override;
  void subtract_gold() override;
  double partial_likelihood() override;
  double complete_pseudo_likelihood() override;
  void add_costs(const CostRows& costs) override;
  std::optional<double> lay_out(double scale, const GoldItems* gold, ItemGraph& graph) override;
  void write(const ItemGraph& graph, std::span<const double> gradient, double factor) override;

 private:
  // The place of a token's gold pair. Requires a complete annotation.
  std::size_t gold_place(std::size_t token) const;
  // Calls visit(token, state, label, place) for all pairs that tokens have.
  template <class Visit>
  void for_pairs(const Visit& visit) const;

  EdgeShape shape_;
  std::span<float> scores_;
};

// A lattice of label sequences. Where its edges have scores of their own, derivatives go to these,
// and to rows and parts otherwise.
class LatticeEngine final : public SentenceEngine {
 public:
  struct Scores {
    float* rows;  // of labels at tokens, of `stride` floats
    std::size_t stride;
    std::span<const float> parts{};  // of label pairs and longer sequences, by number
    std::span<float> edges{};        // beside those; empty: edges have none of their own
  };
  // Derivatives of parts are added to `pairs`, which may be null where edges have scores.
  LatticeEngine(const LabelLattice& lattice, const Scores& scores, const Transitions& transitions,
                const SentenceTarget& target, PairDerivatives* pairs, Workspace& workspace)
      : SentenceEngine(target, workspace),
        lattice_(lattice),
        scores_(scores),
        transitions_(transitions),
        pairs_(pairs) {}

  double posteriors() override;
  double teacher() override;
  double parts() override;

 protected:
  double gold_score() const override;
  void subtract_gold() override;
  double partial_likelihood() override;
  double complete_pseudo_likelihood() override;
  void add_costs(const CostRows& costs) override;
  std::optional<double> lay_out(double scale, const GoldItems* gold, ItemGraph& graph) override;
  void write(const ItemGraph& graph, std::span<const double> gradient, double factor) override;

 private:
  LatticeScores lattice_scores() const noexcept;
  // The edges of the gold labels; none where the lattice does not have them.
  std::vector<std::uint32_t> gold_path() const;
  void clear();
  // To all parts of an edge, or to the edge where edges have scores.
  void add(std::size_t token, std::size_t edge, float derivative);
  // Calls visit(token, edge) for every edge.
  template <class Visit>
  void for_edges(const Visit& visit) const;

  const LabelLattice& lattice_;
  Scores scores_;
  const Transitions& transitions_;
  PairDerivatives* pairs_;
};

}  // namespace coppice::chain
