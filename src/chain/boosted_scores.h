// The scores that boosting keeps of a corpus, and how trees add to them: of label pairs at tokens
// (chain/edge_kernel.h), or of the edges of lattices where sentences have them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/boosted_chain.h"
#include "chain/label_histories.h"
#include "coppice/base/threads.h"
#include "coppice/trees/predictor.h"

namespace coppice::chain {

// Calls visit(token, edge, history, label) for every edge of a lattice, where `history` is what
// trees see of the labels before.
template <class Visit>
void for_edges(const LabelLattice& lattice, const LabelHistories& histories, const Visit& visit) {
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
      visit(t, e, histories.number(lattice.history[lattice.tail[e]]), lattice.label[e]);
    }
  }
}

class BoostedScores {
 public:
  // Scores that forbid what the constraints do, and are 0 otherwise; a lattice lacks what is
  // forbidden. Looks at the corpus' arrays from then on.
  BoostedScores(const TreeCorpus& corpus, const EdgeShape& shape, const Constraints& constraints);

  const TreeCorpus& corpus() const noexcept { return corpus_; }
  bool has_lattices() const noexcept { return !corpus_.lattices.empty(); }
  // Null without lattices.
  const LabelLattice* lattice(std::size_t sentence) const noexcept {
    return has_lattices() ? &corpus_.lattices[sentence] : nullptr;
  }
  std::span<float> of(std::size_t sentence) noexcept {
    return std::span(scores_).subspan(begin_[sentence], begin_[sentence + 1] - begin_[sentence]);
  }

  std::span<const float> of(std::size_t sentence) const noexcept {
    return std::span(scores_).subspan(begin_[sentence], begin_[sentence + 1] - begin_[sentence]);
  }

  using Said = learn::Boostable::Said;
  // Adds what trees say, and tells it.
  void add(const trees::Predictor& predictor, const LabelHistories& histories,
           const Threads& threads, const Said& said = {});

 private:
  void add_sentence(std::size_t sentence, const trees::Predictor& predictor,
                    const LabelHistories& histories, const Said& said, std::vector<double>& values,
                    trees::Predictor::Scratch& scratch);

  TreeCorpus corpus_;
  std::vector<std::size_t> begin_{0};  // by sentence
  std::vector<float> scores_;
};

}  // namespace coppice::chain
