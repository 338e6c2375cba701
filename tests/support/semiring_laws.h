// The laws of semiring.h, tried on drawn values. Draws must include zero() now and then.
#pragma once

#include <gtest/gtest.h>

#include "coppice/base/random.h"
#include "coppice/semiring/semiring.h"

namespace coppice::testing {

// `draw(Random&)` gives a value; `near(a, b)` compares up to rounding.
template <Semiring S, class Draw, class Near>
void expect_semiring_laws(Draw draw, Near near, std::uint64_t rounds = 500) {
  const auto zero = S::zero(), one = S::one();
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const auto a = draw(random), b = draw(random), c = draw(random);
    ASSERT_TRUE(near(S::plus(a, b), S::plus(b, a)));
    ASSERT_TRUE(near(S::plus(S::plus(a, b), c), S::plus(a, S::plus(b, c))));
    ASSERT_TRUE(near(S::plus(a, zero), a));
    ASSERT_TRUE(near(S::times(S::times(a, b), c), S::times(a, S::times(b, c))));
    ASSERT_TRUE(near(S::times(a, one), a) && near(S::times(one, a), a));
    ASSERT_TRUE(near(S::times(a, zero), zero) && near(S::times(zero, a), zero));
    ASSERT_TRUE(near(S::times(a, S::plus(b, c)), S::plus(S::times(a, b), S::times(a, c))));
    ASSERT_TRUE(near(S::times(S::plus(a, b), c), S::plus(S::times(a, c), S::times(b, c))));
    if constexpr (SelectiveSemiring<S>) {
      ASSERT_TRUE(S::plus(a, b) == a || S::plus(a, b) == b);
    }
  }
}

// star(a) = one + a star(a), for values whose star converges.
template <ClosedSemiring S, class Draw, class Near>
void expect_star_law(Draw draw, Near near, std::uint64_t rounds = 500) {
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const auto a = draw(random);
    const auto star = S::star(a);
    ASSERT_TRUE(near(star, S::plus(S::one(), S::times(a, star))));
  }
}

}  // namespace coppice::testing
