// An objective that is minimised only once the likelihood has been: its first stage is the
// likelihood, the stages after it are those of the objective itself.
//
// For objectives that are not convex. The risk is all but flat at a model that knows nothing, and
// where it ends depends on where it begins.
#pragma once

#include <memory>
#include <string>

#include "coppice/chain/likelihood.h"
#include "coppice/chain/objective.h"

namespace coppice::chain {

class AfterLikelihood final : public SentenceObjective {
 public:
  explicit AfterLikelihood(std::unique_ptr<SentenceObjective> objective);

  // In the first stage too, sentences must be annotated completely or not at all (E313).
  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return objective_->takes_lattices(); }
  bool advance() override;
  bool has_next_stage() const noexcept override {
    return !has_begun_ || objective_->has_next_stage();
  }
  bool looks_ahead() const noexcept override { return objective_->looks_ahead(); }
  void begin_look(std::size_t num_sentences) override;
  void look(const Example& example, Workspace& workspace) override;
  void end_look() override;
  std::string remarks() const override { return objective_->remarks(); }

 private:
  std::unique_ptr<SentenceObjective> objective_;
  Likelihood likelihood_;
  bool has_begun_ = false;  // the objective itself
};

}  // namespace coppice::chain
