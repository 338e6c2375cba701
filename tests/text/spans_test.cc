// Schemes agree with their definitions on every short sequence of labels.
#include "coppice/text/spans.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "coppice/base/error.h"

namespace coppice::text {
namespace {

using Labels = std::vector<std::string_view>;
using Spans = std::vector<LabelledSpan>;

constexpr Scheme kSchemes[] = {Scheme::kIob1, Scheme::kIob2, Scheme::kBioes, Scheme::kBilou};

Labels views(const std::vector<std::string>& labels) { return {labels.begin(), labels.end()}; }

// Every way to cover `length` tokens with spans of types X and Y, and none.
void enumerate_spans(std::size_t at, std::size_t length, Spans& spans, std::vector<Spans>& all) {
  if (at == length) {
    all.push_back(spans);
    return;
  }
  enumerate_spans(at + 1, length, spans, all);
  for (std::size_t end = at + 1; end <= length; ++end) {
    for (const char* type : {"X", "Y"}) {
      spans.push_back({at, end, type});
      enumerate_spans(end, length, spans, all);
      spans.pop_back();
    }
  }
}

std::vector<Spans> all_spans(std::size_t length) {
  std::vector<Spans> all;
  Spans spans;
  enumerate_spans(0, length, spans, all);
  return all;
}

bool is_valid(Scheme scheme, const Labels& labels) {
  if (labels.empty()) return true;
  bool valid = allowed_at_start(scheme, labels.front()) && allowed_at_end(scheme, labels.back());
  for (std::size_t i = 1; i < labels.size(); ++i) {
    valid = valid && allowed(scheme, labels[i - 1], labels[i]);
  }
  return valid;
}

TEST(Spans, ComeBackFromTheirLabelsInEveryScheme) {
  for (const Scheme scheme : kSchemes) {
    for (const Spans& spans : all_spans(5)) {
      const auto labels = labels_of(spans, scheme, 5);
      EXPECT_EQ(spans_of(views(labels), scheme), spans) << to_string(scheme);
      EXPECT_EQ(spans_of(views(labels), scheme, Reading::kLenient), spans) << to_string(scheme);
      EXPECT_TRUE(is_valid(scheme, views(labels))) << to_string(scheme);
    }
  }
}

// A sequence is valid exactly when it is the labels of some spans.
TEST(Transitions, AllowExactlyTheLabelsOfSpans) {
  const std::size_t length = 3;
  const Labels alphabet = {"O",   "B-X", "B-Y", "I-X", "I-Y", "E-X", "E-Y",
                           "S-X", "S-Y", "L-X", "L-Y", "U-X", "U-Y", "NN"};
  for (const Scheme scheme : kSchemes) {
    std::vector<std::vector<std::string>> valid;
    for (const Spans& spans : all_spans(length)) valid.push_back(labels_of(spans, scheme, length));
    for (const auto a : alphabet) {
      for (const auto b : alphabet) {
        for (const auto c : alphabet) {
          const Labels labels = {a, b, c};
          const std::vector<std::string> strings(labels.begin(), labels.end());
          const bool expected = std::find(valid.begin(), valid.end(), strings) != valid.end();
          EXPECT_EQ(is_valid(scheme, labels), expected)
              << to_string(scheme) << ' ' << a << ' ' << b << ' ' << c;
        }
      }
    }
  }
}

TEST(Transitions, AreAllAllowedUnderRaw) {
  EXPECT_TRUE(allowed(Scheme::kRaw, "NN", "I-X"));
  EXPECT_TRUE(allowed_at_start(Scheme::kRaw, "I-X"));
  EXPECT_TRUE(allowed_at_end(Scheme::kRaw, "B-X"));
}

TEST(Transitions, CountFiftyThreeOfEightyOneForFourTypes) {
  const Labels labels = {"O",     "B-PER", "I-PER",  "B-LOC", "I-LOC",
                         "B-ORG", "I-ORG", "B-MISC", "I-MISC"};
  int count = 0;
  for (const auto a : labels) {
    for (const auto b : labels) count += allowed(Scheme::kIob2, a, b);
  }
  EXPECT_EQ(count, 9 * 5 + 8);  // O and B- after everything, I-X after B-X and I-X
}

TEST(Spans, AreDroppedStrictlyAndRepairedLeniently) {
  const Labels broken = {"I-X", "O", "B-X", "I-Y", "I-Y"};
  EXPECT_EQ(spans_of(broken, Scheme::kIob2), (Spans{{2, 3, "X"}}));
  EXPECT_EQ(spans_of(broken, Scheme::kIob2, Reading::kLenient),
            (Spans{{0, 1, "X"}, {2, 3, "X"}, {3, 5, "Y"}}));
  EXPECT_EQ(spans_of(Labels{"B-X", "I-X", "O", "S-X", "E-X", "B-X"}, Scheme::kBioes),
            (Spans{{3, 4, "X"}}));
  EXPECT_EQ(
      spans_of(Labels{"B-X", "I-X", "O", "S-X", "E-X", "B-X"}, Scheme::kBioes, Reading::kLenient),
      (Spans{{0, 2, "X"}, {3, 4, "X"}, {4, 5, "X"}, {5, 6, "X"}}));
}

TEST(Spans, TakeTypesWithHyphensAndNoTypes) {
  EXPECT_EQ(spans_of(Labels{"B-a-b", "I-a-b"}, Scheme::kIob2), (Spans{{0, 2, "a-b"}}));
  EXPECT_EQ(spans_of(Labels{"B", "I", "O", "B"}, Scheme::kIob2), (Spans{{0, 2, ""}, {3, 4, ""}}));
  EXPECT_EQ(labels_of(Spans{{0, 2, ""}}, Scheme::kBioes, 2), (std::vector<std::string>{"B", "E"}));
  EXPECT_TRUE(spans_of({}, Scheme::kIob2).empty());
  EXPECT_TRUE(spans_of(Labels{"NN"}, Scheme::kRaw).empty());
}

TEST(ConvertLabels, GoesThroughEveryPairOfSchemes) {
  for (const Scheme from : kSchemes) {
    for (const Scheme to : kSchemes) {
      for (const Spans& spans : all_spans(4)) {
        EXPECT_EQ(convert_labels(views(labels_of(spans, from, 4)), from, to),
                  labels_of(spans, to, 4));
      }
    }
  }
}

TEST(SchemeDetector, FindsTheSchemeOfACorpus) {
  for (const Scheme scheme : kSchemes) {
    SchemeDetector detector;
    for (const Spans& spans : all_spans(4)) {
      detector.add(views(labels_of(spans, scheme, 4)));
    }
    EXPECT_STREQ(to_string(detector.scheme()), to_string(scheme));
  }
}

TEST(SchemeDetector, FindsLabelsThatAreNoScheme) {
  const auto detect = [](const Labels& labels) {
    SchemeDetector detector;
    detector.add(labels);
    return detector.scheme();
  };
  EXPECT_EQ(detect({}), Scheme::kRaw);
  EXPECT_EQ(detect({"O", "O"}), Scheme::kRaw);
  EXPECT_EQ(detect({"NN", "B-X"}), Scheme::kRaw);
  EXPECT_EQ(detect({"S-X", "U-X"}), Scheme::kRaw);
  EXPECT_EQ(detect({"B-X", "O", "I-X"}), Scheme::kIob2);  // one slip does not make it IOB1
  EXPECT_EQ(detect({"B-X", "M-X"}), Scheme::kRaw);
}

TEST(DetectScheme, JudgesBySetsOfLabels) {
  EXPECT_EQ(detect_scheme(Labels{"O", "I-X", "B-X"}), Scheme::kIob2);
  EXPECT_EQ(detect_scheme(Labels{"O", "I-X"}), Scheme::kIob1);
  EXPECT_EQ(detect_scheme(Labels{"O", "S-X", "B-X"}), Scheme::kBioes);
  EXPECT_EQ(detect_scheme(Labels{"U-X", "O"}), Scheme::kBilou);
  EXPECT_EQ(detect_scheme(Labels{"NN", "O"}), Scheme::kRaw);
}

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const InvalidArgument& error) {
    return error.code() + " " + error.what();
  }
  return "";
}

