// Strings to dense ids and back.
#include "coppice/base/symbols.h"

#include <gtest/gtest.h>

#include <map>

#include "coppice/base/error.h"
#include "coppice/base/random.h"

namespace coppice {
namespace {

TEST(Symbols, NumbersStringsInTheOrderOfArrival) {
  Symbols symbols;
  EXPECT_EQ(index(symbols.add("NP")), 0u);
  EXPECT_EQ(index(symbols.add("VP")), 1u);
  EXPECT_EQ(index(symbols.add("NP")), 0u);
  EXPECT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[SymbolId{1}], "VP");
}

TEST(Symbols, KeepsTheEmptyStringAndZeroBytesApart) {
  Symbols symbols;
  const std::string zero(1, '\0');
  EXPECT_EQ(index(symbols.add("")), 0u);
  EXPECT_EQ(index(symbols.add(zero)), 1u);
  EXPECT_EQ(index(*symbols.find("")), 0u);
  EXPECT_EQ(symbols[SymbolId{1}], zero);
}

TEST(Symbols, FindsNothingInAnEmptyTable) {
  EXPECT_EQ(Symbols().find("NP"), std::nullopt);
  EXPECT_TRUE(Symbols().empty());
}

TEST(Symbols, AgreesWithAMapOnManyStrings) {
  Symbols symbols;
  std::map<std::string, std::size_t> reference;
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = concat("w", random.below(5000));
    const std::size_t expected = reference.emplace(text, reference.size()).first->second;
    ASSERT_EQ(index(symbols.add(text)), expected);
  }
  for (const auto& [text, id] : reference) {
    ASSERT_EQ(index(*symbols.find(text)), id);
    ASSERT_EQ(symbols[static_cast<SymbolId>(id)], text);
  }
  EXPECT_EQ(symbols.find("w5000"), std::nullopt);
}

TEST(Symbols, CopiesAreIndependent) {
  Symbols one;
  one.add("a");
  Symbols two = one;
  EXPECT_EQ(one, two);
  two.add("b");
  EXPECT_NE(one, two);
  EXPECT_EQ(one.find("b"), std::nullopt);
}

}  // namespace
}  // namespace coppice
