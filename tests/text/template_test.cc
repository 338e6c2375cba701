// The template language: what it means, how it prints, what it refuses; files of other tools.
#include "coppice/text/template.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "coppice/text/template_defaults.h"
#include "support/temporary_directory.h"
#include "text/template_import.h"

namespace coppice::text {
namespace {

std::string templates_of(const TemplateSet& set) {
  std::string text;
  for (const Template& one : set.templates) text += to_text(one, set) + "\n";
  if (set.transition) text += "transition\n";
  return text;
}

void expect_round_trip(const TemplateSet& set) {
  const TemplateSet again = parse_templates(to_text(set));
  EXPECT_EQ(again, set) << to_text(set);
  EXPECT_EQ(to_text(again), to_text(set));
}

TEST(Templates, ExpandRanges) {
  const TemplateSet set = parse_templates(
      "columns w pos\n"
      "w[-1..1]\n"
      " suffix( lower( w[0] ) , 1..2 )  # comments may follow\n"
      "# or stand alone\n"
      "\n"
      "w[0..1]|pos[0..1]\r\n"
      "transition: pos[0]\n"
      "transition\n");
  EXPECT_EQ(templates_of(set),
            "w[-1]\nw[0]\nw[1]\nsuffix(lower(w[0]),1)\nsuffix(lower(w[0]),2)\n"
            "w[0]|pos[0]\nw[0]|pos[1]\nw[1]|pos[0]\nw[1]|pos[1]\n"
            "transition: pos[0]\ntransition\n");
  EXPECT_EQ(set.templates[3].terms[0].steps[1].function, Function::kSuffix);
  expect_round_trip(set);
}

TEST(Templates, PrintBackWhatTheyWereReadFrom) {
  const TemplateSet set = parse_templates(
      "columns w \"my tag\" \"a\\\"b\\\\c\"\n"
      "list cities = lists/big cities.txt\n"
      "list \"odd name\" = \" quoted \"\n"
      "classes brown = paths\n"
      "outside omit\n"
      "\"my tag\"[+1]\n"
      "\"a\\\"b\\\\c\"[0]\n"
      "%x[-1..0,7]\n"
      "match(w[0],/^a|b\\/c#$/i)|test(w[0],/x/)|find(w[0],/[0-9]+/)\n"
      "in(lower(w[0]),cities)\n"
      "in(w[0],\"odd name\")\n"
      "cluster(w[0],brown,4)\n"
      "cluster(w[0],brown)\n"
      "value(%x[0,8])|w[0]\n"
      "shape(w[0])|collapsed(w[0])|class(w[0])|length(w[0])\n"
      "position()|first()|last()|bias()\n"
      "near: w[1]\n"
      "\"transition\": w[1]\n"
      "transition: \"two words\": w[1]\n");
  EXPECT_EQ(set.resources[0].path, "lists/big cities.txt");
  EXPECT_EQ(set.resources[1].path, " quoted ");
  EXPECT_EQ(set.columns[2], "a\"b\\c");
  EXPECT_EQ(to_text(set.templates[0], set), "\"my tag\"[1]");
  expect_round_trip(set);
}

TEST(Templates, TakeTheReadersNamesOfColumns) {
  const TemplateSet set =
      parse_templates("upos[0]\n%x[0,1]|form[0]\n", {.columns = {"form", "upos"}});
  EXPECT_EQ(templates_of(set), "upos[0]\nupos[0]|form[0]\n");
}

TEST(Templates, SayWhereAndWhyTheyAreRefused) {
  const auto error_of = [](std::string_view text) {
    try {
      parse_templates(text, {.file = "t.txt"});
    } catch (const ParseError& error) {
      return error.code() + " " + to_string(error.where()) + ": " + error.what();
    }
    return std::string("none");
  };
  EXPECT_EQ(error_of("w[0]\nw[0\n"),
            "E120 t.txt:2:4: expected ']' after the offset, found the end of the line");
  EXPECT_EQ(error_of("w"),
            "E120 t.txt:1:2: expected '[' or '(' after \"w\", found the end of the line");
  EXPECT_EQ(error_of("w[x]"), "E120 t.txt:1:3: expected an offset between -64 and 64");
  EXPECT_EQ(error_of("w[99]"), "E120 t.txt:1:3: expected an offset between -64 and 64");
  EXPECT_EQ(error_of("w[2..1]"), "E120 t.txt:1:7: the range is the wrong way round");
  EXPECT_EQ(error_of("w[0] w[1]"), "E120 t.txt:1:6: expected the end of the line, found 'w'");
  EXPECT_EQ(error_of("w[0]|"),
            "E120 t.txt:1:6: expected a column or a function, found the end of the line");
  EXPECT_EQ(error_of("pos[0]"), "E121 t.txt:1:1: unknown column \"pos\"");
  EXPECT_EQ(error_of("w[0]|stem(w[0])"), "E121 t.txt:1:6: unknown function \"stem\"");
  EXPECT_EQ(error_of("prefix(w[0])"),
            "E120 t.txt:1:12: expected ',' after the first argument, found ')'");
  EXPECT_EQ(error_of("prefix(w[0],0)"), "E120 t.txt:1:13: expected a number between 1 and 255");
  EXPECT_EQ(error_of("in(w[0],towns)"), "E121 t.txt:1:9: unknown list \"towns\"");
  EXPECT_EQ(error_of("match(w[0],/a(/)"), "E122 t.txt:1:14: regular expression: '(' without ')'");
  EXPECT_EQ(error_of("match(w[0],/a)"), "E120 t.txt:1:12: '/' without its end");
  EXPECT_EQ(error_of("lower(match(w[0],/a/))"), "E120 t.txt:1:7: match(...) gives no text");
  EXPECT_EQ(error_of("value(lower(w[0]))"), "E120 t.txt:1:7: value(...) takes a plain cell");
  EXPECT_EQ(error_of("w[0]\n w[-1..1]"), "E123 t.txt:2:2: the template w[0] is there already");
  EXPECT_EQ(error_of("columns a a"), "E123 t.txt:1:11: column \"a\" is named twice");
  EXPECT_EQ(error_of("w[0]\ncolumns a"),
            "E120 t.txt:2:9: columns must be named before the first template");
  EXPECT_EQ(error_of("list a = x\nclasses a = y"), "E123 t.txt:2:9: \"a\" is defined twice");
  EXPECT_EQ(error_of("outside maybe"), "E120 t.txt:1:9: expected mark or omit, found \"maybe\"");
  EXPECT_EQ(error_of("\"w"), "E120 t.txt:1:1: '\"' without its end");
  EXPECT_EQ(error_of("w[-64..64]|w[-64..64]"),
            "E120 t.txt:1:1: the ranges stand for more than 1000 templates");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "lower(";
  EXPECT_EQ(error_of(deep), "E120 t.txt:1:103: functions nested too deeply");
}

TEST(Templates, HelpWithUnknownNames) {
  try {
    parse_templates("tag[0]");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_EQ(error.help(), "the columns are w; name others with a line `columns NAME ...`");
    EXPECT_EQ(error.excerpt(), "tag[0]");
  }
  try {
    parse_templates("stem(w[0])");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_EQ(
        error.help(),
        "the functions are lower, prefix, suffix, shape, collapsed, class, length, test, find, "
        "cluster, match, in, value, position, first, last, bias");
  }
}

TEST(Templates, LoadTheirResourcesFromADirectory) {
  const testing::TemporaryDirectory directory;
  directory.write("c.txt", "Paris\nNew York\n");
  const TemplateSet set = parse_templates("list cities = c.txt\nin(w[0],cities)\n");
  const ResourceTexts texts = load_resources(set, directory.path().string());
  EXPECT_EQ(texts.at("cities"), "Paris\nNew York\n");
  EXPECT_THROW(load_resources(set, directory.file("missing")), IoError);
}

TEST(DefaultTemplates, WorkWithAnyColumns) {
  const std::vector<std::string> columns{"form", "part of speech", "lemma"};
  const TemplateSet set = default_templates(columns);
  EXPECT_TRUE(set.transition);
  EXPECT_EQ(set.columns, columns);
  expect_round_trip(set);
  EXPECT_THROW(default_templates({}), InvalidArgument);
}

TEST(DefaultTemplates, ReadWordClassesWhereThereIsAFileOfThem) {
  const std::vector<std::string> columns{"form", "pos"};
  const TemplateSet plain = default_templates(columns);
  EXPECT_TRUE(plain.resources.empty());
  const TemplateSet set = default_templates(columns, "my classes.txt");
  const std::vector<Resource> expected{{Resource::Kind::kClasses, kClasses, "my classes.txt"}};
  EXPECT_EQ(set.resources, expected);
  EXPECT_GT(set.templates.size(), plain.templates.size());
  expect_round_trip(set);
}

TEST(CrfsuiteChunkingTemplates, AreNineteenAndTheTwoBoundaries) {
  const TemplateSet set = crfsuite_chunking_templates();
  EXPECT_EQ(set.templates.size(), 21u);
  EXPECT_EQ(set.outside, Outside::kOmit);
  expect_round_trip(set);
}

TEST(ImportCrfpp, ReadsUnigramsBigramsAndBags) {
  const TemplateSet set = import_crfpp_templates(
      "# Unigram\n"
      "U00:%x[-2,0]\n"
      "U05:%x[-1,0]/%x[0,0]\n"
      "U10:%x[0,1]\n"
      "U11:%x[0,1]\n"
      "U99\n"
      "U:%x[-1,0]\n"
      "U:%x[0,0]\n"
      "\n"
      "# Bigram\n"
      "B01:%x[0,1]\n"
      "B\n",
      {.columns = {"w", "pos"}});
  EXPECT_EQ(templates_of(set),
            "w[-2]\nw[-1]|w[0]\npos[0]\nbias()\n\"U:%\": w[-1]\n\"U:%\": w[0]\n"
            "transition: pos[0]\ntransition\n");
  EXPECT_EQ(set.outside, Outside::kMark);
  expect_round_trip(set);
}

TEST(ImportWapiti, ReadsCommandsAndTranslatesExpressions) {
  const TemplateSet set = import_wapiti_patterns(
      "u:wrd=%x[ 0,0]  # the word\n"
      "U:low=%X[-1,0]\n"
      "*:pre=%m[ 0,0,\"^.?.?\"]\n"
      "u:suf=%M[0,0,\".?.?$\"]\n"
      "u:tst=%t[0,0,\"^\\u\\l*[+]\\\"a^$b$\"]/%T[+1,1,\"\\p\\W\"]\n"
      "b\n");
  EXPECT_EQ(templates_of(set),
            "w[0]\nlower(w[-1])\nfind(w[0],/^.?.?/)\ntransition: find(w[0],/^.?.?/)\n"
            "lower(find(w[0],/.?.?$/))\n"
            "test(w[0],/^\\p{Lu}\\p{Ll}*\\[\\+\\]\"a\\^\\$b$/)"
            "|test(%x[1,1],/[\\p{P}\\p{S}][^\\p{L}\\d]/)\n"
            "transition\n");
  expect_round_trip(set);
}

TEST(Imports, SayWhereALineIsWrong) {
  const auto error_of = [](auto import, std::string_view text) {
    try {
      TemplateSource source;
      source.file = "t";
      import(text, source);
    } catch (const ParseError& error) {
      return error.code() + " " + to_string(error.where()) + ": " + error.what();
    }
    return std::string("none");
  };
  EXPECT_EQ(error_of(import_crfpp_templates, "\nX00"),
            "E120 t:2:1: expected a line that begins with U or B");
  EXPECT_EQ(error_of(import_crfpp_templates, "U:%x[0]"), "E120 t:1:7: expected ','");
  EXPECT_EQ(error_of(import_crfpp_templates, "U:%m[0,0]"), "E120 t:1:4: expected x after %");
  EXPECT_EQ(error_of(import_crfpp_templates, "U:%x[0,-1]"),
            "E120 t:1:8: expected a number between 0 and 9999");
  EXPECT_EQ(error_of(import_wapiti_patterns, "u:%x[@1,0]"),
            "E120 t:1:6: absolute and indirect offsets have no counterpart");
  EXPECT_EQ(error_of(import_wapiti_patterns, "u:%t[0,0,\"a]"), "E120 t:1:13: '\"' without its end");
  EXPECT_EQ(error_of(import_wapiti_patterns, "u:%t[0,0,\"**\"]"),
            "E120 t:1:11: regular expression: nothing to repeat");
}

}  // namespace
}  // namespace coppice::text
