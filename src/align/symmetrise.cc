#include "coppice/align/symmetrise.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::align {

namespace {

constexpr std::array<std::string_view, 7> kNames = {
    "forward",   "backward",        "intersect",          "union",
    "grow-diag", "grow-diag-final", "grow-diag-final-and"};

constexpr std::array<std::pair<int, int>, 8> kNeighbours = {
    {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

// Of a grid: some ten bytes each would be too many with positions from a damaged file.
constexpr std::size_t kMaxCells = std::size_t{1} << 24;

enum Direction : unsigned char { kInForward = 1, kInBackward = 2 };

// The links of both directions as a grid, and which have been taken.
class Grid {
 public:
  Grid(std::span<const text::AlignmentLink> forward,
       std::span<const text::AlignmentLink> backward) {
    for (const auto& links : {forward, backward}) {
      for (const text::AlignmentLink& link : links) {
        sources_ = std::max<std::size_t>(sources_, link.source + 1);
        targets_ = std::max<std::size_t>(targets_, link.target + 1);
      }
    }
    require(sources_ <= kMaxCells / targets_, "links to words ", sources_ - 1, " and ",
            targets_ - 1, " are those of sentences too long to symmetrise");
    directions_.assign(sources_ * targets_, 0);
    taken_.assign(sources_ * targets_, 0);
    source_taken_.assign(sources_, 0);
    target_taken_.assign(targets_, 0);
    for (const text::AlignmentLink& link : forward) directions_[at(link)] |= kInForward;
    for (const text::AlignmentLink& link : backward) directions_[at(link)] |= kInBackward;
  }

  bool is_in_both(const text::AlignmentLink& link) const {
    return directions_[at(link)] == (kInForward | kInBackward);
  }
  bool is_taken(const text::AlignmentLink& link) const { return taken_[at(link)] != 0; }
  void take(const text::AlignmentLink& link) { take(link.source, link.target); }

  void grow() {
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t source = 0; source < sources_; ++source) {
        if (source_taken_[source] == 0) continue;
        for (std::size_t target = 0; target < targets_; ++target) {
          if (taken_[source * targets_ + target] != 0 && take_neighbours(source, target))
            grows = true;
        }
      }
    }
  }

  // Takes the links of which both words, or one of them, have none.
  void finish(std::span<const text::AlignmentLink> links, bool both) {
    for (const text::AlignmentLink& link : links) {
      const bool source = source_taken_[link.source] == 0;
      const bool target = target_taken_[link.target] == 0;
      if (both ? source && target : source || target) take(link);
    }
  }

 private:
  std::size_t at(const text::AlignmentLink& link) const {
    return link.source * targets_ + link.target;
  }

  void take(std::size_t source, std::size_t target) {
    taken_[source * targets_ + target] = 1;
    source_taken_[source] = 1;
    target_taken_[target] = 1;
  }

  bool take_neighbours(std::size_t source, std::size_t target) {
    bool grows = false;
    for (const auto& [step, other_step] : kNeighbours) {
      const std::size_t near = source + static_cast<std::size_t>(step);  // wraps below 0
      const std::size_t other = target + static_cast<std::size_t>(other_step);
      if (near >= sources_ || other >= targets_) continue;
      const bool has_free_word = source_taken_[near] == 0 || target_taken_[other] == 0;
      if (!has_free_word || directions_[near * targets_ + other] == 0) continue;
      take(near, other);
      grows = true;
    }
    return grows;
  }

  std::size_t sources_ = 0, targets_ = 0;
  std::vector<unsigned char> directions_, taken_;
  std::vector<unsigned char> source_taken_, target_taken_;
};

Links union_of(std::span<const text::AlignmentLink> forward,
               std::span<const text::AlignmentLink> backward) {
  Links links;
  links.reserve(forward.size() + backward.size());
  std::merge(forward.begin(), forward.end(), backward.begin(), backward.end(),
             std::back_inserter(links), text::comes_before);
  const auto same = [](const auto& a, const auto& b) { return a.same_words(b); };
  links.erase(std::unique(links.begin(), links.end(), same), links.end());
  return links;
}

Links best_of(const LinkMatrix& posteriors, bool swapped) {
  Links links;
  const std::vector<std::uint32_t> best = best_links(posteriors);
  for (std::uint32_t j = 0; j < best.size(); ++j) {
    if (best[j] == kUnlinked) continue;
    links.push_back({swapped ? j : best[j], swapped ? best[j] : j});
  }
  std::ranges::sort(links, text::comes_before);
  return links;
}

}  // namespace

Symmetrisation parse_symmetrisation(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  require(found != kNames.end(), "no symmetrisation is called \"", name, "\"");
  return static_cast<Symmetrisation>(found - kNames.begin());
}

std::vector<std::string> symmetrisation_names() { return {kNames.begin(), kNames.end()}; }

Links symmetrise(std::span<const text::AlignmentLink> forward,
                 std::span<const text::AlignmentLink> backward, Symmetrisation how) {
  if (how == Symmetrisation::kForward) return {forward.begin(), forward.end()};
  if (how == Symmetrisation::kBackward) return {backward.begin(), backward.end()};
  Links links = union_of(forward, backward);
  if (how == Symmetrisation::kUnion || links.empty()) return links;
  Grid grid(forward, backward);
  for (const text::AlignmentLink& link : links) {
    if (grid.is_in_both(link)) grid.take(link);
  }
  if (how != Symmetrisation::kIntersect) grid.grow();
  const bool both = how == Symmetrisation::kGrowDiagFinalAnd;
  if (both || how == Symmetrisation::kGrowDiagFinal) {
    grid.finish(forward, both);
    grid.finish(backward, both);
  }
  std::erase_if(links, [&](const text::AlignmentLink& link) { return !grid.is_taken(link); });
  return links;
}

AlignedPair choose_links(const PairPosteriors& posteriors, const LinkChoice& choice) {
  AlignedPair pair;
  pair.links = symmetrise(best_of(posteriors.forward, false), best_of(posteriors.backward, true),
                          choice.symmetrisation);
  for (text::AlignmentLink& link : pair.links)
    link.probability = posteriors.link(link.source, link.target);
  if (!choice.min_posterior) return pair;
  for (std::uint32_t source = 0; source < posteriors.forward.sources(); ++source) {
    for (std::uint32_t target = 0; target < posteriors.forward.targets(); ++target) {
      const double probability = posteriors.link(source, target);
      if (probability >= *choice.min_posterior)
        pair.posteriors.push_back({.source = source, .target = target, .probability = probability});
    }
  }
  return pair;
}

}  // namespace coppice::align
