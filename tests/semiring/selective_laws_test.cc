// The laws of semiring.h for the discrete and selective semirings, and their products.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "coppice/base/error.h"
#include "coppice/semiring/boolean.h"
#include "coppice/semiring/counting.h"
#include "coppice/semiring/product.h"
#include "coppice/semiring/selective.h"
#include "coppice/semiring/top_k.h"
#include "support/semiring_laws.h"

namespace coppice {
namespace {

// Draws are small binary fractions, so that every sum and product of three is exact.
const auto kSame = [](const auto& a, const auto& b) { return a == b; };

double draw_eighths(Random& random) { return static_cast<double>(random.below(64)) / 8 - 4; }

template <class S>
double draw_score(Random& random) {
  return random.below(6) == 0 ? S::zero() : draw_eighths(random);
}

template <std::size_t K>
typename TopK<K>::Value draw_scores(Random& random) {
  auto value = TopK<K>::zero();
  const std::uint64_t count = random.below(K + 1);
  for (std::uint64_t i = 0; i < count; ++i) value[i] = draw_eighths(random);
  std::sort(value.begin(), value.end(), std::greater<>());
  return value;
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(BooleanSemiring, ObeysTheLaws) {
  const auto draw = [](Random& random) { return static_cast<unsigned char>(random.below(2)); };
  testing::expect_semiring_laws<BooleanSemiring>(draw, kSame);
  testing::expect_star_law<BooleanSemiring>(draw, kSame);
}

TEST(CountingSemiring, ObeysTheLaws) {
  const auto draw = [](Random& random) { return BigCount(random.next() >> random.below(65 - 1)); };
  const auto draw_or_zero = [&](Random& random) {
    return random.below(6) == 0 ? BigCount() : draw(random) * draw(random);
  };
  testing::expect_semiring_laws<CountingSemiring>(draw_or_zero, kSame);
}

TEST(CountingSemiring, RefusesToCountACycle) {
  EXPECT_EQ(CountingSemiring::star(BigCount()), BigCount(1));
  EXPECT_EQ(message_of([] { CountingSemiring::star(BigCount(3)); }),
            "counting: star of 3 diverges; a cycle has infinitely many derivations");
}

TEST(SaturatingCountingSemiring, ObeysTheLaws) {
  const auto draw = [](Random& random) {
    return random.below(6) == 0 ? 0 : random.next() >> random.below(64);
  };
  testing::expect_semiring_laws<SaturatingCountingSemiring>(draw, kSame);
  testing::expect_star_law<SaturatingCountingSemiring>(draw, kSame);
}

TEST(MaxPlusSemiring, ObeysTheLaws) {
  testing::expect_semiring_laws<MaxPlusSemiring>(draw_score<MaxPlusSemiring>, kSame);
  const auto draw = [](Random& random) { return draw_score<MaxPlusSemiring>(random) - 4; };
  testing::expect_star_law<MaxPlusSemiring>(draw, kSame);
  EXPECT_EQ(message_of([] { MaxPlusSemiring::star(0.5); }),
            "max-plus: star of 0.5 diverges; a cycle of positive score has no best derivation");
}

TEST(TropicalSemiring, ObeysTheLaws) {
  testing::expect_semiring_laws<TropicalSemiring>(draw_score<TropicalSemiring>, kSame);
  const auto draw = [](Random& random) { return draw_score<TropicalSemiring>(random) + 4; };
  testing::expect_star_law<TropicalSemiring>(draw, kSame);
  EXPECT_EQ(message_of([] { TropicalSemiring::star(-1); }),
            "tropical: star of -1 diverges; a cycle of negative cost has no cheapest derivation");
}

TEST(ViterbiSemiring, ObeysTheLaws) {
  const auto draw = [](Random& random) { return static_cast<double>(random.below(9)) / 8; };
  testing::expect_semiring_laws<ViterbiSemiring>(draw, kSame);
  testing::expect_star_law<ViterbiSemiring>(draw, kSame);
  EXPECT_EQ(message_of([] { ViterbiSemiring::star(1.5); }),
            "viterbi: star of 1.5 diverges; a cycle of weight above one has no best derivation");
}

TEST(TopK, ObeysTheLaws) {
  testing::expect_semiring_laws<TopK<1>>(draw_scores<1>, kSame);
  testing::expect_semiring_laws<TopK<3>>(draw_scores<3>, kSame);
  testing::expect_semiring_laws<TopK<8>>(draw_scores<8>, kSame);
}

TEST(TopK, SumsThePowersOfACycle) {
  const auto draw = [](Random& random) {
    auto value = draw_scores<5>(random);
    for (double& score : value) score -= 4;  // now at most zero
    return value;
  };
  testing::expect_star_law<TopK<5>>(draw, kSame);
  EXPECT_EQ(TopK<3>::star({-1, -1, -2}), (TopK<3>::Value{0, -1, -1}));
  EXPECT_EQ(TopK<3>::star(TopK<3>::one()), (TopK<3>::Value{0, 0, 0}));
  EXPECT_EQ(message_of([] {
              TopK<2>::star({1, 0});
            }),
            "top-k: star of a best score of 1 diverges; a cycle of positive score has no best "
            "derivation");
}

TEST(Product, ObeysTheLaws) {
  using S = Product<MaxPlusSemiring, SaturatingCountingSemiring, BooleanSemiring>;
  const auto draw = [](Random& random) {
    const double score = draw_score<MaxPlusSemiring>(random);
    return S::Value(score, random.below(5), static_cast<unsigned char>(random.below(2)));
  };
  testing::expect_semiring_laws<S>(draw, kSame);
  const auto draw_convergent = [&](Random& random) {
    auto value = draw(random);
    std::get<0>(value) -= 4;
    return value;
  };
  testing::expect_star_law<S>(draw_convergent, kSame);
}

struct NoStar : MaxPlusSemiring {
  static void star(double) = delete;
};

TEST(Product, HasAStarOnlyWhereEveryPartHasOne) {
  static_assert(ClosedSemiring<Product<BooleanSemiring, TropicalSemiring>>);
  static_assert(!ClosedSemiring<Product<BooleanSemiring, NoStar>>);
}

}  // namespace
}  // namespace coppice
