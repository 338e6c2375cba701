// COPPICE_ASSERT ends the program where COPPICE_ASSERTIONS is defined, with or without NDEBUG, and
// costs nothing elsewhere.
#include "coppice/base/assert.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

#ifdef COPPICE_ASSERTIONS

TEST(AssertDeathTest, NamesThePlaceAndTheCondition) {
  const int found = 1;
  EXPECT_DEATH(COPPICE_ASSERT(found == 2), "assert_test.cc:[0-9]+: assertion failed: found == 2");
}

TEST(Assert, PassesWhatIsTrue) { COPPICE_ASSERT(1 + 1 == 2); }

#else

TEST(Assert, DoesNotEvaluateItsConditionWithoutAssertions) {
  int evaluations = 0;
  COPPICE_ASSERT(++evaluations == 0);
  EXPECT_EQ(evaluations, 0);
}

#endif

}  // namespace
}  // namespace coppice
