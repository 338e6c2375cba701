// Span scores agree with the published rules of conlleval, case by case and by a second, literal
// writing of its loop.
#include "coppice/eval/span_score.h"

#include <gtest/gtest.h>

#include <sstream>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/eval/errors.h"
#include "support/seeds.h"

namespace coppice::eval {
namespace {

using Labels = std::vector<std::string_view>;

Labels split(std::string_view text) {
  Labels labels;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    labels.push_back(text.substr(0, space));
    text.remove_prefix(std::min(text.size(), space + 1));
  }
  return labels;
}

// "0-2:NP 3-4:VP"
std::string spans(std::string_view labels, Match match, Scheme scheme = Scheme::kIob2) {
  std::ostringstream out;
  const Labels parts = split(labels);
  for (const LabelledSpan& span : spans_of(parts, match, scheme))
    out << (out.tellp() > 0 ? " " : "") << span.begin << '-' << span.end << ':' << span.type;
  return out.str();
}

TEST(Conlleval, ForgivesWhatIsNotIob2) {
  EXPECT_EQ(spans("B-NP I-NP O", Match::kConlleval), "0-2:NP");
  EXPECT_EQ(spans("O I-NP I-NP", Match::kConlleval), "1-3:NP");
  EXPECT_EQ(spans("B-NP I-VP", Match::kConlleval), "0-1:NP 1-2:VP");
  EXPECT_EQ(spans("I-NP B-NP I-NP", Match::kConlleval), "0-1:NP 1-3:NP");
  EXPECT_EQ(spans("B-NP B-NP", Match::kConlleval), "0-1:NP 1-2:NP");
  EXPECT_EQ(spans("", Match::kConlleval), "");
  EXPECT_EQ(spans("O O", Match::kConlleval), "");
  EXPECT_EQ(spans("B-a-b I-a-b", Match::kConlleval), "0-2:a-b");
}

TEST(Conlleval, ReadsBioesAndBilou) {
  EXPECT_EQ(spans("B-X I-X E-X S-X O", Match::kConlleval), "0-3:X 3-4:X");
  EXPECT_EQ(spans("B-X I-X L-X U-X O", Match::kConlleval), "0-3:X 3-4:X");
  EXPECT_EQ(spans("E-X E-X", Match::kConlleval), "0-1:X 1-2:X");
}

TEST(Strict, KeepsOnlyWhatTheSchemeAllows) {
  EXPECT_EQ(spans("I-NP B-NP I-NP I-VP O B-X", Match::kStrict), "1-3:NP 5-6:X");
  EXPECT_EQ(spans("B-X I-X E-X S-Y B-X I-X O", Match::kStrict, Scheme::kBioes), "0-3:X 3-4:Y");
  EXPECT_EQ(spans("B-X E-Y B-X B-X E-X I-X", Match::kStrict, Scheme::kBioes), "3-5:X");
  EXPECT_EQ(spans("B-X L-X U-Y S-Y B-X E-X", Match::kStrict, Scheme::kBilou), "0-2:X 2-3:Y");
  EXPECT_EQ(spans("U-Y B-X L-X", Match::kStrict, Scheme::kBioes), "");
  EXPECT_EQ(spans("I-X I-X B-X I-X I-Y O B-X I-X", Match::kStrict, Scheme::kIob1),
            "0-2:X 2-4:X 4-5:Y");
}

// conlleval.pl's main loop, on B, I and O, written as the script has it.
struct ScriptCounts {
  std::uint64_t correct = 0, gold = 0, guessed = 0;
};

bool end_of_chunk(std::string_view prev, std::string_view tag, std::string_view prev_type,
                  std::string_view type) {
  bool end = false;
  if (prev == "B" && tag == "B") end = true;
  if (prev == "B" && tag == "O") end = true;
  if (prev == "I" && tag == "B") end = true;
  if (prev == "I" && tag == "O") end = true;
  if (prev != "O" && prev != "." && prev_type != type) end = true;
  return end;
}

bool start_of_chunk(std::string_view prev, std::string_view tag, std::string_view prev_type,
                    std::string_view type) {
  bool start = false;
  if (prev == "B" && tag == "B") start = true;
  if (prev == "I" && tag == "B") start = true;
  if (prev == "O" && tag == "B") start = true;
  if (prev == "O" && tag == "I") start = true;
  if (tag != "O" && tag != "." && prev_type != type) start = true;
  return start;
}

ScriptCounts script(const Labels& gold, const Labels& guessed) {
  ScriptCounts counts;
  bool in_correct = false;
  std::string_view last_gold = "O", last_gold_type, last_guess = "O", last_guess_type;
  const auto part = [](std::string_view label, bool type) -> std::string_view {
    const auto dash = label.find('-');
    if (dash == std::string_view::npos) return type ? "" : label;
    return type ? label.substr(dash + 1) : label.substr(0, dash);
  };
  for (std::size_t i = 0; i <= gold.size(); ++i) {
    const std::string_view g = i < gold.size() ? gold[i] : "O";
    const std::string_view p = i < gold.size() ? guessed[i] : "O";
    const auto g_tag = part(g, false), g_type = part(g, true);
    const auto p_tag = part(p, false), p_type = part(p, true);
    if (in_correct) {
      const bool gold_ends = end_of_chunk(last_gold, g_tag, last_gold_type, g_type);
      const bool guess_ends = end_of_chunk(last_guess, p_tag, last_guess_type, p_type);
      if (gold_ends && guess_ends && last_guess_type == last_gold_type) {
        in_correct = false;
        ++counts.correct;
      } else if (gold_ends != guess_ends || g_type != p_type) {
        in_correct = false;
      }
    }
    const bool gold_starts = start_of_chunk(last_gold, g_tag, last_gold_type, g_type);
    const bool guess_starts = start_of_chunk(last_guess, p_tag, last_guess_type, p_type);
    if (gold_starts && guess_starts && g_type == p_type) in_correct = true;
    counts.gold += gold_starts;
    counts.guessed += guess_starts;
    last_gold = g_tag, last_gold_type = g_type, last_guess = p_tag, last_guess_type = p_type;
  }
  return counts;
}

TEST(Conlleval, AgreesWithTheScriptOnRandomLabels) {
  const Labels alphabet = split("O B-X I-X B-Y I-Y");
  for (std::uint64_t seed = 0; seed < testing::seeds(2000); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    Labels gold, guessed;
    for (std::uint64_t i = random.below(9); i > 0; --i) {
      gold.push_back(alphabet[random.below(5)]);
      guessed.push_back(random.below(2) == 0 ? gold.back() : alphabet[random.below(5)]);
    }
    SpanScorer scorer;
    const Counts found = scorer.add(gold, guessed);
    const ScriptCounts expected = script(gold, guessed);
    ASSERT_EQ(found, (Counts{expected.gold, expected.guessed, expected.correct}));
    ASSERT_EQ(found, scorer.total());
  }
}

TEST(SpanScorer, CountsTypesAndAverages) {
  SpanScorer scorer;
  scorer.add(split("B-X I-X O B-Y"), split("B-X I-X O B-X"));
  scorer.add(split("B-X O"), split("O O"));
  scorer.add({}, {});
  EXPECT_EQ(scorer.total(), (Counts{3, 2, 1}));
  EXPECT_EQ(scorer.by_type().at("X"), (Counts{2, 2, 1}));
  EXPECT_EQ(scorer.by_type().at("Y"), (Counts{1, 0, 0}));
  EXPECT_DOUBLE_EQ(scorer.total().precision(), 0.5);
  EXPECT_DOUBLE_EQ(scorer.total().recall(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(scorer.total().f1(), 0.4);
  EXPECT_EQ(scorer.total().false_positives(), 1U);
  EXPECT_EQ(scorer.total().false_negatives(), 2U);
  EXPECT_DOUBLE_EQ(scorer.macro().f1, 0.25);
  EXPECT_DOUBLE_EQ(scorer.token_accuracy(), 4.0 / 6);
}

TEST(SpanScorer, IsZeroOnNothing) {
  EXPECT_EQ(SpanScorer().total().f1(), 0);
  EXPECT_EQ(SpanScorer().macro().f1, 0);
  EXPECT_EQ(SpanScorer().token_accuracy(), 0);
}

TEST(SpanScorer, NamesBothLengthsWhenTheyDiffer) {
  try {
    SpanScorer().add(split("O O"), split("O"));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "span scores: 2 gold labels and 1 predicted ones in a sentence");
  }
}

TEST(SpanErrors, FallIntoFourKinds) {
  const Labels gold = split("B-X I-X O B-X O B-Y I-Y O B-Z O");
  const Labels guessed = split("B-X I-X O B-Y O B-Y O O O B-Q");
  const auto errors = span_errors(4, spans_of(gold, Match::kStrict, Scheme::kIob2),
                                  spans_of(guessed, Match::kStrict, Scheme::kIob2));
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0], (SpanError{ErrorKind::kWrongType, 4, LabelledSpan{3, 4, "X"},
                                  LabelledSpan{3, 4, "Y"}}));
  EXPECT_EQ(errors[1], (SpanError{ErrorKind::kWrongBounds, 4, LabelledSpan{5, 7, "Y"},
                                  LabelledSpan{5, 6, "Y"}}));
  EXPECT_EQ(errors[2].kind, ErrorKind::kMissed);
  EXPECT_EQ(errors[2].place(), (LabelledSpan{8, 9, "Z"}));
  EXPECT_EQ(errors[3].kind, ErrorKind::kSpurious);
  EXPECT_EQ(errors[3].place(), (LabelledSpan{9, 10, "Q"}));
}

TEST(SpanErrors, AddUpToTheCounts) {
  const Labels alphabet = split("O B-X I-X B-Y I-Y");
  for (std::uint64_t seed = 0; seed < testing::seeds(500); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    Labels gold, guessed;
    for (int i = 0; i < 8; ++i) {
      gold.push_back(alphabet[random.below(5)]);
      guessed.push_back(alphabet[random.below(5)]);
    }
    const Counts counts = SpanScorer().add(gold, guessed);
    std::uint64_t missed = 0, spurious = 0;
    for (const SpanError& error :
         span_errors(0, spans_of(gold, Match::kConlleval, Scheme::kIob2),
                     spans_of(guessed, Match::kConlleval, Scheme::kIob2))) {
      missed += error.gold.has_value();
      spurious += error.predicted.has_value();
    }
    ASSERT_EQ(missed, counts.false_negatives());
    ASSERT_EQ(spurious, counts.false_positives());
  }
}

}  // namespace
}  // namespace coppice::eval
