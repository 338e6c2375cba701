#include "chain/boosted_lattices.h"

#include <algorithm>
#include <utility>

#include "chain/forbidden.h"

namespace coppice::chain {

namespace {

std::vector<float> constrained_pairs(std::size_t labels, const Constraints& constraints) {
  std::vector<float> scores(labels * row_stride(labels), 0.0f);
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t y = 0; y < labels; ++y) {
      if (!constraints.allows(u, y, labels)) scores[u * row_stride(labels) + y] = kForbidden;
    }
  }
  return scores;
}

}  // namespace

PlainChain::PlainChain(std::size_t labels, const Constraints& constraints)
    : transitions_(labels, constrained_pairs(labels, constraints)) {}

void BoostedLattices::add(LabelLattice lattice, const LatticeScores& of_parts) {
  std::vector<float>& own = scores.emplace_back(lattice.num_edges());
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
      own[e] = static_cast<float>(of_parts.of(lattice, t, e));
    }
  }
  std::fill(lattice.parts.begin(), lattice.parts.end(), LabelLattice::kNoPart);
  lattices.push_back(std::move(lattice));
}

void BoostedLattices::add(float* rows, std::size_t length, const LabelModel& model,
                          const Constraints& constraints, const Annotation* gold,
                          Workspace& workspace) {
  if (length == 0) return add(LabelLattice(), {});
  const std::size_t stride = model.transitions.stride();
  forbid_ends(constraints, model.transitions.labels(), {rows, length * stride});
  add(coarse_to_fine(rows, length, model, gold, workspace), {rows, stride, model.parts});
}

}  // namespace coppice::chain
