// Column files of every shape are read, and every fault is named with its line.
#include "text/columns.h"

#include "support/shared_data.h"
#include "support/temporary_directory.h"
#include "text/support.h"

namespace coppice::text {
namespace {

const ReaderOptions kColumns{.format = Format::kColumns};

ReaderOptions with_names(const char* names) {
  return {.format = Format::kColumns, .columns = ColumnNames::parse(names)};
}

ReaderOptions skipping(ReaderOptions options = kColumns) {
  options.policy.on_error = OnError::kSkip;
  return options;
}

const std::vector<Table> kTwoSentences = {{{"Peter", "B-PER"}, {"runs", "O"}}, {{"Yes", "O"}}};

TEST(ColumnReader, ReadsTabsAndSpaces) {
  EXPECT_EQ(tables_of("Peter\tB-PER\nruns\tO\n\nYes\tO\n\n", kColumns), kTwoSentences);
  EXPECT_EQ(tables_of("Peter B-PER\nruns   O  \n\nYes O\n\n", kColumns), kTwoSentences);
}

TEST(ColumnReader, NeedsNoBlankLineAndNoNewlineAtTheEnd) {
  EXPECT_EQ(tables_of("Peter\tB-PER\nruns\tO\n\nYes\tO\n", kColumns), kTwoSentences);
  EXPECT_EQ(tables_of("Peter\tB-PER\nruns\tO\n\nYes\tO", kColumns), kTwoSentences);
}

TEST(ColumnReader, ReadsCarriageReturnsAndAByteOrderMark) {
  EXPECT_EQ(tables_of("\xef\xbb\xbfPeter\tB-PER\r\nruns\tO\r\n\r\nYes\tO\r\n", kColumns),
            kTwoSentences);
}

TEST(ColumnReader, TakesLinesOfWhiteSpaceForBlank) {
  EXPECT_EQ(tables_of(" \n\nPeter\tB-PER\nruns\tO\n \t \n\n\t\nYes\tO\n\n\n", kColumns),
            kTwoSentences);
}

TEST(ColumnReader, FindsNothingInAnEmptyFile) {
  for (const char* text : {"", "\n", "\n \n\r\n", "\xef\xbb\xbf"}) {
    const auto reader = reader_over(text, kColumns);
    EXPECT_TRUE(tables_of(*reader).empty());
    EXPECT_EQ(reader->counts().sentences, 0u);
    EXPECT_EQ(reader->trailing(), text);
  }
}

TEST(ColumnReader, ReadsOneTokenOfOneColumn) {
  EXPECT_EQ(tables_of("Yes", kColumns), (std::vector<Table>{{{"Yes"}}}));
}

TEST(ColumnReader, KeepsEmptyCellsAndBlanksBetweenTabs) {
  EXPECT_EQ(tables_of("New York\t\tLOC\n\t\t\n a \tb\t\n", kColumns),
            (std::vector<Table>{{{"New York", "", "LOC"}}, {{" a ", "b", ""}}}));
}

TEST(ColumnReader, TakesHashtagsForTokens) {
  const std::vector<Table> hashtags = {{{"#", "SYM"}, {"#nlp", "NN"}, {"#", "="}}};
  EXPECT_EQ(tables_of("#\tSYM\n#nlp\tNN\n#\t=\n", kColumns), hashtags);
  EXPECT_EQ(tables_of("# SYM\n#nlp NN\n# =\n", kColumns), hashtags);
  EXPECT_EQ(tables_of("# 1=\n", kColumns), (std::vector<Table>{{{"#", "1="}}}));
}

TEST(ColumnReader, ReadsIdAndWeightFromComments) {
  const auto reader = reader_over("# id = s 7\n# weight=2.5\na\tO\n\nb\tO\n", kColumns);
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.id(), "s 7");
  EXPECT_EQ(sentence.comment("id"), "s 7");
  EXPECT_EQ(sentence.comment("text"), std::nullopt);
  EXPECT_EQ(sentence.weight(), 2.5);
  EXPECT_EQ(sentence.where().line, 1u);
  EXPECT_EQ(sentence.line_of(0), 3u);
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.id(), "");
  EXPECT_EQ(sentence.weight(), 1.0);
}

TEST(ColumnReader, ObeysTheRuleForComments) {
  ReaderOptions none = kColumns;
  none.comments = Comments::kNone;
  EXPECT_EQ(tables_of("# weight = 2\n", none), (std::vector<Table>{{{"#", "weight", "=", "2"}}}));
  ReaderOptions all = kColumns;
  all.comments = Comments::kAll;
  EXPECT_EQ(tables_of("#x\na O\n# y\nb O\n", all), (std::vector<Table>{{{"a", "O"}, {"b", "O"}}}));
}

