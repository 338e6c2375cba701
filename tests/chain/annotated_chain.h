// A random chain with a complete annotation, small enough to list every label sequence.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "chain/engine.h"
#include "chain/enumerate_chain.h"
#include "chain/listed_items.h"

namespace coppice::chain::testing {

struct AnnotatedChain {
  AnnotatedChain(std::uint64_t seed, const Scheme& of, std::size_t length)
      : scheme(of),
        chain(random_chain(seed, {length, of.labels.size(), 4.0})),
        scores(chain.scores) {
    Random random(seed, 5);
    if (seed % 2 == 1) forbid_bare_inside();
    while (gold.size() < length) {
      const auto label = static_cast<std::uint16_t>(random.below(of.labels.size()));
      if (!gold.empty() && std::isinf(chain.transitions.score(gold.back(), label))) continue;
      gold.push_back(label);
      begin.push_back(static_cast<std::uint32_t>(gold.size()));
    }
  }
  // As constraints do: no span begins with I or E, but for a sentence's first.
  void forbid_bare_inside() {
    const ItemRules rules(scheme.labels, scheme.scheme);
    std::vector<float> table(chain.labels * chain.stride);
    for (std::size_t u = 0; u < chain.labels; ++u) {
      for (std::size_t y = 0; y < chain.labels; ++y) {
        const bool is_bare = scheme.labels[y][0] == 'I' || scheme.labels[y][0] == 'E';
        table[u * chain.stride + y] =
            is_bare && rules.begins(u, y) ? kForbidden : chain.transitions.score(u, y);
      }
    }
    chain.transitions = Transitions(chain.labels, table);
  }
  ItemRules rules() const { return ItemRules(scheme.labels, scheme.scheme); }
  Counts counts(const Labels& answer) const { return counts_of(scheme, gold, answer); }
  std::uint32_t num_gold() const { return number_of_items(scheme, gold); }
  SentenceTarget target(const LossTables* tables) const {
    bool is_complete = true;
    for (std::size_t t = 0; t < chain.length; ++t) {
      is_complete = is_complete && begin[t] + 1 == begin[t + 1];
    }
    return {{begin, gold, is_complete}, tables};
  }
  // Calls use(engine) with an engine of the chain's scores, and returns what it returns. `scores`
  // and `pairs` get the derivatives.
  template <class Use>
  auto with_engine(const LossTables* tables, PairDerivatives& pairs, const Use& use) {
    scores = chain.scores;
    pairs.reset(chain.transitions);
    Workspace workspace;
    DenseEngine engine(scores.data(), chain.transitions, target(tables), pairs, workspace);
    return use(engine);
  }

  Scheme scheme;
  Chain chain;
  AlignedVector<float> scores;
  Labels gold;
  std::vector<std::uint32_t> begin{0};
};

template <class Check>
void for_each_annotated_chain(Check check) {
  for (const Scheme& scheme : kSchemes) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << text::to_string(scheme.scheme) << " seed " << seed);
      check(AnnotatedChain(seed, scheme, 1 + seed % 4));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace coppice::chain::testing
