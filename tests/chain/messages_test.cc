// Messages against the list of all label sequences, and where floats would give up.
#include "chain/messages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chain/enumerate_chain.h"

namespace coppice::chain {
namespace {

using testing::Chain;
using testing::kForbidden;

Messages messages_of(const Chain& chain) {
  Messages messages;
  messages.compute(chain.scores.data(), chain.length, chain.transitions);
  return messages;
}

// ln p of the label at the token by enumeration; -inf where it is impossible.
double enumerated(const Chain& chain, std::size_t token, std::size_t label) {
  std::vector<double> all, some;
  testing::each_sequence(chain.length, chain.labels, [&](const auto& labels) {
    all.push_back(testing::score_of(chain, labels));
    if (labels[token] == label) some.push_back(all.back());
  });
  return log_sum(some) - log_sum(all);
}

TEST(Messages, AddUpToPosteriors) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Chain chain = testing::random_chain(
        seed, {.length = 1 + seed % 5, .labels = 2 + seed % 3, .forbid_one_in = seed % 4 * 5});
    const Messages messages = messages_of(chain);
    if (std::isinf(messages.log_partition())) continue;
    for (std::size_t t = 0; t < chain.length; ++t) {
      for (std::size_t y = 0; y < chain.labels; ++y) {
        const double found =
            messages.forward(t)[y] + messages.backward(t)[y] - messages.log_partition();
        const double expected = enumerated(chain, t, y);
        EXPECT_NEAR(std::exp(found), std::exp(expected), 1e-6) << seed;
        if (std::isfinite(expected)) {
          EXPECT_NEAR(found, expected, 1e-5) << seed;
        }
      }
    }
  }
}

TEST(Messages, StandScoresThatFloatsDoNot) {
  const Chain chain = testing::random_chain(7, {.length = 5, .labels = 3, .spread = 4000});
  const Messages messages = messages_of(chain);
  for (std::size_t t = 0; t < chain.length; ++t) {
    for (std::size_t y = 0; y < chain.labels; ++y) {
      const double found =
          messages.forward(t)[y] + messages.backward(t)[y] - messages.log_partition();
      EXPECT_NEAR(found, enumerated(chain, t, y), 1e-2);
    }
  }
}

TEST(Messages, KnowWhenNothingIsPossible) {
  Chain chain = testing::random_chain(1, {.length = 3, .labels = 2});
  for (std::size_t y = 0; y < 2; ++y) chain.scores[chain.stride + y] = kForbidden;
  const Messages messages = messages_of(chain);
  EXPECT_EQ(messages.log_partition(), kForbidden);
  EXPECT_EQ(segment_probability(messages, chain.scores.data(), chain.transitions, 0,
                                std::vector<std::uint16_t>{0}),
            0);
}

TEST(Messages, OfAnEmptySentenceAreNone) {
  const Chain chain = testing::random_chain(1, {.length = 0, .labels = 2});
  EXPECT_EQ(messages_of(chain).log_partition(), 0);
}

TEST(Messages, GiveTheProbabilityOfASegment) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Chain chain = testing::random_chain(seed, {.length = 5, .labels = 3});
    const std::vector<std::uint16_t> segment{1, 2, 0};
    const std::size_t begin = seed % 3;
    std::vector<double> all, some;
    testing::each_sequence(chain.length, chain.labels, [&](const auto& labels) {
      all.push_back(testing::score_of(chain, labels));
      if (std::equal(segment.begin(), segment.end(),
                     labels.begin() + static_cast<std::ptrdiff_t>(begin))) {
        some.push_back(all.back());
      }
    });
    EXPECT_NEAR(segment_probability(messages_of(chain), chain.scores.data(), chain.transitions,
                                    begin, segment),
                std::exp(log_sum(some) - log_sum(all)), 1e-6);
  }
}

}  // namespace
}  // namespace coppice::chain
