#include "coppice/lm/arpa.h"

#include <gtest/gtest.h>

#include "lm/small_text.h"
#include "support/expect_error.h"

namespace coppice::lm {
namespace {

using namespace testing;
using coppice::testing::error_of;

const char* const kSmall =
    "a remark\n\\data\\\nngram 1=4\nngram  2=2\n\n"
    "\\1-grams:\n-1\t<unk>\n-99 <s> -0.5\r\n-0.25\t</s>\n-0.5\ta\t-0.125\n\n"
    "\\2-grams:\n-0.3\t<s> a\n-0.7\ta </s>\n\n\\end\\\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error_after(const std::string& from, const std::string& to) {
  return error_of([&] { from_arpa(replaced(kSmall, from, to)); });
}

TEST(Arpa, ComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto order = static_cast<unsigned>(2 + random.below(3));
    const Ngrams ngrams =
        estimate_of(random_text(random), {.order = order, .prune = {0, seed % 2}}).ngrams;
    const std::string text = arpa_of(ngrams);
    const Ngrams again = from_arpa(text);
    EXPECT_EQ(arpa_of(again), text);
    for (const Storage storage : {Storage::kHash, Storage::kTrie})
      EXPECT_EQ(bytes_of(binary_model(again, storage)), bytes_of(binary_model(ngrams, storage)));
    EXPECT_EQ(arpa_of(read_arpa(LineReader::over(text, "x"), {.memory = 1})), text);
  }
}

TEST(Arpa, ReadsWhatOthersWrite) {
  ArpaNotes notes;
  const Ngrams ngrams = from_arpa(kSmall, &notes);
  EXPECT_FALSE(notes.unknown_added);
  EXPECT_EQ(ngrams.order(), 2U);
  const Model model = model_of(ngrams, Storage::kHash);
  State state = model.sentence_begin();
  const WordId a = model.vocabulary().find("a");
  EXPECT_FLOAT_EQ(model.score(state, a, state).log10_prob, -0.3F);
  EXPECT_FLOAT_EQ(model.score(state, a, state).log10_prob, -0.125F - 0.5F);
  EXPECT_FLOAT_EQ(model.score(state, kSentenceEnd, state).log10_prob, -0.7F);
  EXPECT_EQ(state.length, 0) << "nothing follows </s>";
}

TEST(Arpa, AddsWhatOthersLeaveOut) {
  ArpaNotes notes;
  const Model model = model_of(
      from_arpa(replaced(replaced(kSmall, "-1\t<unk>\n", ""), "ngram 1=4", "ngram 1=3"), &notes),
      Storage::kTrie);
  EXPECT_TRUE(notes.unknown_added);
  State state;
  EXPECT_FLOAT_EQ(model.score(model.no_context(), kUnknownWord, state).log10_prob, -100);
}

// SRILM prunes "b c" and keeps "a b c".
const char* const kPruned =
    "\\data\\\nngram 1=6\nngram 2=2\nngram 3=1\n\\1-grams:\n-1 <unk>\n-99 <s> -0.5\n-1 </s>\n"
    "-0.5 a -0.25\n-0.75 b -0.125\n-2 c\n\\2-grams:\n-0.3 <s> a\n-0.2 a b -0.5\n"
    "\\3-grams:\n-0.1 a b c\n\\end\\\n";

TEST(Arpa, SuffixesThatAreMissingAreBlanks) {
  ArpaNotes notes;
  const Ngrams ngrams = from_arpa(kPruned, &notes);
  EXPECT_EQ(notes.blanks, 1U);
  EXPECT_EQ(ngrams.count(2), 3U);
  EXPECT_EQ(ngrams.num_blanks(2), 1U);
  EXPECT_EQ(arpa_of(ngrams).find("b c\n"), arpa_of(ngrams).find("a b c\n") + 2)
      << "a blank is not written";
  for (const Storage storage : {Storage::kHash, Storage::kTrie}) {
    const Model model = model_of(ngrams, storage);
    State state;
    for (const auto& [context, word, expected] : std::vector<std::tuple<Words, std::string, float>>{
             {{"a", "b"}, "c", -0.1F},
             {{"b"}, "c", -0.125F - 2},
             {{"c", "b"}, "c", -0.125F - 2},
             {{"a", "b"}, "a", -0.5F - 0.125F - 0.5F}}) {
      EXPECT_FLOAT_EQ(
          model.score(state_after(model, context), model.vocabulary().find(word), state).log10_prob,
          expected);
    }
  }
}

TEST(Arpa, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { from_arpa(""); }),
            "E291 x.arpa: the file ends where \\data\\ is expected");
  EXPECT_EQ(error_after("\\end\\\n", ""),
            "E291 x.arpa:15: the file ends where an n-gram or \\end\\ is expected");
  EXPECT_EQ(error_after("ngram 1=4", "ngram 1=5"),
            "E291 x.arpa:12: there are 4 1-grams, but the header says 5");
  EXPECT_EQ(error_after("ngram 1=4", "ngram 1=4x"),
            "E291 x.arpa:3: expected a line such as \"ngram 1=100\"");
  EXPECT_EQ(error_after("ngram  2=2", "ngram 3=2"),
            "E291 x.arpa:4: expected the number of 2-grams");
  EXPECT_EQ(error_after("ngram 1=4\n", "").substr(0, 13), "E291 x.arpa:3");
  EXPECT_EQ(error_after("\\2-grams", "\\3-grams"), "E291 x.arpa:12: expected \\2-grams:");
  EXPECT_EQ(error_after("-0.3\t<s> a", "-0.3\ta"),
            "E291 x.arpa:13: expected a number, 2 words and perhaps a backoff, found 2 fields");
  EXPECT_EQ(error_after("-0.3\t<s> a", "0.3\t<s> a"),
            "E292 x.arpa:13: log10 of a probability is a number up to 0");
  EXPECT_EQ(error_after("-0.3\t<s> a", "nan\t<s> a"),
            "E292 x.arpa:13: expected log10 of a probability, found \"nan\"");
  EXPECT_EQ(error_after("-0.125", "inf"),
            "E292 x.arpa:10: expected log10 of a backoff, found \"inf\"");
  EXPECT_EQ(error_after("-0.3\t<s> a", "-0.3\t<s> b"),
            "E293 x.arpa:13: the word \"b\" is not among the 1-grams");
  EXPECT_EQ(error_after("-0.25\t</s>", "-0.25\ta"), "E293 x.arpa:10: the word \"a\" comes twice");
  EXPECT_EQ(error_after("-0.7\ta </s>", "-0.7\t<s> a"),
            "E293 x.arpa: the n-gram \"<s> a\" comes twice");
  EXPECT_EQ(error_of([] { from_arpa(replaced(kPruned, "-0.2 a b -0.5", "-0.2 b a -0.5")); }),
            "E293 x.arpa: the n-gram \"a b\" is the context of a longer one, but not there itself");
}

}  // namespace
}  // namespace coppice::lm
