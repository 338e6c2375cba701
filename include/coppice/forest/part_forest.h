// A forest whose edges are made of parts: what a structure says about an input, and what potentials
// score.
//
//     score(edge) = sum over the edge's parts of score(part)
//     d f / d score(part) = sum over the edges that have the part of  d f / d score(edge)
//
// A part is whatever one score is given to: a label at a token, a pair of labels, a rule over a
// span, a dependency. Several edges may share a part, and an edge may have the same part twice,
// which then counts twice. An edge without parts has the score 0.
//
// Cost of either direction: one addition per edge and part of it. Memory: 4 bytes per edge, 4 per
// part of an edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "coppice/base/id.h"
#include "coppice/forest/forest.h"

namespace coppice {

enum class PartId : std::uint32_t {};

// The part that comes so many after another one.
constexpr PartId operator+(PartId part, std::size_t count) noexcept {
  return static_cast<PartId>(index(part) + count);
}

// The parts of each edge, in the order of the edges.
class EdgeParts {
 public:
  // Appends the row of the next edge.
  void add_edge(std::span<const PartId> parts) {
    parts_.insert(parts_.end(), parts.begin(), parts.end());
    begin_.push_back(static_cast<std::uint32_t>(parts_.size()));
  }
  void add_edge(std::initializer_list<PartId> parts) {
    add_edge(std::span(parts.begin(), parts.size()));
  }
  void clear() {
    begin_.assign(1, 0);
    parts_.clear();
  }

  std::size_t size() const noexcept { return begin_.size() - 1; }  // edges
  std::span<const PartId> operator[](EdgeId edge) const noexcept {
    const std::size_t begin = begin_[index(edge)];
    return {parts_.data() + begin, begin_[index(edge) + 1] - begin};
  }

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<PartId> parts_;
};

struct PartForest {
  Forest forest{};
  EdgeParts parts{};
};

// The scores of the edges. Throws InvalidArgument unless there is a row of parts for each edge, and
// a score for each part.
EdgeMap<double> edge_scores(const PartForest& forest, std::span<const float> part_scores);

// Replaces `by_part` by the derivatives of what has these derivatives by the scores of the edges.
// Requires what edge_scores() requires.
void part_derivatives(const EdgeParts& parts, const EdgeMap<double>& by_edge,
                      std::span<float> by_part);

// How often derivations use each part: E[n_part], its posterior where no derivation uses it twice.
// Errors: marginals.h.
std::vector<double> part_marginals(const PartForest& forest, const EdgeMap<double>& scores,
                                   std::size_t num_parts);

}  // namespace coppice
