#include "chain/coarse_to_fine.h"

#include <vector>

#include "chain/forbidden.h"

namespace coppice::chain {

namespace {

// Pruning of one sentence. A view is a table of scores whose likely paths must stay: the sentence
// itself and, where its annotation is partial, what the annotation allows of it.
class Narrowing {
 public:
  Narrowing(const float* scores, std::size_t length, const LabelModel& model,
            const Annotation* gold, Workspace& workspace)
      : length_(length), model_(model), workspace_(workspace), views_{scores} {
    if (gold == nullptr) return;
    if (gold->complete) {
      for (std::size_t t = 0; t < length; ++t) answer_.push_back(gold->at(t)[0]);
    } else {
      allowed_ = gold->restricted(scores, model.transitions.labels());
      views_.push_back(allowed_.data());
    }
  }

  LabelLattice first_order() {
    const std::size_t labels = model_.transitions.labels();
    keep_.assign(length_ * labels, 0);
    for (std::size_t t = 0; t < answer_.size(); ++t) keep_[t * labels + answer_[t]] = 1;
    for (const float* view : views_) keep_likely_labels(view);
    LabelLattice lattice = build();
    bool changed = false;
    for (const float* view : views_) changed = keep_best_labels(view, lattice) || changed;
    return changed ? build() : lattice;
  }

  LabelLattice next_order(const LabelLattice& lattice) {
    keep_.assign(lattice.num_edges(), 0);
    if (!answer_.empty()) {
      for (const std::uint32_t edge : path_of(lattice, answer_)) keep_[edge] = 1;
    }
    for (const float* view : views_) keep_likely_edges(view, lattice);
    return line_graph(lattice, keep_, model_);
  }

 private:
  LabelLattice build() const {
    return line_graph(order_zero_lattice(views_[0], length_, model_.transitions, keep_), {},
                      model_);
  }
  LatticeScores scores_of(const float* view) const {
    return {view, model_.transitions.stride(), model_.parts};
  }

  void keep_likely_labels(const float* view) {
    const std::size_t labels = model_.transitions.labels(), stride = model_.transitions.stride();
    AlignedVector<float> posteriors(view, view + length_ * stride);
    const Transitions none(labels);
    marginals(posteriors.data(), length_, model_.order > 1 ? model_.transitions : none, workspace_,
              nullptr);
    for (std::size_t t = 0; t < length_; ++t) {
      for (std::size_t y = 0; y < labels; ++y) {
        if (posteriors[t * stride + y] >= model_.prune) keep_[t * labels + y] = 1;
      }
    }
  }

  // Where no path of the view is left, keeps its best one; returns whether it had to.
  bool keep_best_labels(const float* view, const LabelLattice& lattice) {
    if (best_path(lattice, scores_of(view), workspace_.lattice, path_) != kLogZero) return false;
    std::vector<std::uint16_t> best(length_);
    const double score = best_labels(view, length_, model_.transitions, workspace_, best);
    if (score == kLogZero) return false;
    const std::size_t labels = model_.transitions.labels();
    for (std::size_t t = 0; t < length_; ++t) keep_[t * labels + best[t]] = 1;
    return true;
  }

  void keep_likely_edges(const float* view, const LabelLattice& lattice) {
    marginals(lattice, scores_of(view), workspace_.lattice);
    for (std::size_t e = 0; e < lattice.num_edges(); ++e) {
      if (workspace_.lattice.posterior[e] >= model_.prune) keep_[e] = 1;
    }
    best_path(lattice, scores_of(view), workspace_.lattice, path_);
    for (const std::uint32_t edge : path_) keep_[edge] = 1;
  }

  std::size_t length_;
  const LabelModel& model_;
  Workspace& workspace_;
  std::vector<const float*> views_;
  AlignedVector<float> allowed_;
  std::vector<std::uint16_t> answer_;  // where the annotation is complete
  std::vector<unsigned char> keep_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

LabelLattice coarse_to_fine(const float* scores, std::size_t length, const LabelModel& model,
                            const Annotation* gold, Workspace& workspace) {
  if (model.prune <= 0) {
    LabelLattice lattice = order_zero_lattice(scores, length, model.transitions);
    while (lattice.order < model.order) lattice = line_graph(lattice, {}, model);
    return lattice;
  }
  Narrowing narrowing(scores, length, model, gold, workspace);
  LabelLattice lattice = narrowing.first_order();
  while (lattice.order < model.order) lattice = narrowing.next_order(lattice);
  return lattice;
}

}  // namespace coppice::chain
