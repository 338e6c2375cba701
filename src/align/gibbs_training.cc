#include "align/gibbs_training.h"

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"

namespace coppice::align {

namespace {

constexpr double kSweepsOfOnePair = 5000;
constexpr std::size_t kMinSweeps = 4, kMaxSweeps = 1000;
constexpr std::size_t kFinalSweeps = 2;

std::size_t default_sweeps(const Bitext& bitext) {
  const double sweeps = kSweepsOfOnePair / std::sqrt(static_cast<double>(bitext.size()));
  return std::clamp(static_cast<std::size_t>(sweeps), kMinSweeps, kMaxSweeps);
}

class GibbsTraining final : public AlignmentTraining {
 public:
  GibbsTraining(const Bitext& bitext, const TrainingOptions& options)
      : AlignmentTraining(bitext, options),
        num_sweeps_(options.iterations.value_or(default_sweeps(bitext))),
        num_early_(std::max<std::size_t>(1, num_sweeps_ / 4)) {
    require(options.chains >= 1, "sampling needs at least one chain");
    const GibbsPriors priors = priors_of(options);
    for (std::uint64_t chain = 0; chain < options.chains; ++chain) {
      forward_.emplace_back(bitext.source, bitext.target, priors, Random(options.seed, 2 * chain));
      backward_.emplace_back(bitext.target, bitext.source, priors,
                             Random(options.seed, 2 * chain + 1));
    }
  }

  std::size_t num_steps() const noexcept override { return 2 * num_early_ + num_sweeps_; }

 private:
  std::unique_ptr<LinkModel> forward_model() const override {
    return model(forward_, bitext_.source, bitext_.target);
  }
  std::unique_ptr<LinkModel> backward_model() const override {
    return model(backward_, bitext_.target, bitext_.source);
  }

  std::size_t num_chains() const { return forward_.size(); }
  // Both directions of all chains; even ones are forward.
  GibbsChain& chain(std::size_t task) {
    return task % 2 == 0 ? forward_[task / 2] : backward_[task / 2];
  }

  TrainingStep make_step(std::size_t number, const Threads& threads) override {
    const GibbsStage stage = number < num_early_       ? GibbsStage::kLexical
                             : number < 2 * num_early_ ? GibbsStage::kJumps
                                                       : GibbsStage::kFertility;
    threads.for_chunks(2 * num_chains(),
                       [&](std::size_t task, unsigned) { chain(task).sweep(stage); });
    constexpr std::string_view names[] = {"lexical", "jumps", "fertility"};
    TrainingStep step{.stage = names[static_cast<int>(stage)]};
    for (const GibbsChain& chain : forward_) step.forward += chain.changed();
    for (const GibbsChain& chain : backward_) step.backward += chain.changed();
    step.forward /= static_cast<double>(num_chains());
    step.backward /= static_cast<double>(num_chains());
    return step;
  }

  // Sweeps over a block of sentences: each chain adds to matrices of its own, so that chains can
  // run at the same time, and these are then added in their order.
  void infer(std::size_t first, std::span<PairPosteriors> posteriors,
             const Threads& threads) override {
    std::vector<std::vector<LinkMatrix>> sums(2 * num_chains());
    threads.for_chunks(sums.size(), [&](std::size_t task, unsigned) {
      const bool is_forward = task % 2 == 0;
      const BitextSide& source = is_forward ? bitext_.source : bitext_.target;
      const BitextSide& target = is_forward ? bitext_.target : bitext_.source;
      std::vector<LinkMatrix>& matrices = sums[task];
      matrices.resize(posteriors.size());
      for (std::size_t k = 0; k < matrices.size(); ++k)
        matrices[k].reset(source[first + k].size(), target[first + k].size());
      for (std::size_t sweep = 0; sweep < kFinalSweeps; ++sweep)
        for (std::size_t k = 0; k < matrices.size(); ++k)
          chain(task).resample(first + k, matrices[k]);
    });
    const double share = 1 / static_cast<double>(num_chains() * kFinalSweeps);
    for (std::size_t k = 0; k < posteriors.size(); ++k) {
      posteriors[k].forward = mean(sums, k, 0, share);
      posteriors[k].backward = mean(sums, k, 1, share);
    }
  }

  static LinkMatrix mean(const std::vector<std::vector<LinkMatrix>>& sums, std::size_t k,
                         std::size_t first_task, double share) {
    LinkMatrix mean = sums[first_task][k];
    for (std::size_t task = first_task + 2; task < sums.size(); task += 2) mean.add(sums[task][k]);
    mean.scale(share);
    return mean;
  }

  std::unique_ptr<LinkModel> model(const std::vector<GibbsChain>& chains, const BitextSide& source,
                                   const BitextSide& target) const {
    GibbsCounts counts;
    for (const GibbsChain& chain : chains)
      chain.add_counts(static_cast<double>(num_chains()), counts);
    merge_links(counts.links);
    return std::make_unique<GibbsLinkModel>(std::move(counts), priors_of(options_),
                                            source.words.size(), target.words.size());
  }

  // Sorts the links of all chains and adds those of one pair of words.
  static void merge_links(std::vector<LexicalEntry>& links) {
    std::ranges::stable_sort(links, [](const auto& a, const auto& b) {
      return a.target != b.target ? a.target < b.target : a.source < b.source;
    });
    std::size_t kept = 0;
    for (const LexicalEntry& link : links) {
      const bool repeats = kept > 0 && links[kept - 1].target == link.target &&
                           links[kept - 1].source == link.source;
      if (repeats) {
        links[kept - 1].value += link.value;
      } else {
        links[kept++] = link;
      }
    }
    links.resize(kept);
  }

  std::size_t num_sweeps_;  // with all factors
  std::size_t num_early_;   // of each stage before
  std::vector<GibbsChain> forward_, backward_;
};

}  // namespace

GibbsPriors priors_of(const TrainingOptions& options) {
  GibbsPriors priors;
  priors.null_probability = options.null_probability.value_or(priors.null_probability);
  require(priors.null_probability > 0 && priors.null_probability < 1,
          "the probability of no link must be in (0, 1), not ", priors.null_probability);
  if (options.lexical_prior) {
    priors.lexical = priors.null_lexical = *options.lexical_prior;
    require(priors.lexical > 0 && std::isfinite(priors.lexical),
            "the prior of words must be positive, not ", priors.lexical);
  }
  return priors;
}

std::unique_ptr<AlignmentTraining> make_gibbs_training(const Bitext& bitext,
                                                       const TrainingOptions& options) {
  return std::make_unique<GibbsTraining>(bitext, options);
}

}  // namespace coppice::align
