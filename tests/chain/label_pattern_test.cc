#include "chain/label_pattern.h"

#include <gtest/gtest.h>

#include "coppice/base/random.h"

namespace coppice::chain {
namespace {

// The slow, obvious version.
bool matches_by_definition(std::string_view pattern, std::string_view label) {
  if (pattern.empty()) return label.empty();
  if (pattern[0] == '*') {
    return matches_by_definition(pattern.substr(1), label) ||
           (!label.empty() && matches_by_definition(pattern, label.substr(1)));
  }
  const std::size_t letter = pattern[0] == '\\' && pattern.size() > 1 ? 1 : 0;
  return !label.empty() && pattern[letter] == label[0] &&
         matches_by_definition(pattern.substr(letter + 1), label.substr(1));
}

TEST(LabelPattern, MatchesAsItsDefinitionSays) {
  Random random(1);
  const std::string letters = "ab*\\";
  int matched = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string pattern, label;
    for (std::uint64_t n = random.below(6); n > 0; --n) pattern += letters[random.below(4)];
    for (std::uint64_t n = random.below(6); n > 0; --n) label += letters[random.below(4)];
    EXPECT_EQ(matches(pattern, label), matches_by_definition(pattern, label))
        << pattern << " and " << label;
    matched += matches(pattern, label) ? 1 : 0;
  }
  EXPECT_GT(matched, 1000);
}

TEST(LabelPattern, FindsAllLabelsThatMatch) {
  const std::vector<std::string> labels{"O", "B-PER", "I-PER", "B-LOC", "*"};
  EXPECT_EQ(matching("B-*", labels), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(matching("*PER", labels), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(matching("\\*", labels), (std::vector<std::size_t>{4}));
  EXPECT_EQ(matching("*", labels).size(), labels.size());
  EXPECT_TRUE(matching("", labels).empty());
}

}  // namespace
}  // namespace coppice::chain
