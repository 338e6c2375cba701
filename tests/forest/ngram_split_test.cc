// The forest that is split by n-grams has the same derivations, and their edges complete the
// n-grams of their strings.
#include "coppice/forest/ngram_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "coppice/forest/derivation.h"
#include "coppice/forest/prune.h"
#include "support/distribution.h"
#include "support/expect_error.h"
#include "support/long_forests.h"
#include "support/random_yields.h"

namespace coppice {
namespace {

using testing::EdgeList;
using testing::WordList;
using NgramCounts = std::map<WordList, int>;
using Spelt = std::pair<EdgeList, NgramCounts>;

struct StringForest {
  Forest forest;
  EdgeMap<Yield> yields;
};

template <class Check>
void for_each_string_forest(Check check) {
  int checked = 0;
  for (std::uint64_t seed = 0; checked < 150; ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed, {.nodes = 5, .max_tails = 4});
    const double size = testing::num_derivations(forest);
    if (size == 0 || size > 100) continue;
    check(StringForest{forest, testing::random_yields(forest, seed)});
    if (::testing::Test::HasFatalFailure()) return;
    ++checked;
  }
}

std::vector<Spelt> expected_ngrams(const StringForest& strings, unsigned order) {
  std::vector<Spelt> all;
  for (const EdgeList& edges : testing::derivations(strings.forest, strings.forest.root())) {
    const WordList words = testing::slow_string(strings.forest, strings.yields, edges);
    all.emplace_back(edges, testing::ngram_counts(words, order));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Spelt> completed_ngrams(const NgramForest& split) {
  std::vector<Spelt> all;
  for (const EdgeList& edges : testing::derivations(split.forest, split.forest.root())) {
    NgramCounts counts;
    for (EdgeId edge : edges) {
      for (NgramId ngram : split.completed[edge].ids) ++counts[split.ngrams.words(ngram)];
    }
    all.emplace_back(unsplit(split, edges), std::move(counts));
  }
  std::sort(all.begin(), all.end());
  return all;
}

// How many pairs of first and last words the strings of a node have.
std::size_t num_ends(const StringForest& strings, NodeId node, std::size_t length) {
  std::set<std::pair<WordList, WordList>> ends;
  for (const EdgeList& edges : testing::derivations(strings.forest, node)) {
    const WordList words = testing::slow_string(strings.forest, strings.yields, edges);
    const auto kept = static_cast<std::ptrdiff_t>(std::min(words.size(), length));
    ends.emplace(WordList(words.begin(), words.begin() + kept),
                 WordList(words.end() - kept, words.end()));
  }
  return ends.size();
}

TEST(StringOf, AgreesWithRecursion) {
  for_each_string_forest([](const StringForest& strings) {
    for (const EdgeList& edges : testing::derivations(strings.forest, strings.forest.root())) {
      ASSERT_EQ(string_of(strings.forest, strings.yields, edges),
                testing::slow_string(strings.forest, strings.yields, edges));
    }
  });
}

TEST(StringOf, DoesNotRecurse) {
  constexpr std::uint32_t kNodes = 100'000;
  const Forest forest = testing::chain_forest(kNodes, 1);
  EdgeMap<Yield> yields(kNodes, {WordId{7}, TailId{0}});
  yields[EdgeId{0}] = {};
  EdgeList edges(forest.edges().begin(), forest.edges().end());
  std::reverse(edges.begin(), edges.end());
  EXPECT_EQ(string_of(forest, yields, edges), WordList(kNodes - 1, WordId{7}));
}

TEST(SplitByNgrams, CompletesTheNgramsOfEveryDerivation) {
  for (unsigned order = 1; order <= 4; ++order) {
    SCOPED_TRACE(order);
    for_each_string_forest([&](const StringForest& strings) {
      const NgramForest split = split_by_ngrams(strings.forest, strings.yields, order);
      ASSERT_EQ(split.completed.size(), split.forest.num_edges());
      ASSERT_EQ(completed_ngrams(split), expected_ngrams(strings, order));
    });
  }
}

TEST(SplitByNgrams, MakesOneNodeForEachPairOfEnds) {
  for (unsigned order = 1; order <= 4; ++order) {
    SCOPED_TRACE(order);
    for_each_string_forest([&](const StringForest& strings) {
      const EdgeMap<unsigned char> useful = useful_edges(strings.forest);
      std::size_t expected = 1, largest = 0;  // the goal
      for (NodeId node : strings.forest.nodes()) {
        const auto incoming = strings.forest.incoming(node);
        const auto is_useful = [&](EdgeId edge) { return useful[edge] != 0; };
        if (std::none_of(incoming.begin(), incoming.end(), is_useful)) continue;
        const std::size_t splits = num_ends(strings, node, order - 1);
        expected += splits;
        largest = std::max(largest, splits);
      }
      const NgramForest split = split_by_ngrams(strings.forest, strings.yields, order);
      ASSERT_EQ(split.forest.num_nodes(), expected);
      ASSERT_EQ(split.largest_splits, largest);
    });
  }
}

TEST(SplitByNgrams, HasTheNgramsThatOccurAndNoOthers) {
  for_each_string_forest([](const StringForest& strings) {
    std::set<WordList> expected{{}}, found;
    for (const auto& [edges, counts] : expected_ngrams(strings, 3)) {
      for (const auto& [words, count] : counts) expected.insert(words);
    }
    const NgramForest split = split_by_ngrams(strings.forest, strings.yields, 3);
    for (NgramId ngram : IdRange<NgramId>(split.ngrams.size())) {
      found.insert(split.ngrams.words(ngram));
    }
    ASSERT_EQ(found, expected);
    ASSERT_EQ(found.size(), split.ngrams.size());
  });
}

TEST(SplitByNgrams, MakesAForestWithoutDerivationsEmpty) {
  EXPECT_TRUE(split_by_ngrams(Forest(), {}, 2).forest.empty());
  const Forest forest = testing::chain_forest(2, 0);
  EXPECT_TRUE(split_by_ngrams(forest, EdgeMap<Yield>(1, {TailId{0}}), 2).forest.empty());
}

TEST(SplitByNgrams, SaysWhatIsWrong) {
  const Forest forest = testing::chain_forest(2, 2);
  const EdgeMap<Yield> yields(
      std::vector<Yield>{{WordId{0}}, {WordId{1}}, {WordId{2}, TailId{0}, WordId{2}}});
  const auto error = [&](const EdgeMap<Yield>& bad, unsigned order, const SplitOptions& options) {
    return testing::error_of([&] { split_by_ngrams(forest, bad, order, options); });
  };
  EXPECT_EQ(error(yields, 2, {}), "no error");
  EXPECT_EQ(error(yields, 0, {}), "split_by_ngrams: an order of 0; expected 1 or more");
  EXPECT_EQ(error(yields, 2, {.max_nodes = 2}),
            "split_by_ngrams: more than 2 nodes; prune the forest first, or raise max_nodes");
  EXPECT_EQ(error(yields, 2, {.max_edges = 3}),
            "split_by_ngrams: more than 3 edges; prune the forest first, or raise max_edges");
  EXPECT_EQ(error({}, 2, {}), "yields: 0 yields for a forest of 3 edges");
  for (const Yield& bad : {Yield{}, Yield{TailId{1}}, Yield{TailId{0}, TailId{0}}}) {
    EdgeMap<Yield> changed = yields;
    changed[EdgeId{2}] = bad;
    EXPECT_EQ(error(changed, 2, {}), "yields: edge 2 does not have each of its 1 tails once");
  }
}

}  // namespace
}  // namespace coppice
