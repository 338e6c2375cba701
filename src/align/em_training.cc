#include "align/em_training.h"

#include <cmath>

#include "align/diagonal.h"
#include "align/em.h"
#include "align/jumps.h"

namespace coppice::align {

namespace {

constexpr std::uint64_t kEmIterations = 5;
constexpr double kHmmNull = 0.2, kDiagonalNull = 0.08, kDiagonalPrior = 0.01;

class EmTraining final : public AlignmentTraining {
 public:
  EmTraining(const Bitext& bitext, const TrainingOptions& options)
      : AlignmentTraining(bitext, options),
        forward_(bitext.source, bitext.target, prior()),
        backward_(bitext.target, bitext.source, prior()) {
    const bool warms_up = options.method == Method::kHmm && options.warm_up > 0;
    num_warm_up_ = warms_up ? options.warm_up : 0;
    if (warms_up) {
      forward_.use(std::make_shared<UniformPositions>());
      backward_.use(std::make_shared<UniformPositions>());
    } else {
      use_positions();
    }
  }

  std::size_t num_steps() const noexcept override {
    return num_warm_up_ + options_.iterations.value_or(kEmIterations);
  }

 private:
  std::unique_ptr<LinkModel> forward_model() const override { return model(forward_); }
  std::unique_ptr<LinkModel> backward_model() const override { return model(backward_); }

  double prior() const {
    return options_.lexical_prior.value_or(options_.method == Method::kDiagonal ? kDiagonalPrior
                                                                                : 0);
  }

  std::shared_ptr<Positions> positions(const BitextSide& source, const BitextSide& target) const {
    switch (options_.method) {
      case Method::kHmm:
        return std::make_shared<JumpPositions>(options_.null_probability.value_or(kHmmNull),
                                               source.longest());
      case Method::kDiagonal:
        return std::make_shared<DiagonalPositions>(
            options_.null_probability.value_or(kDiagonalNull), options_.tension, source, target);
      default:
        return std::make_shared<UniformPositions>();
    }
  }

  void use_positions() {
    forward_.use(positions(bitext_.source, bitext_.target));
    backward_.use(positions(bitext_.target, bitext_.source));
  }

  TrainingStep make_step(std::size_t number, const Threads& threads) override {
    if (num_warm_up_ > 0 && number == num_warm_up_) use_positions();
    const auto perplexity = [&](EmAligner& aligner, const BitextSide& target) {
      return std::exp(-aligner.iterate(threads) / static_cast<double>(target.tokens.size()));
    };
    TrainingStep step{.stage = to_string(number < num_warm_up_ ? Method::kIbm1 : options_.method)};
    step.forward = perplexity(forward_, bitext_.target);
    step.backward = perplexity(backward_, bitext_.source);
    return step;
  }

  void infer(std::size_t first, std::span<PairPosteriors> posteriors,
             const Threads& threads) override {
    threads.for_chunks(posteriors.size(), [&](std::size_t k, unsigned) {
      forward_.infer(first + k, posteriors[k].forward);
      backward_.infer(first + k, posteriors[k].backward);
    });
  }

  static std::unique_ptr<LinkModel> model(const EmAligner& aligner) {
    return std::make_unique<EmLinkModel>(aligner.lexicon(), aligner.positions());
  }

  EmAligner forward_, backward_;
  std::size_t num_warm_up_ = 0;
};

}  // namespace

std::unique_ptr<AlignmentTraining> make_em_training(const Bitext& bitext,
                                                    const TrainingOptions& options) {
  return std::make_unique<EmTraining>(bitext, options);
}

}  // namespace coppice::align