TEST(ColumnReader, CountsDocumentsAndMakesNoTokensOfThem) {
  const auto reader =
      reader_over("-DOCSTART- -X- O O\n\na\tO\n-DOCSTART-\nb\tO\n\nc\tO\n", kColumns);
  Sentence sentence;
  std::vector<bool> starts;
  while (reader->next(sentence)) {
    EXPECT_EQ(sentence.num_tokens(), 1u);
    starts.push_back(sentence.starts_document());
  }
  EXPECT_EQ(starts, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(reader->counts().documents, 2u);
  EXPECT_EQ(reader->counts().sentences, 3u);
  EXPECT_EQ(reader->counts().tokens, 3u);
}

TEST(ColumnReader, SaysWhatItDecided) {
  const auto tabs = reader_over("a\tb\tc\td\n", with_names("form,pos,_,ner"));
  EXPECT_EQ(tabs->description(), "columns form pos _ ner");
  tables_of(*tabs);
  EXPECT_EQ(tabs->description(), "columns form pos _ ner (tab)");
  const auto spaces = reader_over("a b c d\n", kColumns);
  EXPECT_EQ(spaces->description(), "columns");
  tables_of(*spaces);
  EXPECT_EQ(spaces->description(), "columns form c2 c3 label (spaces)");
}

TEST(ColumnReader, NamesALineWithTooFewColumns) {
  EXPECT_EQ(fault_of("a\tNN\tI-NP\tO\n\nBern\tNNP\tI-LOC\n", with_names("form,pos,chunk,ner")),
            "E203 data:3: expected 4 columns, found 3 | Bern\tNNP\tI-LOC\n"
            "columns used so far: form pos chunk ner (tab-separated) | " +
                skip_help());
  EXPECT_EQ(fault_line_of("a b c\n", with_names("form,pos")),
            "E203 data:1: expected 2 columns, found 3");
}

TEST(ColumnReader, SaysWhenSpacesStandWhereTabsShould) {
  EXPECT_EQ(fault_of("a\tO\nb O\n", kColumns),
            "E203 data:2: expected 2 columns, found 1 | b O\n"
            "columns used so far: form label (tab-separated) | put tabs between the columns, as in "
            "the first line, or skip bad sentences with --on-error skip (they are listed and "
            "counted)");
}

TEST(ColumnReader, NamesBytesThatAreNotUtf8) {
  EXPECT_EQ(fault_of("a\tO\nM\xc3\xbcll\xfcr\tO\n", kColumns),
            "E202 data:2:5: the line is not UTF-8 | M\xc3\xbcll\\xfcr\tO | convert the file with "
            "iconv, or read it as it is with --encoding bytes");
  ReaderOptions bytes = kColumns;
  bytes.policy.encoding = Encoding::kBytes;
  EXPECT_EQ(tables_of("M\xfcller\tO\n", bytes), (std::vector<Table>{{{"M\xfcller", "O"}}}));
}

TEST(ColumnReader, NamesNulBytes) {
  const std::string text("a\tO\nb\0c\tO\n", 10);
  EXPECT_EQ(fault_of(text, kColumns),
            "E205 data:2:2: the line has a NUL byte | b\\x00c\tO | is this a text file? --encoding "
            "bytes takes any byte");
}

TEST(ColumnReader, NamesABadWeight) {
  EXPECT_EQ(
      fault_of("# weight = -1\na\n", kColumns),
      "E208 data:1: weight \"-1\" is not a number from 0 up | # weight = -1 | " + skip_help());
  for (const char* weight : {"nan", "inf", "", "1x", "1e999"}) {
    EXPECT_EQ(fault_line_of(std::string("# weight = ") + weight + "\na\n", kColumns),
              std::string("E208 data:1: weight \"") + weight + "\" is not a number from 0 up");
  }
}

TEST(ColumnReader, SkipsBadSentencesAndListsAllTheirFaults) {
  const auto reader = reader_over("a\tO\n\nb\nc\tO\nd\tO\tO\n\ne\tO\n\n\xff\tO\n", skipping());
  EXPECT_EQ(tables_of(*reader), (std::vector<Table>{{{"a", "O"}}, {{"e", "O"}}}));
  EXPECT_EQ(reader->counts().sentences, 2u);
  EXPECT_EQ(reader->counts().skipped, 2u);
  EXPECT_EQ(reader->counts().problems, 3u);
  ASSERT_EQ(reader->problems().size(), 3u);
  EXPECT_EQ(to_string(reader->problems()[0].where()), "data:3");
  EXPECT_EQ(to_string(reader->problems()[1].where()), "data:5");
  EXPECT_EQ(to_string(reader->problems()[2].where()), "data:9:1");
}

TEST(ColumnReader, ListsNoMoreProblemsThanAskedFor) {
  ReaderOptions options = skipping();
  options.policy.max_errors = 2;
  const auto reader = reader_over("a O\n\nb\n\nc\n\nd\n", options);
  tables_of(*reader);
  EXPECT_EQ(reader->problems().size(), 2u);
  EXPECT_EQ(reader->counts().problems, 3u);
}

TEST(ColumnReader, NumbersSentencesThatWereSkippedToo) {
  const auto reader = reader_over("a O\n\nb\n\nc O\n", skipping());
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.number(), 1u);
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.number(), 3u);
}

