// WideFloat and SignedLog against long double, whose range is e^(+-11356), and at their edges.
#include "coppice/base/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "coppice/base/random.h"
#include "coppice/base/signed_log.h"
#include "coppice/base/wide_float.h"
#include "support/seeds.h"

namespace coppice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

static_assert(Number<double> && Number<WideFloat> && Number<SignedLog>);

template <class T>
class WideNumber : public ::testing::Test {};
using WideTypes = ::testing::Types<WideFloat, SignedLog>;
TYPED_TEST_SUITE(WideNumber, WideTypes);

// A number and the same in long double; its logarithm lies within +-range.
template <class T>
struct Pair {
  T value;
  long double expected;
};

template <class T>
Pair<T> draw(Random& random, double range) {
  const double log = (2 * random.uniform() - 1) * range;
  const T magnitude = T::exp(log);
  const long double expected = std::exp(static_cast<long double>(log));
  if (random.below(20) == 0) return {T(), 0};
  if (random.below(2) == 0) return {-magnitude, -expected};
  return {magnitude, expected};
}

// Relative to the largest operand, whose logarithm carries the rounding of `range`.
template <class T>
void expect_equal(const T& value, long double expected, long double scale) {
  const bool negative = value < T();
  ASSERT_EQ(negative, expected < 0);
  if (expected == 0) {
    ASSERT_EQ(value, T());
    return;
  }
  const long double found = std::exp(static_cast<long double>(to_log(negative ? -value : value)));
  ASSERT_NEAR(static_cast<double>((found - std::fabs(expected)) / scale), 0, 1e-11);
}

TYPED_TEST(WideNumber, AgreesWithLongDoubleOnRandomNumbers) {
  for (const double range : {1.0, 300.0, 700.0, 5000.0}) {
    for (std::uint64_t seed = 0; seed < testing::seeds(2000); ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " range " << range);
      Random random(seed);
      const auto a = draw<TypeParam>(random, range), b = draw<TypeParam>(random, range);
      const auto x = a.expected, y = b.expected;
      const long double scale = std::fmax(std::fabs(x), std::fabs(y));
      expect_equal(a.value + b.value, x + y, scale);
      expect_equal(a.value - b.value, x - y, scale);
      expect_equal(a.value * b.value, x * y, std::fabs(x * y));
      if (y != 0) expect_equal(a.value / b.value, x / y, std::fabs(x / y));
      ASSERT_EQ(a.value < b.value, x < y);
      ASSERT_EQ(a.value == b.value, x == y);
      ASSERT_EQ(abs(a.value) < abs(b.value), std::fabs(x) < std::fabs(y));
    }
  }
}

TYPED_TEST(WideNumber, KeepsLogarithmsOfTenThousand) {
  for (const double x : {-1e4, -1234.5, -700.0, -333.0, 0.0, 1.0, 332.6, 710.0, 1e4, 1e9}) {
    EXPECT_NEAR(to_log(TypeParam::exp(x)), x, 1e-15 + std::fabs(x) * 1e-15) << x;
    EXPECT_NEAR(to_log(TypeParam::exp(x) * TypeParam::exp(-x)), 0, 1e-12) << x;
    EXPECT_NEAR(to_log(TypeParam::exp(x) + TypeParam::exp(x)), x + std::log(2), 1e-6) << x;
  }
}

TYPED_TEST(WideNumber, ZeroIsNeutralAndAnnihilates) {
  const TypeParam zero(0.0), big = TypeParam::exp(1e4), small = TypeParam::exp(-1e4);
  EXPECT_EQ(zero, TypeParam());
  EXPECT_EQ(zero, TypeParam(-0.0));
  EXPECT_EQ(-zero, zero);
  EXPECT_EQ(zero + small, small);
  EXPECT_EQ(-small + zero, -small);
  EXPECT_EQ(big * zero, zero);
  EXPECT_EQ(zero / big, zero);
  EXPECT_EQ(zero * zero * zero, zero);
  EXPECT_EQ(TypeParam::exp(-kInfinity), zero);
  EXPECT_EQ(to_log(zero), -kInfinity);
  EXPECT_EQ(static_cast<double>(zero), 0.0);
  EXPECT_TRUE(zero < small && -small < zero && -big < -small);
}

TYPED_TEST(WideNumber, CancelsExactly) {
  for (const double x : {-1e4, -332.0, 0.0, 5.0, 1e4}) {
    EXPECT_EQ(TypeParam::exp(x) - TypeParam::exp(x), TypeParam()) << x;
  }
  const double difference = static_cast<double>(TypeParam(1.0) - TypeParam(1 - 1e-10));
  EXPECT_NEAR(difference, 1e-10, 1e-16);
}

TYPED_TEST(WideNumber, SaturatesWhenItBecomesADouble) {
  EXPECT_EQ(static_cast<double>(TypeParam::exp(1e4)), kInfinity);
  EXPECT_EQ(static_cast<double>(-TypeParam::exp(800)), -kInfinity);
  EXPECT_EQ(static_cast<double>(TypeParam::exp(-1e4)), 0.0);
  EXPECT_EQ(static_cast<double>(TypeParam::exp(-800)), 0.0);
  EXPECT_NEAR(static_cast<double>(TypeParam::exp(700)) / std::exp(700.0), 1, 1e-12);
  EXPECT_NEAR(static_cast<double>(TypeParam::exp(-700)) / std::exp(-700.0), 1, 1e-12);
}

TYPED_TEST(WideNumber, IsNotANumberWhereALogarithmOfANegativeIsAsked) {
  EXPECT_TRUE(std::isnan(to_log(TypeParam(-1.0))));
}

TEST(WideFloat, RoundTripsEveryKindOfDouble) {
  for (const double x : {5e-324, 1e-310, 2.3e-308, 1e-200, 1.0, 1e200, 1.7e308, kInfinity}) {
    EXPECT_EQ(static_cast<double>(WideFloat(x)), x);
    EXPECT_EQ(static_cast<double>(WideFloat(-x)), -x);
  }
  EXPECT_TRUE(std::isnan(static_cast<double>(WideFloat(std::nan("")))));
}

TEST(WideFloat, AddsAcrossABorderOfTheBandWithoutLosingBits) {
  const WideFloat below(0x1.fffffffffffffp479), above(0x1p480);
  EXPECT_LT(below, above);
  EXPECT_EQ(static_cast<double>(above - below), 0x1p427);
  EXPECT_EQ(static_cast<double>(above + below), 0x1p480 + 0x1.fffffffffffffp479);
}

TEST(WideFloat, InfinityStaysInfinite) {
  const WideFloat infinity(kInfinity), big = WideFloat::exp(1e6);
  EXPECT_EQ(infinity + big, infinity);
  EXPECT_EQ(infinity * infinity, infinity);
  EXPECT_LT(big, infinity);
  EXPECT_EQ(big / infinity, WideFloat());
  EXPECT_EQ(WideFloat(1.0) / WideFloat(), infinity);
  EXPECT_EQ(WideFloat::exp(1e300), infinity);
  EXPECT_TRUE(std::isnan(static_cast<double>(infinity - infinity)));
}

TEST(WideFloat, MultipliesAMillionSmallNumbers) {
  WideFloat product(1.0);
  for (int i = 0; i < 1'000'000; ++i) product *= WideFloat(1e-5);
  EXPECT_NEAR(to_log(product) / (1e6 * std::log(1e-5)), 1, 1e-12);
}

}  // namespace
}  // namespace coppice
