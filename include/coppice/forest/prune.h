// Smaller forests: without useless parts, and without what a model finds unlikely.
//
// A node is useful when it derives something and some derivation of the root uses it; an edge is
// useful when some derivation of the root does. All functions here return useful parts only, in
// their old order, with maps from the new ids to the old. The derivations of the result are
// those of the old forest that consist of kept edges.
//
//     prune_by_marginal       keeps edges of posterior probability >= threshold
//     prune_by_max_marginal   keeps edges whose best derivation scores >= best - beam
//
// The best derivation always survives, also where rounding would put its edges below the limit.
// A forest without derivations becomes the empty forest.
//
// Cost: O(nodes + edges + tails).
#pragma once

#include "coppice/forest/forest.h"
#include "coppice/forest/record.h"

namespace coppice {

struct PrunedForest {
  Forest forest;
  NodeMap<NodeId> node_of;  // new node -> old node
  EdgeMap<EdgeId> edge_of;  // new edge -> old edge
};

// 1 for each edge that is `kept` and useful among the kept edges, 0 for the others.
EdgeMap<unsigned char> useful_edges(const Forest& forest, const EdgeMap<unsigned char>& kept);
EdgeMap<unsigned char> useful_edges(const Forest& forest);

// The forest of the kept edges. Throws InvalidArgument unless there is one flag per edge.
PrunedForest keep_edges(const Forest& forest, const EdgeMap<unsigned char>& kept);

// For each edge the score of the best derivation that uses it; -inf where there is none.
// Throws InvalidArgument unless there is one score per edge.
EdgeMap<double> max_marginals(const Forest& forest, const EdgeMap<double>& scores);

// Requires beam >= 0, in the unit of the scores; throws InvalidArgument otherwise.
PrunedForest prune_by_max_marginal(const Forest& forest, const EdgeMap<double>& scores,
                                   double beam);

// `marginals` are probabilities, of the same scores or of another model's. Requires a threshold
// in [0, 1]; throws InvalidArgument otherwise.
PrunedForest prune_by_marginal(const Forest& forest, const EdgeMap<double>& scores,
                               const EdgeMap<double>& marginals, double threshold);

// The record of a pruned forest: id, tokens and meta as they were, labels, spans, scores and values
// of what is left. Requires a `pruned` that came of record.forest; throws InvalidArgument when it
// names nodes or edges that the record does not have. O(size).
ForestRecord restrict_record(const ForestRecord& record, PrunedForest pruned);

}  // namespace coppice
