#include "trees/split.h"

#include <algorithm>

#include "base/reduce.h"

namespace coppice::trees {

namespace {

void keep_better(Question& best, Question&& other) {
  if (other.feature != kLeaf && other.worth > best.worth) best = std::move(other);
}

}  // namespace

// -1 where a side is too light to be a leaf.
double SplitFinder::worth_of_sides(const Sums& left, const Sums& right) const noexcept {
  if (left.curvature <= 0 || right.curvature <= 0) return -1;
  const double lighter = static_cast<double>(std::min(left.curvature, right.curvature));
  if (lighter * rules_.curvature_unit < rules_.min_curvature) return -1;
  return worth_as_side(left) + worth_as_side(right);
}

// Tries every cut between two pieces, with what is missing on either side, and missing against all.
SplitFinder::Cut SplitFinder::best_cut(std::span<const Piece> pieces, const Sums& missing) const {
  Cut best;
  Sums known;
  for (const Piece& piece : pieces) known += piece.sums;
  Sums left;
  for (std::size_t count = 1; count <= pieces.size(); ++count) {
    left += pieces[count - 1].sums;
    const Sums right = known - left;
    const auto consider = [&](const Sums& left_side, const Sums& right_side, bool default_right) {
      const double value = worth_of_sides(left_side, right_side);
      if (value > best.worth) best = {count, default_right, value, right_side};
    };
    if (missing.curvature == 0) {
      consider(left, right, right.curvature > left.curvature);
    } else {
      consider(left, right + missing, true);
      consider(left + missing, right, false);
    }
  }
  return best;
}

Question SplitFinder::of_set(std::vector<Piece> pieces, std::size_t members,
                             const Sums& total) const {
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    const double left =
        static_cast<double>(a.sums.gradient) * static_cast<double>(b.sums.curvature);
    const double right =
        static_cast<double>(b.sums.gradient) * static_cast<double>(a.sums.curvature);
    return left != right ? left < right : a.member < b.member;
  });
  Sums missing = total;
  for (const Piece& piece : pieces) missing = missing - piece.sums;
  const Cut cut = best_cut(pieces, missing);
  Question question;
  if (cut.worth < 0) return question;
  question.worth = cut.worth;
  question.right = cut.right;
  question.default_right = cut.default_right;
  // A value that no example of the node has goes where a missing one goes.
  question.set.assign(set_words(members), cut.default_right ? ~std::uint64_t{0} : 0);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << (pieces[i].member % 64);
    std::uint64_t& word = question.set[pieces[i].member / 64];
    word = i < cut.count ? word & ~bit : word | bit;
  }
  return question;
}

Question SplitFinder::of_feature(std::uint32_t feature, std::span<const BinSums> bins,
                                 const Sums& total) const {
  Question question;
  const BinRange range = schema_.bins(feature);
  std::vector<Piece> pieces;
  for (const BinSums& entry : bins) pieces.push_back({entry.bin - range.begin, entry.sums});
  if (schema_.kind(feature) == FeatureKind::kBinary) {
    if (bins.empty()) return question;
    question.worth = worth_of_sides(total - bins[0].sums, bins[0].sums);
    question.right = bins[0].sums;
  } else if (schema_.kind(feature) == FeatureKind::kCategorical) {
    question = of_set(std::move(pieces), range.size(), total);
  } else {
    Sums missing = total;
    for (const Piece& piece : pieces) missing = missing - piece.sums;
    const Cut cut = best_cut(pieces, missing);
    if (cut.worth < 0) return question;
    question.worth = cut.worth;
    question.right = cut.right;
    question.default_right = cut.default_right;
    question.split = pieces[cut.count - 1].member + range.begin;
  }
  if (question.worth > 0) question.feature = feature;
  return question;
}

Question SplitFinder::of_states(std::span<const std::uint16_t> states,
                                std::span<const Sums> state_sums, std::size_t factor,
                                const Sums& total) const {
  const std::vector<std::uint16_t>& values = states_.factors[factor];
  std::vector<Sums> by_value(std::size_t{*std::max_element(values.begin(), values.end())} + 1);
  for (std::size_t i = 0; i < states.size(); ++i) by_value[values[states[i]]] += state_sums[i];
  std::vector<Piece> pieces;
  for (std::size_t value = 0; value < by_value.size(); ++value) {
    if (by_value[value].curvature != 0) {
      pieces.push_back({static_cast<std::uint32_t>(value), by_value[value]});
    }
  }
  const Question by_values = of_set(std::move(pieces), by_value.size(), total);
  Question question = by_values;
  if (by_values.set.empty() || by_values.worth <= 0) return {};
  question.feature = kStateFeature;
  question.default_right = false;
  question.set.assign(set_words(states_.count), 0);
  for (std::size_t state = 0; state < states_.count; ++state) {
    if (set_has(by_values.set, values[state])) {
      question.set[state / 64] |= std::uint64_t{1} << (state % 64);
    }
  }
  return question;
}

Question SplitFinder::best_binary(std::span<const BinSums> bins, const Sums& total) const {
  Question best;
  const BinSums* chosen = nullptr;
  for (const BinSums& entry : bins) {
    if (!rules_.features.empty() && !allows(schema_.feature_of(entry.bin))) continue;
    const double value = worth_of_sides(total - entry.sums, entry.sums);
    if (value > best.worth) {
      best.worth = value;
      chosen = &entry;
    }
  }
  if (chosen != nullptr) {
    best.feature = schema_.feature_of(chosen->bin);
    best.right = chosen->sums;
  }
  return best;
}

Question SplitFinder::best(std::span<const BinSums> bins, const Sums& total,
                           std::span<const std::uint16_t> states, std::span<const Sums> state_sums,
                           const Threads& threads) const {
  Question best;
  // A split must exceed the node's own worth; noise of rounding is no reason to split.
  best.worth = worth(total) * (1 + 1e-12);
  for (std::size_t factor = 0; factor < states_.factors.size() && states.size() > 1; ++factor) {
    keep_better(best, of_states(states, state_sums, factor, total));
  }
  const auto first_binary = static_cast<std::size_t>(
      std::lower_bound(bins.begin(), bins.end(), schema_.column_bins(),
                       [](const BinSums& entry, std::uint32_t bin) { return entry.bin < bin; }) -
      bins.begin());
  for (std::size_t at = 0; at < first_binary;) {
    const std::uint32_t feature = schema_.feature_of(bins[at].bin);
    std::size_t end = at;
    while (end < first_binary && bins[end].bin < schema_.bins(feature).end) ++end;
    if (allows(feature)) keep_better(best, of_feature(feature, bins.subspan(at, end - at), total));
    at = end;
  }
  const std::span<const BinSums> binary = bins.subspan(first_binary);
  std::vector<Question> found(num_chunks(binary.size()));
  for_elements(threads, binary.size(), [&](std::size_t first, std::size_t last) {
    found[first / kChunkElements] = best_binary(binary.subspan(first, last - first), total);
  });
  for (Question& question : found) keep_better(best, std::move(question));
  return best;
}

}  // namespace coppice::trees