TEST(ColumnReader, ReadsSetsOfLabelsOnlyWhenAsked) {
  ReaderOptions partial = with_names("form,ner");
  partial.partial_labels = "ner";
  const auto reader = reader_over("a ?\nb A|B\nc O\n", partial);
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  ASSERT_TRUE(sentence.is_partial());
  EXPECT_EQ(sentence.num_labels(0), 0u);
  ASSERT_EQ(sentence.num_labels(1), 2u);
  EXPECT_EQ(sentence.label(1, 0), "A");
  EXPECT_EQ(sentence.label(1, 1), "B");
  ASSERT_EQ(sentence.num_labels(2), 1u);
  EXPECT_EQ(sentence.label(2, 0), "O");
  EXPECT_EQ(fault_of("a A|\n", partial),
            "E201 data:1: the set of labels \"A|\" has an empty member | a A| | " + skip_help());

  const auto plain = reader_over("a ?\n", kColumns);
  ASSERT_TRUE(plain->next(sentence));
  EXPECT_FALSE(sentence.is_partial());
}

TEST(ColumnReader, ReadsALineOfManyMegabytes) {
  const std::string longest(5'000'000, 'x');
  EXPECT_EQ(tables_of(longest + "\tO\n", kColumns), (std::vector<Table>{{{longest, "O"}}}));
  EXPECT_EQ(fault_of("a O\n" + longest + "\n", kColumns),
            "E203 data:2: expected 2 columns, found 1 | " + std::string(160, 'x') +
                "...\ncolumns used so far: form label (separated by spaces) | " + skip_help());
}

TEST(ColumnReader, ReadsASentenceOfAHundredThousandTokens) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a\tO\n";
  const auto reader = reader_over(text, kColumns);
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.num_tokens(), 100'000u);
  EXPECT_EQ(sentence.cell(99'999, 1), "O");
}

TEST(ColumnReader, DoesNotMindBinaryJunk) {
  std::string junk;
  for (int i = 0; i < 5000; ++i) junk += static_cast<char>((i * 7919) >> 3);
  EXPECT_NE(fault_of(junk, kColumns), "");
  EXPECT_NO_THROW(tables_of(junk, skipping()));
}

TEST(ColumnReader, RequiresSentencesOnRequest) {
  const auto reader = reader_over("\n", kColumns);
  tables_of(*reader);
  try {
    require_sentences(*reader);
    FAIL() << "expected ParseError";
  } catch (const ParseError& error) {
    EXPECT_EQ(describe(error), "E204 data: the file has no sentences |  | it was read as columns");
  }
  const auto bad = reader_over("\xff\n", skipping());
  tables_of(*bad);
  try {
    require_sentences(*bad);
    FAIL() << "expected ParseError";
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(), "the file has no sentences without problems; 1 were skipped");
  }
}

TEST(ColumnReader, ReadsTheCorpusOfConll2000) {
  const auto path = testing::shared_data("conll2000/test.txt");
  if (!path) GTEST_SKIP() << "no shared data";
  const CheckReport report = check_sentences(*path);
  EXPECT_EQ(report.description, "columns form c2 label (spaces)");
  EXPECT_EQ(report.counts.sentences, 2012u);
  EXPECT_EQ(report.counts.tokens, 47377u);
  EXPECT_TRUE(report.problems.empty());
}

std::string refusal(const char* list) {
  try {
    ColumnNames::parse(list);
  } catch (const InvalidArgument& error) {
    return error.code() + " " + error.what();
  }
  return "";
}

TEST(ColumnNames, FindsNamesAndIgnoresUnderscores) {
  const ColumnNames names = ColumnNames::parse("form,_,_,ner");
  EXPECT_EQ(names.size(), 4u);
  EXPECT_EQ(names.find("ner"), 3u);
  EXPECT_EQ(names.find("_"), std::nullopt);
  EXPECT_EQ(names.to_string(), "form _ _ ner");
  EXPECT_EQ(names.require("form"), 0u);
}

TEST(ColumnNames, SaysWhatIsWrongWithAList) {
  EXPECT_EQ(refusal(""), "E110 column list \"\": it is empty");
  EXPECT_EQ(refusal("a,,b"), "E110 column list \"a,,b\": name 2 is empty");
  EXPECT_EQ(refusal("a,"), "E110 column list \"a,\": name 2 is empty");
  EXPECT_EQ(refusal("a, b"), "E110 column list \"a, b\": name 2 has a blank in it");
  EXPECT_EQ(refusal("a,b,a"), "E110 column list \"a,b,a\": \"a\" comes twice");
  try {
    ColumnNames::parse("form,pos").require("ner");
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.code(), "E112");
    EXPECT_STREQ(error.what(), "there is no column \"ner\"");
    EXPECT_EQ(error.help(), "the columns are: form pos");
  }
}

}  // namespace
}  // namespace coppice::text
