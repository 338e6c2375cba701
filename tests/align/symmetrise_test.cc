// Symmetrisation, against Koehn's pseudo code word by word.
#include "coppice/align/symmetrise.h"

#include <gtest/gtest.h>

#include <set>

#include "coppice/base/random.h"
#include "support/expect_error.h"

namespace coppice::align {

namespace {

using Point = std::pair<int, int>;
using Points = std::set<Point>;

struct PseudoCode {
  Points forward, backward, all, taken;
  int sources, targets;

  bool source_is_aligned(int e) const {
    for (const Point& p : taken)
      if (p.first == e) return true;
    return false;
  }
  bool target_is_aligned(int f) const {
    for (const Point& p : taken)
      if (p.second == f) return true;
    return false;
  }

  void grow_diag() {
    const Point neighbouring[] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                  {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    for (bool added = true; added;) {
      added = false;
      for (int e = 0; e < sources; ++e) {
        for (int f = 0; f < targets; ++f) {
          if (!taken.contains({e, f})) continue;
          for (const Point& step : neighbouring) {
            const Point next{e + step.first, f + step.second};
            if ((!source_is_aligned(next.first) || !target_is_aligned(next.second)) &&
                all.contains(next)) {
              taken.insert(next);
              added = true;
            }
          }
        }
      }
    }
  }

  void final(const Points& points, bool both) {
    for (const Point& p : points) {
      const bool e = !source_is_aligned(p.first), f = !target_is_aligned(p.second);
      if (both ? e && f : e || f) taken.insert(p);
    }
  }
};

Links to_links(const Points& points) {
  Links links;
  for (const auto& [source, target] : points)
    links.push_back({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target)});
  return links;
}

TEST(Symmetrise, AgreesWithThePseudoCode) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    PseudoCode code;
    code.sources = 1 + static_cast<int>(random.below(7));
    code.targets = 1 + static_cast<int>(random.below(7));
    const auto draw = [&](std::uint64_t below) { return static_cast<int>(random.below(below)); };
    for (int f = 0; f < code.targets; ++f)
      if (random.below(4) > 0) code.forward.insert({draw(code.sources), f});
    for (int e = 0; e < code.sources; ++e)
      if (random.below(4) > 0) code.backward.insert({e, draw(code.targets)});
    Points both;
    for (const Point& p : code.forward)
      if (code.backward.contains(p)) both.insert(p);
    code.all = code.forward;
    code.all.insert(code.backward.begin(), code.backward.end());
    const auto check = [&](Symmetrisation how, const Points& expected) {
      const Links found = symmetrise(to_links(code.forward), to_links(code.backward), how);
      EXPECT_EQ(text::pharaoh_line(found), text::pharaoh_line(to_links(expected)))
          << "seed " << seed << " how " << static_cast<int>(how);
    };
    check(Symmetrisation::kForward, code.forward);
    check(Symmetrisation::kBackward, code.backward);
    check(Symmetrisation::kIntersect, both);
    check(Symmetrisation::kUnion, code.all);
    code.taken = both;
    code.grow_diag();
    check(Symmetrisation::kGrowDiag, code.taken);
    const Points grown = code.taken;
    code.final(code.forward, false);
    code.final(code.backward, false);
    check(Symmetrisation::kGrowDiagFinal, code.taken);
    code.taken = grown;
    code.final(code.forward, true);
    code.final(code.backward, true);
    check(Symmetrisation::kGrowDiagFinalAnd, code.taken);
  }
}

TEST(Symmetrise, TakesNoLinks) {
  for (std::size_t how = 0; how < symmetrisation_names().size(); ++how) {
    EXPECT_EQ(parse_symmetrisation(symmetrisation_names()[how]), static_cast<Symmetrisation>(how));
    EXPECT_TRUE(symmetrise({}, {}, static_cast<Symmetrisation>(how)).empty());
  }
  EXPECT_EQ(testing::error_of([] { parse_symmetrisation("both"); }),
            "no symmetrisation is called \"both\"");
}

TEST(ChooseLinks, HasTheMeanPosterior) {
  PairPosteriors posteriors;
  posteriors.forward.reset(2, 1);
  posteriors.forward.row(0)[1] = 0.75;
  posteriors.forward.row(0)[2] = 0.25;
  posteriors.backward.reset(1, 2);
  posteriors.backward.row(0)[1] = 1;
  posteriors.backward.row(1)[0] = 1;
  const AlignedPair pair = choose_links(
      posteriors, {.symmetrisation = Symmetrisation::kIntersect, .min_posterior = 0.1});
  EXPECT_EQ(text::pharaoh_line(pair.links, text::Probabilities::kWrite), "0-0:0.8750");
  EXPECT_EQ(text::pharaoh_line(pair.posteriors, text::Probabilities::kWrite),
            "0-0:0.8750 1-0:0.1250");
}

}  // namespace

}  // namespace coppice::align
