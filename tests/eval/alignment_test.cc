// Scores and drawings of word alignments.
#include <gtest/gtest.h>

#include "coppice/eval/alignment_draw.h"
#include "coppice/eval/alignment_score.h"
#include "support/expect_error.h"

namespace coppice::eval {

namespace {

std::vector<text::AlignmentLink> links_of(std::string_view line) {
  text::PharaohReader reader(LineReader::over(line, "links"));
  std::vector<text::AlignmentLink> links;
  reader.next(links);
  return links;
}

TEST(AlignmentScore, CountsSureAndPossibleLinks) {
  const auto counts = score_alignment(links_of("0-0 1-1 2?1 3-3"), links_of("0-0 2-1 2-2 3-3"));
  EXPECT_EQ(counts.sure, 3u);
  EXPECT_EQ(counts.possible, 1u);
  EXPECT_EQ(counts.errors(), 2u);
  EXPECT_DOUBLE_EQ(counts.precision(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(counts.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(counts.f1(), 2 * 0.75 * (2.0 / 3) / (0.75 + 2.0 / 3));
  EXPECT_DOUBLE_EQ(counts.error_rate(), 1 - (2.0 + 3) / (4 + 3));
}

TEST(AlignmentScore, IsDefinedWithoutLinks) {
  const AlignmentCounts nothing = score_alignment({}, {});
  EXPECT_EQ(nothing.error_rate(), 0);
  EXPECT_EQ(nothing.f1(), 0);
  EXPECT_EQ(score_alignment(links_of("0-0"), {}).error_rate(), 1);
  EXPECT_EQ(score_alignment({}, links_of("0-0")).error_rate(), 1);
  EXPECT_EQ(score_alignment(links_of("0?0"), links_of("0-0")).error_rate(), 0);
}

TEST(AlignmentDrawing, ShowsEveryKindOfLink) {
  AlignmentPicture picture{.source = {"le", "chat"},
                           .target = {"a", "big", "cat"},
                           .found = links_of("0-0 0-1 1-1"),
                           .gold = links_of("0-0 1?1 1-2 0?2"),
                           .title = "a <title>"};
  EXPECT_EQ(draw_alignment(picture),
            "        b c\n"
            "        i a\n"
            "      a g t\n"
            "  le  ■ × ○\n"
            "chat  · ▣ □\n");
  const std::string svg = alignment_svg(picture);
  EXPECT_NE(svg.find("a &lt;title&gt;"), std::string::npos);
  EXPECT_NE(svg.find("chat - cat: sure, but missed"), std::string::npos);
  picture.gold.reset();
  EXPECT_NE(draw_alignment(picture).find("  le  ■ ■ ·"), std::string::npos);
  picture.found = links_of("2-0");
  EXPECT_EQ(testing::error_of([&] { draw_alignment(picture); }),
            "E285: the link 2-0 is outside sentences of 2 and 3 words");
}

}  // namespace

}  // namespace coppice::eval
