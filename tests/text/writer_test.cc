// Writers change what they were asked to and nothing else.
#include "coppice/text/writer.h"

#include <sstream>

#include "text/support.h"

namespace coppice::text {
namespace {

// Reads `text` and writes it with the label "L1" for the first token of a sentence, "L2", ...
std::string relabel(std::string_view text, const WriterOptions& writing,
                    const ReaderOptions& reading = {}) {
  const std::vector<std::string> labels = {"L1", "L2", "L3"};
  const auto reader = reader_over(text, reading);
  std::ostringstream out;
  const auto writer = make_writer(out, writing);
  for (Sentence sentence; reader->next(sentence);) {
    writer->write(sentence, {.labels = {labels.begin(), labels.begin() + sentence.num_tokens()}});
  }
  writer->finish(reader->trailing());
  return out.str();
}

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(ColumnWriter, AppendsAColumnAndKeepsTheRest) {
  EXPECT_EQ(
      relabel("\xef\xbb\xbf-DOCSTART- O\r\n\r\na\tO\r\nb\tO\r\n \r\n\r\n# id = 2\r\nc\tO\r\n\n",
              {}),
      "\xef\xbb\xbf-DOCSTART- O\r\n\r\na\tO\tL1\r\nb\tO\tL2\r\n \r\n\r\n# id = 2\r\nc\tO\tL1"
      "\r\n\n");
  EXPECT_EQ(relabel("a  O \nb O", {}), "a  O L1 \nb O L2");
}

TEST(ColumnWriter, ReplacesAColumn) {
  EXPECT_EQ(relabel("a\tO\tx\nb\t\tx\n", {.replace_column = 1}), "a\tL1\tx\nb\tL2\tx\n");
}

TEST(ColumnWriter, WritesOtherFormatsAsTwoColumns) {
  EXPECT_EQ(relabel("a b\n\nc\n", {}), "a\tL1\nb\tL2\n\nc\tL1\n\n");
  EXPECT_EQ(relabel("{\"tokens\":[\"New York\"]}", {}), "New York\tL1\n\n");
  EXPECT_EQ(relabel("1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n", {}), "x\tL1\n\n");
}

TEST(ColumnWriter, SeparatesFilesThatLackTheirLastBlankLine) {
  std::ostringstream out;
  const auto writer = make_writer(out, {});
  for (const char* text : {"a\tO", "b\tO\n", "c\tO\n\n", "d\tO\n\n"}) {
    const auto reader = reader_over(text, {});
    Sentence sentence;
    ASSERT_TRUE(reader->next(sentence));
    writer->write(sentence, {.labels = {"X"}});
    while (reader->next(sentence)) {
    }
    writer->finish(reader->trailing());
  }
  EXPECT_EQ(out.str(), "a\tO\tX\n\nb\tO\tX\n\nc\tO\tX\n\nd\tO\tX\n\n");
}

// Writes the first sentence of `text` with everything that has columns.
std::string written_in_full(std::string_view text, WriterOptions writing) {
  const auto reader = reader_over(text, {.format = Format::kColumns});
  Sentence sentence;
  EXPECT_TRUE(reader->next(sentence));
  std::ostringstream out;
  writing.kbest = 3;
  make_writer(out, writing)
      ->write(sentence, {.labels = {"A", "B"},
                         .posteriors = {{{"A", 0.75}}, {{"B", 1}}},
                         .kbest = {{{"A", "B"}, -0.25}, {{"B", "B"}, -2}},
                         .samples = {{{"B", "A"}, -4}}});
  return out.str();
}

TEST(ColumnWriter, PutsWhatElseWasPredictedInFurtherColumns) {
  const std::string comments = "# kbest = -0.25 -2\n# samples = -4\n";
  EXPECT_EQ(written_in_full("\xef\xbb\xbfx\tO\ny\tO\n", {}), "\xef\xbb\xbf" + comments +
                                                                 "x\tO\tA\tA\t0.75\tA\tB\t_\tB\n"
                                                                 "y\tO\tB\tB\t1\tB\tB\t_\tA\n");
  EXPECT_EQ(written_in_full("\n# id = 1\nx y \nz O\n", {.replace_column = 0}),
            "\n# id = 1\n" + comments + "A y A 0.75 A B _ B \nB O B 1 B B _ A\n");
}

TEST(ColumnWriter, AddsNoBlankLineBeforeADocument) {
  EXPECT_EQ(relabel("a\tO\n-DOCSTART- O\n\nb\tO\n", {}), "a\tO\tL1\n-DOCSTART- O\n\nb\tO\tL1\n");
  EXPECT_EQ(relabel("a O\n-DOCSTART-\nb O\n", {}), "a O L1\n-DOCSTART-\nb O L1\n");
}

TEST(ColumnWriter, RefusesWhatDoesNotFit) {
  const std::string cell =
      " does not fit in a cell: it is empty, or has a separator or an end of "
      "line in it";
  EXPECT_EQ(refusal([] { relabel("{\"tokens\":[\"a\\tb\"]}", {}); }), "\"a\tb\"" + cell);
  EXPECT_EQ(refusal([] { relabel("{\"tokens\":[\"a\\nb\"]}", {}); }), "\"a\\x0ab\"" + cell);
  EXPECT_EQ(refusal([] { relabel("a\tO\n", {.replace_column = 2}); }),
            "write: column 3 cannot be replaced; the sentence has 2");
  EXPECT_EQ(refusal([] { relabel("O\tx\n", {}, {.format = Format::kCrfsuite}); }),
            "write: the sentence has no forms");
  const auto reader = reader_over("a O\n", {});
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  std::ostringstream out;
  const auto writer = make_writer(out, {});
  EXPECT_EQ(refusal([&] { writer->write(sentence, {.labels = {"a b"}}); }), "\"a b\"" + cell);
  EXPECT_EQ(refusal([&] { writer->write(sentence, {.labels = {""}}); }), "\"\"" + cell);
  EXPECT_EQ(refusal([&] { writer->write(sentence, {}); }), "write: 0 labels for 1 tokens");
  EXPECT_EQ(out.str(), "");
}

TEST(ConlluWriter, ComposesRowsForOtherFormats) {
  EXPECT_EQ(relabel("{\"id\":\"x\",\"tokens\":[\"a\",\"b\"]}",
                    {.format = Format::kConllu, .replace_column = 4}),
            "# sent_id = x\n1\ta\t_\t_\tL1\t_\t_\t_\t_\t_\n2\tb\t_\t_\tL2\t_\t_\t_\t_\t_\n\n");
  EXPECT_EQ(refusal([] { relabel("a b", {.format = Format::kConllu, .replace_column = 0}); }),
            "write: column 1 of CoNLL-U cannot hold labels");
}

TEST(TextWriter, AnswersLineByLine) {
  EXPECT_EQ(relabel("\na b\n\n \nc\n\n", {.format = Format::kText}), "\nL1 L2\n\n\nL1\n\n");
}

TEST(JsonlWriter, WritesWhatWasPredictedAndNothingElse) {
  EXPECT_EQ(
      relabel("say \"hi\"\n", {.format = Format::kJsonl}),
      "{\"v\":1,\"id\":\"s1\",\"tokens\":[\"say\",\"\\\"hi\\\"\"],\"tags\":[\"L1\",\"L2\"]}\n");
  const auto reader = reader_over("{\"id\":\"x\",\"tokens\":[\"New\",\"York\"]}", {});
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  std::ostringstream out;
  const auto writer = make_writer(out, {.format = Format::kJsonl});
  writer->write(sentence, {.labels = {"B-LOC", "I-LOC"},
                           .posteriors = {{{"B-LOC", 0.75}, {"O", 0.25}}, {}},
                           .spans = std::vector<LabelledSpan>{{0, 2, "LOC"}},
                           .span_probabilities = {0.5},
                           .log_probability = -0.125,
                           .milliseconds = 2});
  writer->write_failure(sentence, "E301", "no \"parse\"");
  EXPECT_EQ(
      out.str(),
      "{\"v\":1,\"id\":\"x\",\"tokens\":[\"New\",\"York\"],\"tags\":[\"B-LOC\",\"I-LOC\"],"
      "\"spans\":[{\"start\":0,\"end\":2,\"label\":\"LOC\",\"p\":0.5}],"
      "\"tag_p\":[[[\"B-LOC\",0.75],[\"O\",0.25]],[]],\"logp\":-0.125,\"ms\":2}\n"
      "{\"v\":1,\"id\":\"x\",\"error\":{\"code\":\"E301\",\"message\":\"no \\\"parse\\\"\"}}\n");
}

TEST(JsonlWriter, ListsSequencesWithTheirLogProbabilities) {
  const auto reader = reader_over("{\"id\":\"x\",\"tokens\":[\"a\"]}", {});
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  std::ostringstream out;
  make_writer(out, {.format = Format::kJsonl})
      ->write(sentence, {.labels = {"A"},
                         .kbest = {{{"A"}, -0.5}, {{"B"}, -1.0 / 0.0}},
                         .samples = {{{"B"}, -1.23456789}}});
  EXPECT_EQ(out.str(),
            "{\"v\":1,\"id\":\"x\",\"tokens\":[\"a\"],\"tags\":[\"A\"],"
            "\"kbest\":[{\"tags\":[\"A\"],\"logp\":-0.5},{\"tags\":[\"B\"],\"logp\":null}],"
            "\"samples\":[{\"tags\":[\"B\"],\"logp\":-1.23457}]}\n");
  const auto again = reader_over(out.str(), {});
  ASSERT_TRUE(again->next(sentence));
  EXPECT_EQ(sentence.cell(0, 1), "A");
}

TEST(JsonlWriter, IsReadBack) {
  const std::string text =
      relabel("a\tO\nb\\\tO\n\nc\tO\n", {.format = Format::kJsonl}, {.format = Format::kColumns});
  EXPECT_EQ(tables_of(text, {}), (std::vector<Table>{{{"a", "L1"}, {"b\\", "L2"}}, {{"c", "L1"}}}));
}

TEST(TextWriter, WritesAnEmptyLineForAFailure) {
  const auto reader = reader_over("a\n\n\xff\nb\n", {.policy = {.on_error = OnError::kReturn}});
  std::ostringstream out;
  const auto writer = make_writer(out, {.format = Format::kText});
  for (Sentence sentence; reader->next(sentence);) {
    if (const ParseError* failure = reader->failure()) {
      writer->write_failure(sentence, failure->code(), failure->what());
    } else {
      writer->write(sentence, {.labels = {"X"}});
    }
  }
  EXPECT_EQ(out.str(), "X\n\n\nX\n");
}

TEST(SentenceWriter, WritesUnderscoresForAFailure) {
  const auto reader = reader_over("a\tO\nb\tO\n", {});
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  std::ostringstream out;
  make_writer(out, {})->write_failure(sentence, "E301", "too long");
  EXPECT_EQ(out.str(), "a\tO\t_\nb\tO\t_\n");
}

TEST(MakeWriter, HasNoFormatOfItsOwn) {
  std::ostringstream out;
  EXPECT_EQ(refusal([&] { make_writer(out, {.format = Format::kAuto}); }),
            "a writer cannot choose its format by itself");
}

}  // namespace
}  // namespace coppice::text
