// The questions that objectives ask about one example, and that every engine answers.
//
// An engine holds one example of a structure under its scores: a chain by dense kernels, a lattice,
// a chart, or any forest laid out (learn/forest_engine.h). Objectives are written once against
// these questions (learn/staged_objective.h); engines differ in speed, not in answers, and one test
// holds them all to the generic one (tests/engines). docs/engines.md lists them.
//
// With p proportional to e^score over the example's derivations, G those that the annotation
// allows, and l the loss of the training objective, its factor tau included:
//
//     likelihood          ln Z - ln Z_G
//     pseudo_likelihood   - sum over positions of ln p(label | all other labels)
//     margin              ln sum of e^{score + l} - ln Z_G
//     risk                E_r[l] - T H(r), r proportional to e^{scale score}
//     entropy             weight * H(p)
//     teacher             ln Z - E_t[score], t the soft targets
//     parts               sum over edges of -ln sigma(+-score)
//     counts              the distribution of (n, d), for losses of the whole corpus
//
// Each question but counts() replaces the example's scores by the derivatives of its answer, or
// adds them to the sums that the engine was given; so an engine answers one of them, once. A value
// that is not finite means that no derivation, or none that the annotation allows, is possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coppice/forest/risk.h"
#include "coppice/learn/corpus_loss.h"

namespace coppice::learn {

// What splitting by counts took, summed over examples.
struct SplitStatistics {
  std::uint64_t nodes = 0;   // before splitting
  std::uint64_t splits = 0;  // after it
  std::uint64_t largest_splits = 0;
  double largest_cut = 0;  // of an example: the probability that was left out

  double average_splits() const noexcept {
    return nodes == 0 ? 0 : static_cast<double>(splits) / static_cast<double>(nodes);
  }
};

// "3.1 splits a state on average, 17 at the most; 2e-9 of the mass cut", where there were splits.
std::string describe(const SplitStatistics& statistics);

// The counts that an example's derivations have, and how many items its annotation has.
struct ExampleCounts {
  CountDistribution table{};  // empty where no derivation is possible
  std::uint32_t gold = 0;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  // False where nothing of the example is annotated.
  virtual bool is_annotated() const = 0;
  // Throws InvalidArgument (E313) where the annotation leaves more than one answer.
  virtual void require_complete() const = 0;

  virtual double likelihood() = 0;
  // An example that is annotated in part counts by its likelihood. Throws InvalidArgument where the
  // structure does not define it.
  virtual double pseudo_likelihood() = 0;
  // These throw InvalidArgument (E313) where a loss needs all of the annotation.
  virtual double margin() = 0;
  virtual double risk(const AnnealedRiskOptions& annealing) = 0;
  virtual double entropy(double weight) = 0;
  // Throws InvalidArgument without soft targets.
  virtual double teacher() = 0;
  virtual double parts() = 0;

  // The distribution of counts; leaves the scores as they are.
  virtual ExampleCounts counts() = 0;
  // margin and risk of a loss given for each entry of `table`, which counts() found.
  virtual double margin_of_counts(const CountDistribution& table,
                                  std::span<const double> losses) = 0;
  virtual void risk_of_counts(const CountDistribution& table, std::span<const double> losses) = 0;

  // What the last question split; all 0 where it split nothing.
  const SplitStatistics& statistics() const noexcept { return statistics_; }

 protected:
  // Throws InvalidArgument (E313): "a sentence is annotated in part; a loss needs all its labels".
  [[noreturn]] static void refuse_partial(std::string_view example, std::string_view all);

  SplitStatistics statistics_{};
};

}  // namespace coppice::learn
