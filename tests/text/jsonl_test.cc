// JSON lines: the schema is read as documented, and departures from it are named.
#include "text/jsonl.h"

#include "text/support.h"

namespace coppice::text {
namespace {

const ReaderOptions kJsonl{.format = Format::kJsonl};

Sentence only_sentence(std::string_view text) {
  const auto reader = reader_over(text, kJsonl);
  Sentence sentence;
  EXPECT_TRUE(reader->next(sentence));
  Sentence other;
  EXPECT_FALSE(reader->next(other));
  return sentence;
}

std::string fault(std::string_view text) { return fault_line_of(text, kJsonl); }

TEST(JsonlReader, ReadsTokensTagsIdAndWeight) {
  const Sentence sentence = only_sentence(
      R"({"v":1,"id":"s1","tokens":["New","Y\u00f6rk"],"tags":["B-LOC","I-LOC"],"weight":0.5})");
  EXPECT_EQ(table_of(sentence), (Table{{"New", "B-LOC"}, {"Y\xc3\xb6rk", "I-LOC"}}));
  EXPECT_EQ(sentence.id(), "s1");
  EXPECT_EQ(sentence.weight(), 0.5);
  EXPECT_EQ(sentence.where().line, 1u);
  EXPECT_FALSE(sentence.is_partial());
  EXPECT_FALSE(sentence.has_attributes());
}

TEST(JsonlReader, ReadsTagsBeforeTokensAndNumbersAsIds) {
  const Sentence sentence = only_sentence(R"({"tags":["O"],"id":7,"tokens":["a"]})");
  EXPECT_EQ(table_of(sentence), (Table{{"a", "O"}}));
  EXPECT_EQ(sentence.id(), "7");
}

TEST(JsonlReader, HasOneColumnWithoutTags) {
  EXPECT_EQ(table_of(only_sentence(R"({"tokens":["a","b"],"tags":null})")), (Table{{"a"}, {"b"}}));
}

TEST(JsonlReader, ReadsAnEmptySentence) {
  EXPECT_EQ(only_sentence(R"({"tokens":[],"tags":[]})").num_tokens(), 0u);
}

TEST(JsonlReader, PassesOverEmptyLinesMarksAndCarriageReturns) {
  EXPECT_EQ(tables_of("\xef\xbb\xbf{\"tokens\":[\"a\"]}\r\n\n \n{\"tokens\":[\"b\"]}", kJsonl),
            (std::vector<Table>{{{"a"}}, {{"b"}}}));
  EXPECT_TRUE(tables_of("", kJsonl).empty());
}

TEST(JsonlReader, MakesLabelsOfSpans) {
  const Sentence sentence = only_sentence(
      R"({"tokens":["a","b","c"],"spans":[{"start":1,"end":3,"label":"X","p":0.5,"more":[{}]}]})");
  EXPECT_EQ(table_of(sentence), (Table{{"a", "O"}, {"b", "B-X"}, {"c", "I-X"}}));
}

TEST(JsonlReader, ReadsPartialAnnotation) {
  const Sentence sentence =
      only_sentence(R"({"tokens":["a","b","c"],"tags":[null,["A","B"],"?"]})");
  EXPECT_EQ(table_of(sentence), (Table{{"a", "?"}, {"b", "A|B"}, {"c", "?"}}));
  ASSERT_TRUE(sentence.is_partial());
  EXPECT_EQ(sentence.num_labels(0), 0u);
  ASSERT_EQ(sentence.num_labels(1), 2u);
  EXPECT_EQ(sentence.label(1, 1), "B");
  ASSERT_EQ(sentence.num_labels(2), 1u);
  EXPECT_EQ(sentence.label(2, 0), "?");
}

TEST(JsonlReader, ReadsAttributes) {
  const Sentence sentence =
      only_sentence(R"({"tokens":["a","b"],"attributes":[{"len":-1.5,"c":["x","y"]},{}]})");
  ASSERT_TRUE(sentence.has_attributes());
  ASSERT_EQ(sentence.num_attributes(0), 3u);
  EXPECT_EQ(sentence.attribute(0, 0).name, "len");
  EXPECT_EQ(sentence.attribute(0, 0).value, -1.5);
  EXPECT_EQ(sentence.attribute(0, 1).name, "c=x");
  EXPECT_EQ(sentence.attribute(0, 2).name, "c=y");
  EXPECT_EQ(sentence.attribute(0, 2).value, 1.0);
  EXPECT_EQ(sentence.num_attributes(1), 0u);
}

TEST(JsonlReader, ReadsAttributesAsOthersWriteThem) {
  const Sentence sentence = only_sentence(
      R"({"tokens":["a"],"attributes":[{"w":"x","title":true,"digit":false,"n":2}]})");
  ASSERT_EQ(sentence.num_attributes(0), 3u);
  EXPECT_EQ(sentence.attribute(0, 0).name, "w=x");
  EXPECT_EQ(sentence.attribute(0, 0).value, 1.0);
  EXPECT_EQ(sentence.attribute(0, 1).name, "title");
  EXPECT_EQ(sentence.attribute(0, 1).value, 1.0);
  EXPECT_EQ(sentence.attribute(0, 2).name, "n");
}

TEST(JsonlReader, ListsKeysThatNobodyKnows) {
  JsonlReader reader(LineReader::over(
      R"({"tokens":["a"],"meta":{"tokens":[1,{"tags":2}]},"ms":1,"tag_p":[[["O",1]]],"tag":3})",
      "data"));
  EXPECT_EQ(tables_of(reader), (std::vector<Table>{{{"a"}}}));
  EXPECT_EQ(reader.ignored_keys(), (std::vector<std::string>{"meta", "tag"}));
}

TEST(JsonlReader, NamesWhatIsNotJson) {
  EXPECT_EQ(fault_of("{\"tokens\":[\"a\"]}\n{\"tokens\":[\"a\",]}\n", kJsonl),
            "E240 data:2:16: this is not JSON | {\"tokens\":[\"a\",]} | " + skip_help());
  EXPECT_EQ(fault("{\"tokens\":[\"\xff\"]}"), "E240 data:1:13: this is not JSON");
  EXPECT_EQ(fault("{\"tokens\":[\"\xc3\xa9\"]} x"), "E240 data:1:18: this is not JSON");
  EXPECT_EQ(fault(R"({"tokens":["a"],"weight":1e999})"), "E240 data:1:30: this is not JSON");
  EXPECT_EQ(fault("{\"tokens\":\n[]}"), "E240 data:1:11: the JSON object does not end on its line");
  std::string deep = "{\"x\":";
  deep.append(100'000, '[');
  EXPECT_EQ(fault(deep), "E246 data:1: lists and objects are nested deeper than 64");
}

TEST(JsonlReader, NamesValuesOfTheWrongType) {
  EXPECT_EQ(fault("[]"), "E241 data:1: expected an object, found a list");
  EXPECT_EQ(fault("3"), "E241 data:1: expected an object, found a number");
  EXPECT_EQ(fault(R"({"tokens":"a b"})"),
            "E241 data:1: expected \"tokens\" to be a list of strings, found a string");
  EXPECT_EQ(fault(R"({"tokens":[["a"]]})"),
            "E241 data:1: expected \"tokens\" to be a list of strings, found a list");
  EXPECT_EQ(fault(R"({"tokens":null})"),
            "E241 data:1: expected \"tokens\" to be a list of strings, found null");
  const std::string tags =
      "E241 data:1: expected \"tags\" to be a list of strings, nulls and lists "
      "of strings, found ";
  EXPECT_EQ(fault(R"({"tokens":["a"],"tags":[1]})"), tags + "a number");
  EXPECT_EQ(fault(R"({"tokens":["a"],"tags":[[]]})"), tags + "an empty list");
  EXPECT_EQ(fault(R"({"tokens":["a"],"tags":[{}]})"), tags + "an object");
  EXPECT_EQ(fault(R"({"tokens":["a"],"tags":[[null]]})"), tags + "null");
  EXPECT_EQ(fault(R"({"id":-1,"tokens":[]})"),
            "E241 data:1: expected \"id\" to be a string or a whole number, found another number");
  EXPECT_EQ(fault(R"({"weight":-1,"tokens":[]})"),
            "E241 data:1: expected \"weight\" to be a number from 0 up, found a negative number");
  EXPECT_EQ(
      fault(R"({"tokens":["a"],"attributes":[{"x":{}}]})"),
      "E241 data:1: expected \"attributes\" to be a list of objects of numbers, strings, true, "
      "false and lists of strings, found an object");
  EXPECT_EQ(fault(R"({"v":true,"tokens":[]})"), "E241 data:1: expected \"v\" to be 1, found true");
}

TEST(JsonlReader, NamesSpansThatDoNotFit) {
  const std::string spans =
      "E241 data:1: expected \"spans\" to be a list of {\"start\":0,\"end\":1,\"label\":\"X\"}, "
      "found ";
  EXPECT_EQ(fault(R"({"tokens":["a"],"spans":[{"start":0,"end":1}]})"),
            "E241 data:1: a span lacks its start, its end or its label");
  EXPECT_EQ(fault(R"({"tokens":["a"],"spans":[{"start":-1}]})"),
            spans + "an offset that is not a whole number from 0 up");
  EXPECT_EQ(fault(R"({"tokens":["a"],"spans":[{"label":1}]})"),
            spans + "a label that is not a string");
  EXPECT_EQ(fault(R"({"tokens":["a"],"spans":[3]})"), spans + "a number");
  EXPECT_EQ(fault(R"({"tokens":["a"],"spans":[{"start":0,"end":2,"label":"X"}]})"),
            "E241 data:1: span [0, 2) is empty or passes the end of a sentence of 1 tokens");
  EXPECT_EQ(fault(R"({"tokens":["a"],"spans":[{"start":0,"end":1,"label":"X"},)"
                  R"({"start":0,"end":1,"label":"Y"}]})"),
            "E241 data:1: span [0, 1) overlaps [0, 1)");
}

TEST(JsonlReader, NamesMissingTokensLengthsVersionsAndDoubleKeys) {
  EXPECT_EQ(fault(R"({"v":1,"id":"s7","error":{"code":"E301"}})"),
            "E242 data:1: the record has no \"tokens\"");
  EXPECT_EQ(fault(R"({"tokens":["a","b"],"tags":["O"]})"),
            "E243 data:1: \"tags\" has 1 members for 2 tokens");
  EXPECT_EQ(fault(R"({"tokens":["a"],"attributes":[]})"),
            "E243 data:1: \"attributes\" has 0 members for 1 tokens");
  EXPECT_EQ(fault(R"({"v":2,"tokens":[]})"),
            "E244 data:1: expected version 1 of the schema, found 2");
  EXPECT_EQ(fault(R"({"tokens":["a"],"tokens":["b"]})"),
            "E245 data:1: the key \"tokens\" comes twice");
}

TEST(JsonlReader, SkipsABadRecordAndGoesOn) {
  ReaderOptions options = kJsonl;
  options.policy.on_error = OnError::kSkip;
  const auto reader = reader_over("{\n{\"tokens\":[\"a\"]}\n", options);
  EXPECT_EQ(tables_of(*reader), (std::vector<Table>{{{"a"}}}));
  EXPECT_EQ(reader->counts().skipped, 1u);
}

}  // namespace
}  // namespace coppice::text
