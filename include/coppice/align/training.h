// Training of an aligner on a bitext, in both directions, and the alignment of that bitext.
//
//     const auto training = make_training(bitext, {.method = Method::kGibbs});
//     while (training->num_done() < training->num_steps()) training->step(threads);
//     training->align(threads, {}, [&](const AlignedPair& pair) { ... });
//
// A step is an iteration of expectation maximisation, or a sweep of all Markov chains, in both
// directions. The results are the same for any number of threads; chains of a sampler are run at
// the same time, so that it has no use for more threads than twice their number.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/align/bitext.h"
#include "coppice/align/gibbs.h"
#include "coppice/align/link_model.h"
#include "coppice/align/symmetrise.h"
#include "coppice/base/progress.h"
#include "coppice/base/threads.h"

namespace coppice::align {

enum class Method { kIbm1, kHmm, kDiagonal, kGibbs };

// "ibm1", "hmm", "diagonal" or "gibbs". parse_method throws InvalidArgument for another name.
Method parse_method(std::string_view name);
std::string_view to_string(Method method) noexcept;

struct TrainingOptions {
  Method method = Method::kGibbs;
  // Of expectation maximisation, after those of `warm_up`: 5. Sweeps with all factors: 5000 / the
  // square root of the number of pairs, from 4 to 1000.
  std::optional<std::uint64_t> iterations{};
  std::uint64_t warm_up = 5;                 // hmm: iterations of IBM model 1 before
  std::optional<double> null_probability{};  // hmm, gibbs: 0.2; diagonal: 0.08
  std::optional<double> lexical_prior{};     // gibbs: 0.001; others: 0, maximum likelihood, but
                                             // diagonal: 0.01
  double tension = 4;                        // diagonal: where it begins
  std::uint64_t chains = 3;                  // gibbs
  std::uint64_t seed = 1;                    // gibbs
};

struct TrainingStep {
  std::string_view stage;  // "ibm1", "hmm", "diagonal"; "lexical", "jumps", "fertility"
  // Of the two directions. Expectation maximisation: perplexity per target word under the
  // parameters before the step. Sampling: the share of links that changed.
  double forward = 0;
  double backward = 0;
};

class AlignmentTraining {
 public:
  virtual ~AlignmentTraining() = default;

  virtual std::size_t num_steps() const noexcept = 0;
  std::size_t num_done() const noexcept { return num_done_; }
  // Requires num_done() < num_steps().
  TrainingStep step(const Threads& threads);

  // Calls visit for all pairs, in order; those that were skipped have no links. A sampler makes
  // another two sweeps. Requires at least one step.
  void align(const Threads& threads, const LinkChoice& choice,
             const std::function<void(const AlignedPair&)>& visit,
             Progress& progress = no_progress());

  // Adds what aligns new sentences, of both directions, to a model file; see model.h. Sections have
  // copies of their contents.
  void write_models(ModelWriter& writer) const;

  const TrainingOptions& options() const noexcept { return options_; }

 protected:
  AlignmentTraining(const Bitext& bitext, const TrainingOptions& options)
      : bitext_(bitext), options_(options) {}

  virtual TrainingStep make_step(std::size_t number, const Threads& threads) = 0;
  virtual std::unique_ptr<LinkModel> forward_model() const = 0;
  virtual std::unique_ptr<LinkModel> backward_model() const = 0;
  // Sets posteriors[k] for the pairs first + k.
  virtual void infer(std::size_t first, std::span<PairPosteriors> posteriors,
                     const Threads& threads) = 0;

  const Bitext& bitext_;
  TrainingOptions options_;

 private:
  std::size_t num_done_ = 0;
};

// The bitext must outlive the training. Throws InvalidArgument for numbers out of their range.
std::unique_ptr<AlignmentTraining> make_training(const Bitext& bitext,
                                                 const TrainingOptions& options);

// The priors that options of method gibbs stand for.
GibbsPriors priors_of(const TrainingOptions& options);

}  // namespace coppice::align
