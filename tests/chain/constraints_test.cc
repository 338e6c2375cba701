#include "coppice/chain/constraints.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chain/dataset.h"
#include "chain/enumerate_chain.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "support/expect_error.h"

namespace coppice::chain {
namespace {

const std::vector<std::string> kSpanLabels{"O", "B-X", "I-X", "B-Y"};

Constraints applied(const std::string& rules, text::Scheme scheme = text::Scheme::kRaw) {
  Constraints constraints = scheme_constraints(kSpanLabels, scheme);
  ConstraintRules::parse(rules, "rules.txt").apply(kSpanLabels, constraints);
  return constraints;
}

TEST(ConstraintRules, AllowEverythingWhenThereAreNone) {
  const Constraints none = applied("# nothing\n\n  \n");
  EXPECT_TRUE(none.allows(0, 2, 4) && none.may_begin(2) && none.may_end(1));
  EXPECT_TRUE(ConstraintRules::parse("# nothing\n", "f").empty());
}

TEST(ConstraintRules, HoldForAllLabelsThatMatch) {
  const Constraints some =
      applied("forbid * I-*\nallow B-X I-X\n\tforbid-first  I-*\r\nforbid-last B-*");
  for (std::size_t u = 0; u < 4; ++u) {
    EXPECT_EQ(some.allows(u, 2, 4), u == 1) << u;
    EXPECT_TRUE(some.allows(u, 0, 4)) << u;
  }
  EXPECT_FALSE(some.may_begin(2));
  EXPECT_TRUE(some.may_begin(1));
  EXPECT_FALSE(some.may_end(1) || some.may_end(3));
  EXPECT_TRUE(some.may_end(0));
}

TEST(ConstraintRules, OverrideTheScheme) {
  const Constraints strict = applied("", text::Scheme::kIob2);
  EXPECT_FALSE(strict.allows(0, 2, 4));
  const Constraints loose = applied("allow O I-X\nallow-first I-X\n", text::Scheme::kIob2);
  EXPECT_TRUE(loose.allows(0, 2, 4) && loose.may_begin(2));
  EXPECT_FALSE(loose.allows(3, 2, 4));
}

TEST(ConstraintRules, SayWhereTheyAreWrong) {
  const auto error = [](const std::string& text) {
    return coppice::testing::error_of([&] { ConstraintRules::parse(text, "rules.txt"); });
  };
  EXPECT_EQ(error("\n forbit O O\n"), "E125 rules.txt:2:2: unknown rule \"forbit\"");
  EXPECT_EQ(error("forbid O"), "E125 rules.txt:1:9: forbid takes 2 labels, found 1");
  EXPECT_EQ(error("allow-first O B-X"), "E125 rules.txt:1:15: allow-first takes 1 label, found 2");
  EXPECT_EQ(error("forbid"), "E125 rules.txt:1:7: forbid takes 2 labels, found 0");
  EXPECT_EQ(error("forbid a\\ b c\\"), "no error");
}

TEST(ConstraintRules, RefuseLabelsThatAreNotThere) {
  EXPECT_EQ(coppice::testing::error_of([] { applied("forbid O O\nforbid O I-Z\n"); }),
            "E126 rules.txt:2: no label of the training data matches I-Z");
}

// Against all label sequences of random partly labelled sentences.
TEST(FirstImpossible, AgreesWithEnumeration) {
  Random random(7);
  std::size_t impossible = 0;
  for (int i = 0; i < 500; ++i) {
    const std::size_t labels = 3, length = 1 + random.below(4);
    Constraints constraints;
    for (std::size_t k = 0; k < labels * labels; ++k) {
      constraints.pairs.push_back(random.below(2) > 0 ? 1 : 0);
    }
    for (std::size_t y = 0; y < labels; ++y) {
      constraints.first.push_back(random.below(3) > 0 ? 1 : 0);
      constraints.last.push_back(random.below(3) > 0 ? 1 : 0);
    }
    Dataset data;
    data.num_labels = labels;
    for (std::size_t t = 0; t < length; ++t) {
      for (std::uint16_t y = 0; y < labels; ++y) {
        if (random.below(2) > 0) data.gold.push_back(y);
      }
      data.gold_begin.push_back(static_cast<std::uint32_t>(data.gold.size()));
    }
    data.sentence_begin.push_back(static_cast<std::uint32_t>(length));
    bool possible = false;
    testing::each_sequence(length, labels, [&](const std::vector<std::uint16_t>& sequence) {
      bool fits = constraints.may_begin(sequence[0]) && constraints.may_end(sequence.back());
      for (std::size_t t = 0; t < length; ++t) {
        const auto gold = data.gold_of(t);
        fits = fits &&
               (gold.empty() || std::find(gold.begin(), gold.end(), sequence[t]) != gold.end());
        fits = fits && (t == 0 || constraints.allows(sequence[t - 1], sequence[t], labels));
      }
      possible = possible || fits;
    });
    EXPECT_EQ(!first_impossible(data, 0, constraints).has_value(), possible) << i;
    impossible += possible ? 0 : 1;
  }
  EXPECT_GT(impossible, 50u);
}

}  // namespace
}  // namespace coppice::chain
