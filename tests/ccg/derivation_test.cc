#include "coppice/ccg/derivation.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "support/expect_error.h"
#include "support/shared_data.h"

namespace coppice::ccg {
namespace {

struct Extracted {
  std::size_t sentences = 0;
  std::size_t failures = 0;
  std::size_t dependencies = 0;
  std::map<std::string, std::size_t> rules;
  std::size_t changes = 0;
  std::string first_failure;
};

Extracted extract(const std::string& path) {
  Forms forms;
  Deriver deriver(forms, default_rules(forms.categories()));
  text::CcgbankReader reader(path);
  Extracted found;
  for (text::Sentence sentence; reader.next(sentence);) {
    ++found.sentences;
    try {
      const Derivation derivation = deriver.derive(sentence, reader.tree());
      found.dependencies += parg_of(sentence, derivation, forms.categories()).dependencies.size();
      for (const auto& node : derivation.nodes) ++found.rules[std::string(name(node.rule))];
    } catch (const ParseError& error) {
      if (found.failures++ == 0)
        found.first_failure = to_string(error.where()) + ": " + error.what();
    }
  }
  found.changes = deriver.changes().size();
  return found;
}

TEST(Derivation, FindsTheDependenciesOfTheConvertedTreebank) {
  const auto dev = testing::shared_data("ud_ccg/ewt-dev.auto");
  const auto test = testing::shared_data("ud_ccg/ewt-test.auto");
  if (!dev || !test) GTEST_SKIP() << "no ud_ccg under ../shared/data";
  const Extracted of_dev = extract(*dev);
  for (const auto& [rule, count] : of_dev.rules) std::cerr << rule << ' ' << count << '\n';
  EXPECT_EQ(of_dev.failures, 0U) << of_dev.first_failure;
  EXPECT_EQ(of_dev.dependencies, 19'439U);
  const Extracted of_test = extract(*test);
  EXPECT_EQ(of_test.failures, 0U) << of_test.first_failure;
  EXPECT_EQ(of_test.dependencies, 19'550U);
}

}  // namespace
}  // namespace coppice::ccg
