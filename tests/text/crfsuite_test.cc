// CRFsuite's files are read as CRFsuite reads them, and written so that it reads the same.
#include "text/crfsuite.h"

#include <sstream>

#include "coppice/base/random.h"
#include "coppice/text/writer.h"
#include "support/seeds.h"
#include "text/support.h"

namespace coppice::text {
namespace {

const ReaderOptions kCrfsuite{.format = Format::kCrfsuite};

std::vector<std::pair<std::string, double>> attributes_of(const Sentence& sentence,
                                                          std::size_t row) {
  std::vector<std::pair<std::string, double>> attributes;
  for (std::size_t i = 0; i < sentence.num_attributes(row); ++i) {
    const Attribute attribute = sentence.attribute(row, i);
    attributes.emplace_back(attribute.name, attribute.value);
  }
  return attributes;
}

using Attributes = std::vector<std::pair<std::string, double>>;

TEST(CrfsuiteReader, ReadsLabelsAttributesValuesAndEscapes) {
  const auto reader = reader_over(
      "@weight:2.5\r\nB\tw=the\tlen:3\tp=\\:\\\\\\x:-1e2\r\nO\t\t\r\n\r\nI\n", kCrfsuite);
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(table_of(sentence), (Table{{"B"}, {"O"}}));
  EXPECT_EQ(sentence.weight(), 2.5);
  EXPECT_FALSE(sentence.form_column());
  EXPECT_EQ(attributes_of(sentence, 0), (Attributes{{"w=the", 1}, {"len", 3}, {"p=:\\\\x", -100}}));
  EXPECT_TRUE(attributes_of(sentence, 1).empty());
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(table_of(sentence), (Table{{"I"}}));
  EXPECT_FALSE(reader->next(sentence));
  EXPECT_EQ(reader->description(), "crfsuite");
}

TEST(CrfsuiteReader, NamesFaults) {
  EXPECT_EQ(fault_of("O\ta:b\n", kCrfsuite),
            "E209 data:1: the attribute \"a:b\" has a value that is not a number | O\ta:b | write "
            "\"\\:\" for a ':' that belongs to the name");
  EXPECT_EQ(fault_line_of("O\ta:nan\n", kCrfsuite),
            "E209 data:1: the attribute \"a:nan\" has a value that is not a number");
  EXPECT_EQ(fault_line_of("O\ta:\n", kCrfsuite),
            "E209 data:1: the attribute \"a:\" has a value that is not a number");
  EXPECT_EQ(fault_line_of("O\n\na:b\tc\n", kCrfsuite),
            "E209 data:3: the label \"a:b\" has a ':' without '\\' before it");
  EXPECT_EQ(fault_line_of("@weight:-2\nO\n", kCrfsuite),
            "E208 data:1: weight \"-2\" is not a number from 0 up");
  EXPECT_EQ(fault_line_of("O\t\xff\n", kCrfsuite), "E202 data:1:3: the line is not UTF-8");
}

TEST(CrfsuiteWriter, WritesWhatTheReaderReads) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    Random random(seed);
    const auto name = [&] {
      std::string text = "n";
      for (std::uint64_t i = random.below(6); i > 0; --i) text += ":\\= ab"[random.below(6)];
      return text;
    };
    std::vector<std::pair<std::string, Attributes>> items(1 + random.below(4));
    std::ostringstream out;
    CrfsuiteWriter writer(out);
    writer.set_weight(0.1);
    for (auto& [label, attributes] : items) {
      label = name();
      writer.begin_item(label);
      for (std::uint64_t i = random.below(4); i > 0; --i) {
        attributes.emplace_back(name(), random.below(2) == 0 ? 1.0 : random.uniform() - 0.5);
        writer.add_attribute(attributes.back().first, attributes.back().second);
      }
      writer.end_item();
    }
    writer.end_sequence();

    const auto reader = reader_over(out.str(), kCrfsuite);
    Sentence sentence;
    ASSERT_TRUE(reader->next(sentence)) << "seed " << seed;
    EXPECT_EQ(sentence.weight(), 0.1);
    ASSERT_EQ(sentence.num_tokens(), items.size()) << "seed " << seed;
    Prediction prediction;
    for (std::size_t row = 0; row < items.size(); ++row) {
      EXPECT_EQ(sentence.cell(row, 0), items[row].first) << "seed " << seed;
      EXPECT_EQ(attributes_of(sentence, row), items[row].second) << "seed " << seed;
      prediction.labels.push_back(sentence.cell(row, 0));
    }
    std::ostringstream again;
    make_writer(again, {.format = Format::kCrfsuite})->write(sentence, prediction);
    EXPECT_EQ(again.str(), out.str()) << "seed " << seed;
  }
}

TEST(CrfsuiteWriter, RefusesTabs) {
  std::ostringstream out;
  CrfsuiteWriter writer(out);
  try {
    writer.begin_item("a\tb");
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "\"a\tb\" has a tab or an end of line in it, which a CRFsuite file cannot hold");
  }
}

}  // namespace
}  // namespace coppice::text