TEST(LabelsOf, RefusesSpansThatDoNotFit) {
  const auto labels = [](const Spans& spans) { labels_of(spans, Scheme::kIob2, 3); };
  EXPECT_EQ(refusal([&] {
              labels({{1, 1, "X"}});
            }),
            "E114 span [1, 1) is empty or passes the end of a sentence of 3 tokens");
  EXPECT_EQ(refusal([&] {
              labels({{1, 4, "X"}});
            }),
            "E114 span [1, 4) is empty or passes the end of a sentence of 3 tokens");
  EXPECT_EQ(refusal([&] {
              labels({{1, 3, "X"}, {0, 2, "Y"}});
            }),
            "E114 span [1, 3) overlaps [0, 2)");
  EXPECT_EQ(refusal([] { labels_of({}, Scheme::kRaw, 1); }),
            "E114 raw labels cannot express spans");
  EXPECT_EQ(refusal([] { convert_labels(Labels{"NN"}, Scheme::kRaw, Scheme::kIob2); }),
            "E114 raw labels have no spans to convert");
}

TEST(ParseScheme, KnowsItsOwnNames) {
  EXPECT_EQ(parse_scheme("iob2"), Scheme::kIob2);
  EXPECT_EQ(parse_scheme("BILOU"), Scheme::kBilou);
  EXPECT_EQ(parse_scheme("raw"), Scheme::kRaw);
  EXPECT_EQ(refusal([] { parse_scheme("bio"); }), "E113 unknown label scheme \"bio\"");
}

}  // namespace
}  // namespace coppice::text
