// What is read from CoNLL-U is written back byte for byte, and faults are named.
#include "text/conllu.h"

#include <sstream>

#include "coppice/base/random.h"
#include "coppice/text/writer.h"
#include "support/seeds.h"
#include "support/shared_data.h"
#include "text/support.h"

namespace coppice::text {
namespace {

const ReaderOptions kConllu{.format = Format::kConllu};

std::string row(const std::string& id, const std::string& form, const std::string& upos = "X") {
  return id + "\t" + form + "\t_\t" + upos + "\t_\t_\t_\t_\t_\tSpaceAfter=No|Gloss=a b";
}

// Reads, and writes every label back where it was, or `label` instead.
std::string rewrite(LineReader lines, std::optional<std::string_view> label = {}) {
  ConlluReader reader(std::move(lines));
  std::ostringstream out;
  const auto writer = make_writer(out, {.format = Format::kConllu});
  for (Sentence sentence; reader.next(sentence);) {
    Prediction prediction;
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      prediction.labels.push_back(label.value_or(sentence.cell(t, 3)));
    }
    writer->write(sentence, prediction);
  }
  writer->finish(reader.trailing());
  return out.str();
}

std::string rewrite(const std::string& text) { return rewrite(LineReader::over(text, "data")); }

const std::string kMixed =
    "# newdoc id = d\n# sent_id = a-1\n# text = don't go\n" + row("1-2", "don't") + "\n" +
    row("1", "do") + "\n" + row("2", "n't") + "\n" + row("2.1", "you") + "\n" + row("3", "go") +
    "\n\n" + "# sent_id = a-2\n" + row("0.1", "there") + "\n" + row("1", "Yes") + "\n\n";

TEST(ConlluReader, TakesOnlyWordsForTokens) {
  const auto reader = reader_over(kMixed, kConllu);
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  ASSERT_EQ(sentence.num_tokens(), 3u);
  EXPECT_EQ(sentence.num_columns(), 10u);
  EXPECT_EQ(sentence.cell(1, 1), "n't");
  EXPECT_EQ(sentence.cell(2, conllu_columns().require("misc")), "SpaceAfter=No|Gloss=a b");
  EXPECT_EQ(sentence.id(), "a-1");
  EXPECT_EQ(sentence.comment("text"), "don't go");
  EXPECT_TRUE(sentence.starts_document());
  EXPECT_EQ(sentence.line_of(2), 8u);
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.num_tokens(), 1u);
  EXPECT_EQ(sentence.id(), "a-2");
  EXPECT_FALSE(reader->next(sentence));
  EXPECT_EQ(reader->counts().documents, 1u);
}

TEST(ConlluReader, ChangesOnlyThePredictedColumn) {
  std::string expected = kMixed;
  for (const char* word : {"1\tdo\t_\t", "2\tn't\t_\t", "3\tgo\t_\t", "1\tYes\t_\t"}) {
    expected.replace(expected.find(word) + std::string(word).size(), 1, "VERB");
  }
  EXPECT_EQ(rewrite(LineReader::over(kMixed, "data"), "VERB"), expected);
}

TEST(ConlluReader, RoundTripsOddShapes) {
  const std::string word = row("1", "a");
  for (const std::string& text :
       {std::string(), std::string("\n\n"), std::string("# only a comment"), word, word + "\n",
        word + "\n\n\n\n" + word, "\n \t\n" + word + "\n\n# end\n\n",
        "# lost = 1\n\n# sent_id = 2\n" + word + "\n\n", "\xef\xbb\xbf" + word + "\n\n",
        word + "\r\n\r\n" + word + "\r\n", word + "\r\n\r\n" + word + "\r",
        word + "\n# inside\n" + row("2", "b") + "\n\n"}) {
    EXPECT_EQ(rewrite(text), text);
  }
}

