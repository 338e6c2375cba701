// BigCount against 128-bit integers and numbers known from the books.
#include "coppice/base/big_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "coppice/base/random.h"
#include "support/seeds.h"

namespace coppice {
namespace {

using detail::Uint128;

std::string decimal(Uint128 value) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

BigCount power_of_two(unsigned exponent) {
  BigCount value(1);
  for (unsigned i = 0; i < exponent; ++i) value += value;
  return value;
}

// Words of every length, so that carries happen and do not happen.
std::uint64_t draw_word(Random& random) { return random.next() >> random.below(64); }

TEST(BigCount, AgreesWith128BitIntegers) {
  for (std::uint64_t seed = 0; seed < testing::seeds(2000); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::uint64_t a = draw_word(random), b = draw_word(random), c = draw_word(random) / 2;
    const Uint128 product = static_cast<Uint128>(a) * b;
    const BigCount big = BigCount(a) * BigCount(b);
    ASSERT_EQ(big.to_string(), decimal(product));
    ASSERT_EQ((BigCount(a) + BigCount(b)).to_string(), decimal(static_cast<Uint128>(a) + b));
    if (product + c > product) {
      ASSERT_EQ((big + BigCount(c)).to_string(), decimal(product + c));
      ASSERT_GT(big + BigCount(c), big);
    }
    ASSERT_EQ(big.to_double(), static_cast<double>(product));
    const Uint128 other = static_cast<Uint128>(b) * c;
    ASSERT_EQ(big < BigCount(b) * BigCount(c), product < other);
    ASSERT_EQ(big == BigCount(b) * BigCount(c), product == other);
  }
}

TEST(BigCount, KnowsTheFactorialOfFifty) {
  BigCount factorial(1);
  for (std::uint64_t i = 2; i <= 50; ++i) factorial *= BigCount(i);
  EXPECT_EQ(factorial.to_string(),
            "30414093201713378043612608166064768844377641568960512000000000000");
  EXPECT_NEAR(factorial.log(), std::lgamma(51.0), 1e-10);
}

TEST(BigCount, KnowsTheCatalanNumbers) {
  std::vector<BigCount> catalan{BigCount(1)};
  for (std::size_t n = 1; n <= 100; ++n) {
    BigCount sum;
    for (std::size_t i = 0; i < n; ++i) sum += catalan[i] * catalan[n - 1 - i];
    catalan.push_back(sum);
  }
  EXPECT_EQ(catalan[10].to_uint64(), 16796u);
  EXPECT_EQ(catalan[35].to_string(), "3116285494907301262");
  EXPECT_EQ(catalan[100].to_string(), "896519947090131496687170070074100632420837521538745909320");
}

TEST(BigCount, StaysExactPastTheRangeOfDouble) {
  const BigCount huge = power_of_two(1100);
  EXPECT_EQ(huge.to_double(), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(huge.log(), 1100 * std::log(2.0), 1e-9);
  EXPECT_NE(huge + BigCount(1), huge);
  EXPECT_EQ(power_of_two(1023).to_double(), std::ldexp(1.0, 1023));
  EXPECT_EQ(power_of_two(1024).to_double(), std::numeric_limits<double>::infinity());
}

TEST(BigCount, RoundsToTheNearestDouble) {
  const BigCount tie = power_of_two(200) + power_of_two(147);  // half a unit in the last place
  EXPECT_EQ(tie.to_double(), std::ldexp(1.0, 200));
  EXPECT_EQ((tie + BigCount(1)).to_double(), std::nextafter(std::ldexp(1.0, 200), HUGE_VAL));
}

TEST(BigCount, MultipliesALargeValueByZero) {
  const BigCount zero = power_of_two(300) * BigCount();
  EXPECT_TRUE(zero.is_zero());
  EXPECT_EQ(zero, BigCount());
  EXPECT_EQ(zero.to_string(), "0");
  EXPECT_EQ(zero.log(), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace coppice
