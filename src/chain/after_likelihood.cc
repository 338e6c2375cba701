#include "coppice/chain/after_likelihood.h"

#include <utility>

#include "chain/sentence_paths.h"

namespace coppice::chain {

AfterLikelihood::AfterLikelihood(std::unique_ptr<SentenceObjective> objective)
    : objective_(std::move(objective)) {}

double AfterLikelihood::evaluate(const Example& example, PairDerivatives& pairs,
                                 Workspace& workspace) const {
  if (has_begun_) return objective_->evaluate(example, pairs, workspace);
  if (!example.gold.none()) gold_labels(example.gold);  // better now than when this stage ends
  return likelihood_.evaluate(example, pairs, workspace);
}

bool AfterLikelihood::advance() {
  if (has_begun_) return objective_->advance();
  return has_begun_ = true;
}

void AfterLikelihood::begin_look(std::size_t num_sentences) {
  if (has_begun_) objective_->begin_look(num_sentences);
}

void AfterLikelihood::look(const Example& example, Workspace& workspace) {
  if (has_begun_) objective_->look(example, workspace);
}

void AfterLikelihood::end_look() {
  if (has_begun_) objective_->end_look();
}

}  // namespace coppice::chain
