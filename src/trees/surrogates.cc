#include "trees/surrogates.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "trees/split.h"

namespace coppice::trees {

namespace {

struct Candidate {
  Question question;
  std::int64_t corrected = 0;  // twice the examples that it saves from the wrong side
};

// The best question of every feature but the node's own, over the examples that have both values.
std::vector<Candidate> candidates(const Schema& schema, std::span<const BinSums> bins,
                                  const Sums& known, std::uint32_t own) {
  const States none;
  const SplitFinder finder(schema, none, {{Criterion::Kind::kL1, 0}, 1, 1, 0, {}});
  std::vector<Candidate> found;
  for (std::size_t at = 0; at < bins.size();) {
    const std::uint32_t feature = schema.feature_of(bins[at].bin);
    std::size_t end = at;
    Sums total;
    for (; end < bins.size() && bins[end].bin < schema.bins(feature).end; ++end) {
      total += bins[end].sums;
    }
    if (schema.kind(feature) == FeatureKind::kBinary) total = known;
    Question question = finder.of_feature(feature, bins.subspan(at, end - at), total);
    const std::int64_t right = question.right.gradient, left = total.gradient - right;
    const std::int64_t corrected = std::abs(left) + std::abs(right) - std::abs(total.gradient);
    if (feature != own && question.feature != kLeaf && corrected > 0) {
      found.push_back({std::move(question), corrected});
    }
    at = end;
  }
  return found;
}

}  // namespace

void add_surrogates(const SurrogateSearch& search, std::span<const std::uint32_t> rows,
                    unsigned count, Ensemble& tree, std::uint32_t node) {
  const EnsembleView view = tree.view();
  const Node question = tree.nodes[node];
  search.directions.resize(search.matrix.size());
  std::vector<std::uint32_t> known;
  Sums total;
  for (const std::uint32_t row : rows) {
    const auto bins = search.matrix.row(row);
    if (find_bin(bins, search.schema.bins(question.feature)) == kNoBin) continue;
    search.directions[row] = goes_right(search.schema, view, question, bins) ? 1 : -1;
    total += {search.directions[row], 1};
    known.push_back(row);
  }
  const Targets targets{.gradient = search.directions};
  search.histogram.add(known, {targets, 1, {}}, search.threads);
  std::vector<Candidate> found =
      candidates(search.schema, search.histogram.take(search.threads), total, question.feature);
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return a.corrected > b.corrected;
  });
  found.resize(std::min<std::size_t>(found.size(), count));
  Node& target = tree.nodes[node];
  target.surrogate_begin = static_cast<std::uint32_t>(tree.surrogates.size());
  target.num_surrogates = static_cast<std::uint16_t>(found.size());
  for (const Candidate& candidate : found) {
    Surrogate surrogate{candidate.question.feature, candidate.question.split, 0, 0};
    surrogate.reversed = candidate.question.right.gradient < 0;
    if (candidate.question.has_set()) {
      surrogate.has_set = 1;
      surrogate.split = static_cast<std::uint32_t>(tree.sets.size());
      tree.sets.insert(tree.sets.end(), candidate.question.set.begin(),
                       candidate.question.set.end());
    }
    tree.surrogates.push_back(surrogate);
  }
}

}  // namespace coppice::trees
