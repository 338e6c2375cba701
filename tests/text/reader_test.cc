// Formats are recognised, plain text is read, and a pipe is not read ahead of.
#include "coppice/text/reader.h"

#include <unistd.h>

#include "support/temporary_directory.h"
#include "text/plain_text.h"
#include "text/support.h"

namespace coppice::text {
namespace {

std::string description_of(const std::string& name, std::string_view text,
                           const ReaderOptions& options = {}) {
  const auto reader = open_sentences(LineReader::over(text, name), options);
  const std::string description = reader->description();
  return description.substr(0, description.find_first_of(" ,"));
}

TEST(OpenSentences, RecognisesFormatsByTheEnding) {
  EXPECT_EQ(description_of("a.conllu", ""), "conllu");
  EXPECT_EQ(description_of("a.jsonl", ""), "jsonl");
  EXPECT_EQ(description_of("a.crfsuite", "O\ta\n"), "crfsuite");
  EXPECT_EQ(description_of("a.conll", "a word\n"), "columns");
  EXPECT_EQ(description_of("a.tsv", ""), "columns");
}

TEST(OpenSentences, RecognisesFormatsByTheFirstLine) {
  EXPECT_EQ(description_of("a", "{\"tokens\":[]}\n"), "jsonl");
  EXPECT_EQ(description_of("a", "# sent_id = 1\n"), "conllu");
  EXPECT_EQ(description_of("a", "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"), "conllu");
  EXPECT_EQ(description_of("a", "a\tb\n"), "columns");
  EXPECT_EQ(description_of("train.txt", "Confidence NN B-NP\n"), "columns");
  EXPECT_EQ(description_of("train.txt", "a O\n"), "columns");
  EXPECT_EQ(description_of("a", "-DOCSTART-\n"), "columns");
  EXPECT_EQ(description_of("a", "Peter visits New York\n"), "text");
  EXPECT_EQ(description_of("a", ""), "text");
  EXPECT_EQ(description_of("a", "runs VBZ\n", {.fallback = Format::kColumns}), "columns");
  EXPECT_EQ(description_of("a", "x y\n", {.columns = ColumnNames::parse("form,pos")}), "columns");
}

TEST(OpenSentences, LosesNoLineToTheRecognition) {
  const auto reader = reader_over("Peter visits\n\n New  York \r\n", {});
  EXPECT_EQ(tables_of(*reader), (std::vector<Table>{{{"Peter"}, {"visits"}}, {{"New"}, {"York"}}}));
  EXPECT_EQ(reader->description(), "text, one sentence a line");
}

TEST(OpenSentences, RefusesOptionsThatDoNotFit) {
  try {
    reader_over("", {.format = Format::kConllu, .columns = ColumnNames::parse("form")});
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.code(), "E111");
    EXPECT_STREQ(error.what(), "data is read as conllu, which takes no names of columns");
  }
  EXPECT_THROW(reader_over("", {.format = Format::kText, .partial_labels = "x"}), InvalidArgument);
  EXPECT_THROW(reader_over("", {.format = Format::kText, .comments = Comments::kAll}),
               InvalidArgument);
  EXPECT_THROW(reader_over("", {.format = Format::kColumns,
                                .columns = ColumnNames::parse("a"),
                                .partial_labels = "x"}),
               InvalidArgument);
}

TEST(OpenSentences, NamesAFileThatIsNotThere) {
  EXPECT_THROW(open_sentences("/nonexistent/file"), IoError);
}

TEST(OpenSentences, DeliversARecordOfAPipeAtItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  {
    // Nothing is written until this has been read: a reader that wanted more would hang.
    const std::string_view first = "a\tO\n\n";
    ASSERT_EQ(::write(ends[1], first.data(), first.size()), 5);
    const auto reader = open_sentences("-");
    Sentence sentence;
    EXPECT_EQ(reader->name(), "<stdin>");
    ASSERT_TRUE(reader->next(sentence));
    EXPECT_EQ(sentence.cell(0, 0), "a");
    ::close(ends[1]);
    EXPECT_FALSE(reader->next(sentence));
  }
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(ends[0]);
}

TEST(CheckSentences, ReportsEverything) {
  const testing::TemporaryDirectory dir;
  const CheckReport report = check_sentences(dir.write("a.conll", "a O\n\nb\n\nc O\nd\n"));
  EXPECT_EQ(report.description, "columns form label (spaces)");
  EXPECT_EQ(report.counts.sentences, 1u);
  EXPECT_EQ(report.counts.skipped, 2u);
  EXPECT_EQ(report.problems.size(), 2u);
}

TEST(PlainTextReader, NamesFaultsAndGoesOn) {
  EXPECT_EQ(fault_line_of("a b\nc \xff d\n", {.format = Format::kText}),
            "E202 data:2:3: the line is not UTF-8");
  PlainTextReader reader(LineReader::over("a\n\xff\nb", "data"), {.on_error = OnError::kSkip});
  EXPECT_EQ(tables_of(reader), (std::vector<Table>{{{"a"}}, {{"b"}}}));
}

TEST(SentenceReader, ReturnsBadRecordsWhenAsked) {
  const auto reader =
      reader_over("a\tO\n\nb\nc\n\nd\tO\n",
                  {.format = Format::kColumns, .policy = {.on_error = OnError::kReturn}});
  std::vector<std::string> found;
  for (Sentence sentence; reader->next(sentence);) {
    const ParseError* failure = reader->failure();
    found.push_back(failure != nullptr ? failure->code() : std::string(sentence.cell(0, 0)));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"a", "E203", "d"}));
  EXPECT_EQ(reader->counts().sentences, 2u);
  EXPECT_EQ(reader->counts().skipped, 1u);
}

TEST(ParseFormat, KnowsItsOwnNames) {
  for (const Format format :
       {Format::kAuto, Format::kColumns, Format::kConllu, Format::kText, Format::kJsonl,
        Format::kCrfsuite, Format::kBrackets, Format::kCcgbank}) {
    EXPECT_EQ(parse_format(to_string(format)), format);
  }
  try {
    parse_format("xml");
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "unknown format \"xml\"");
    EXPECT_EQ(error.help(),
              "one of auto, columns, conllu, text, jsonl, crfsuite, brackets, ccgbank");
  }
}

}  // namespace
}  // namespace coppice::text