TEST(ConlluReader, RoundTripsRandomFiles) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    Random random(seed);
    const std::string end = random.below(2) == 0 ? "\n" : "\r\n";
    std::string text;
    for (std::uint64_t s = random.below(4); s > 0; --s) {
      for (std::uint64_t i = random.below(3); i > 0; --i) text += "# c" + std::to_string(i) + end;
      const std::uint64_t words = 1 + random.below(4);
      for (std::uint64_t w = 1; w <= words; ++w) {
        const std::string id = std::to_string(w);
        if (random.below(4) == 0 && w < words) {
          text += row(id + "-" + id, "mwt") + end;
        }
        text += row(id, random.below(3) == 0 ? "\xc3\xa9" : "w") + end;
        if (random.below(4) == 0) text += row(id + ".1", "_") + end;
      }
      for (std::uint64_t i = 1 + random.below(3); i > 0; --i) text += end;
    }
    text.resize(text.size() - std::min<std::size_t>(text.size(), random.below(2) * end.size()));
    EXPECT_EQ(rewrite(text), text) << "seed " << seed;
  }
}

TEST(ConlluReader, RoundTripsTheEnglishWebTreebank) {
  const auto folder = testing::shared_data("ud_english_ewt");
  if (!folder) GTEST_SKIP() << "no shared data";
  for (const char* part : {"dev", "test", "train"}) {
    const std::string path = *folder + "/en_ewt-ud-" + part + ".conllu";
    EXPECT_TRUE(rewrite(LineReader(path)) == read_file(path)) << path;
  }
  const CheckReport report = check_sentences(*folder + "/en_ewt-ud-dev.conllu");
  EXPECT_EQ(report.description, "conllu");
  EXPECT_EQ(report.counts.sentences, 2001u);
}

TEST(ConlluReader, NamesFaults) {
  const auto fault = [](const std::string& text) { return fault_line_of(text, kConllu); };
  EXPECT_EQ(fault_of("1\ta\t_\n", kConllu),
            "E203 data:1: expected 10 tab-separated columns, found 3 | 1\ta\t_\n"
            "columns of CoNLL-U: id form lemma upos xpos feats head deprel deps misc | " +
                skip_help());
  EXPECT_EQ(fault(row("1", "a") + "\n" + row("3", "b")),
            "E207 data:2: expected the id 2, found \"3\"");
  EXPECT_EQ(fault(row("x", "a")), "E207 data:1: expected the id 1, found \"x\"");
  EXPECT_EQ(fault(row("", "a")), "E207 data:1: expected the id 1, found \"\"");
  EXPECT_EQ(fault(row("2-3", "a")),
            "E207 data:1: the range \"2-3\" does not begin at the next word, 1, or lies inside "
            "another");
  EXPECT_EQ(fault(row("1-3", "a") + "\n" + row("1", "a") + "\n" + row("2-3", "b")),
            "E207 data:3: the range \"2-3\" does not begin at the next word, 2, or lies inside "
            "another");
  EXPECT_EQ(fault(row("1", "a") + "\n" + row("1.2", "b")),
            "E207 data:2: expected the empty node 1.1, found \"1.2\"");
  EXPECT_EQ(fault("# c\n" + row("0.1", "a") + "\n\n"), "E207 data:1: the sentence has no words");
  EXPECT_EQ(fault(row("1-3", "a") + "\n" + row("1", "b")),
            "E207 data:1: a range ends at word 3, but the sentence has 1");
  EXPECT_EQ(fault(row("99999999999999999999", "a")),
            "E207 data:1: expected the id 1, found \"99999999999999999999\"");
  EXPECT_EQ(fault("# weight = x\n" + row("1", "a")),
            "E208 data:1: weight \"x\" is not a number from 0 up");
  EXPECT_EQ(fault(row("1", "\xff")).substr(0, 13), "E202 data:1:3");
}

TEST(ConlluReader, SkipsABadSentenceAndGoesOn) {
  ReaderOptions options = kConllu;
  options.policy.on_error = OnError::kSkip;
  const auto reader =
      reader_over(row("2", "a") + "\n" + row("3", "b") + "\n\n" + row("1", "c") + "\n", options);
  const auto tables = tables_of(*reader);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0][0][1], "c");
  EXPECT_EQ(reader->counts().skipped, 1u);
  EXPECT_EQ(reader->counts().problems, 1u);  // one gap is one fault
}

}  // namespace
}  // namespace coppice::text
