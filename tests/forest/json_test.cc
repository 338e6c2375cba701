// JSON lines: round trips bit for bit, any order, and every way to get it wrong.
#include "coppice/forest/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <sstream>

#include "support/expect_error.h"
#include "support/random_record.h"
#include "support/seeds.h"
#include "support/temporary_directory.h"

namespace coppice {
namespace {

using testing::error_of;

std::string to_json(const ForestRecord& record) {
  std::ostringstream out;
  write_forest_json(out, record);
  return out.str();
}

std::string parse_error_of(const std::string& line) {
  return error_of([&] { parse_forest_json(line, {.file = "f.jsonl", .line = 7}); });
}

// A record of three nodes, of which `edges` and `root` are given.
std::string with_edges(const std::string& edges) {
  return R"({"v":1,"nodes":[{},{},{}],"edges":[)" + edges + R"(],"root":2})";
}

TEST(ForestJson, WritesTheDocumentedForm) {
  const std::string line =
      R"({"v":1,"id":"s1","tokens":["the","dog"],)"
      R"("nodes":[{"label":"DT","span":[0,1]},{"span":[1,2]},{"label":"NP","span":[0,2]}],)"
      R"("edges":[{"head":0,"tails":[],"score":0},{"head":1,"tails":[],"score":"-inf"},)"
      R"({"head":2,"tails":[0,1],"score":-1.25,"label":"NP -> DT NN","values":{"length":2}}],)"
      R"("root":2,"meta":{"by":["me",1.50]}})"
      "\n";
  EXPECT_EQ(to_json(parse_forest_json(line)), line);
}

TEST(ForestJson, ReadsBackWhatItWrote) {
  for (std::uint64_t seed = 0; seed < testing::seeds(500); ++seed) {
    SCOPED_TRACE(seed);
    const ForestRecord record = testing::random_record(seed);
    const ForestRecord again = parse_forest_json(to_json(record));
    ASSERT_EQ(again, record);
    ASSERT_EQ(to_json(again), to_json(record));
    for (EdgeId edge : record.forest.edges()) {  // == does not tell -0 from 0
      ASSERT_EQ(std::bit_cast<std::uint64_t>(again.scores[edge]),
                std::bit_cast<std::uint64_t>(record.scores[edge]));
    }
  }
}

TEST(ForestJson, SortsWhatComesInAnyOrder) {
  const ForestRecord record = parse_forest_json(
      R"({"edges":[{"label":"top","score":3,"values":{"x":1},"tails":[2,1],"head":0},)"
      R"({"head":2,"label":"two","score":2},{"head":1,"label":"one","score":1,"values":{"y":4}}],)"
      R"("root":0,"nodes":[{"label":"S"},{"label":"B"},{"label":"A"}],"v":1})");
  const Forest& forest = record.forest;
  ASSERT_EQ(index(forest.root()), 2u);
  EXPECT_EQ(record.label(forest.root()), "S");
  const EdgeId top = forest.incoming(forest.root())[0];
  EXPECT_EQ(record.label(top), "top");
  EXPECT_EQ(record.scores[top], 3);
  EXPECT_EQ(record.values("x")[top], 1);
  EXPECT_EQ(record.label(forest.tails(top)[0]), "A");
  EXPECT_EQ(record.label(forest.tails(top)[1]), "B");
  const EdgeId one = forest.incoming(forest.tails(top)[1])[0];
  EXPECT_EQ(record.label(one), "one");
  EXPECT_EQ(record.values("y")[one], 4);
  EXPECT_EQ(parse_forest_json(to_json(record)), record);
}

TEST(ForestJson, KeepsAnEmptyForestAndANodeWithoutEdges) {
  const ForestRecord empty = parse_forest_json(R"({"v":1,"nodes":[],"edges":[]})");
  EXPECT_TRUE(empty.forest.empty());
  EXPECT_EQ(to_json(empty), "{\"v\":1,\"id\":\"\",\"nodes\":[],\"edges\":[]}\n");
  const ForestRecord lonely = parse_forest_json(R"({"v":1,"nodes":[{}],"edges":[],"root":0})");
  EXPECT_EQ(lonely.forest.num_nodes(), 1u);
  EXPECT_EQ(lonely.forest.num_edges(), 0u);
}

TEST(ForestJson, KeepsATailUsedTwice) {
  const ForestRecord record = parse_forest_json(with_edges(R"({"head":2,"tails":[1,1,0]})"));
  EXPECT_EQ(record.forest.tails(EdgeId{0}).size(), 3u);
  EXPECT_EQ(record.scores[EdgeId{0}], 0);
}

TEST(ForestJson, ReadsAChainOfManyNodesBackwards) {
  constexpr int kNodes = 20000;
  std::string nodes, edges;
  for (int i = 0; i < kNodes; ++i) {
    nodes += i == 0 ? "{}" : ",{}";
    edges += (i == 0 ? "{\"head\":" : ",{\"head\":") + std::to_string(i);
    edges += i + 1 < kNodes ? ",\"tails\":[" + std::to_string(i + 1) + "]}" : "}";
  }
  const ForestRecord record =
      parse_forest_json("{\"v\":1,\"nodes\":[" + nodes + "],\"edges\":[" + edges + "],\"root\":0}");
  EXPECT_EQ(index(record.forest.root()), kNodes - 1u);
}

TEST(ForestJson, PlacesErrorsOfTheSchema) {
  EXPECT_EQ(parse_error_of("[]"), "E220 f.jsonl:7: record: expected an object, found an array");
  EXPECT_EQ(parse_error_of("{}"), "E220 f.jsonl:7: \"v\" is missing");
  EXPECT_EQ(parse_error_of(R"({"v":2})"), "E220 f.jsonl:7: v: expected the version 1, found 2");
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":[{}],"edges":[]})"),
            "E220 f.jsonl:7: \"root\" is missing");
  EXPECT_EQ(parse_error_of(R"({"v":1,"node":[]})"),
            "E220 f.jsonl:7: unknown key \"node\"; known: v, id, tokens, nodes, edges, root, meta");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"scor":1})")),
            "E220 f.jsonl:7: edges[0]: unknown key \"scor\"; known: head, tails, score, label, "
            "values");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2},{"head":1,"head":2})")),
            "E220 f.jsonl:7: edges[1]: key \"head\" is given twice");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"values":{"x":1,"y":2,"x":3}})")),
            "E220 f.jsonl:7: edges[0].values: key \"x\" is given twice");
  EXPECT_EQ(parse_error_of(with_edges(R"({"tails":[1]})")),
            "E220 f.jsonl:7: edges[0]: \"head\" is missing");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"tails":[0,"1"]})")),
            "E220 f.jsonl:7: edges[0].tails[1]: expected the number of a node, found the string "
            "\"1\"");
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":[{"label":5}]})"),
            "E220 f.jsonl:7: nodes[0].label: expected a string, found 5");
  EXPECT_EQ(parse_error_of(R"({"v":1,"tokens":["a",null]})"),
            "E220 f.jsonl:7: tokens[1]: expected a string, found null");
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":{}})"),
            "E220 f.jsonl:7: nodes: expected an array, found an object");
  EXPECT_EQ(parse_error_of(R"({"v":1,"meta":3})"),
            "E220 f.jsonl:7: meta: expected an object, found 3");
}

TEST(ForestJson, PlacesErrorsOfTheForest) {
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":1,"tails":[2]},{"head":2,"tails":[0,1]})")),
            "E221 f.jsonl:7: forest: cycle through nodes 1 <- 2 <- 1");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"tails":[0,3]})")),
            "E222 f.jsonl:7: edges[0].tails[1]: node 3 does not exist; there are 3 nodes, counted "
            "from 0");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":1000000000})")),
            "E222 f.jsonl:7: edges[0].head: node 1000000000 does not exist; there are 3 nodes, "
            "counted from 0");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"tails":[99999999999]})")),
            "E222 f.jsonl:7: edges[0].tails[0]: 99999999999 is too large for the number of a node");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":-1})")),
            "E220 f.jsonl:7: edges[0].head: expected the number of a node, found -1");
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":[],"edges":[],"root":0})"),
            "E222 f.jsonl:7: root: there are no nodes");
}

TEST(ForestJson, PlacesErrorsOfNumbersAndSpans) {
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"score":"NaN"})")),
            "E223 f.jsonl:7: edges[0].score: expected a number or \"-inf\", found the string "
            "\"NaN\"");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"values":{"q":true}})")),
            "E223 f.jsonl:7: edges[0].values[\"q\"]: expected a number or \"-inf\", found true");
  EXPECT_EQ(parse_error_of(with_edges(R"({"head":2,"score":1e999})")),
            "E223 f.jsonl:7: a number is too large for a double");
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":[{"span":[2,1]}]})"),
            "E224 f.jsonl:7: nodes[0].span ends at 1 before it begins at 2");
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":[{"span":[2]}]})"),
            "E224 f.jsonl:7: nodes[0].span: expected two numbers of tokens, [begin, end], found 1 "
            "numbers");
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":[{"span":[0,1]},{}],"edges":[],"root":0})"),
            "E224 f.jsonl:7: nodes[1] has no span, but other nodes have; give all or none");
  EXPECT_EQ(parse_error_of(R"({"v":1,"tokens":[],"nodes":[{"span":[0,1]}],"edges":[],"root":0})"),
            "E224 f.jsonl:7: nodes[0].span ends at 1, but there are 0 tokens");
}

TEST(ForestJson, PlacesErrorsOfSyntaxAtTheirColumn) {
  EXPECT_EQ(parse_error_of(R"({"v":1,"nodes":[{},]})"),
            "E240 f.jsonl:7:20: not JSON: syntax error while parsing value - unexpected ']'; "
            "expected '[', '{', or a literal");
  EXPECT_EQ(parse_error_of(R"({"v":NaN})"),
            "E240 f.jsonl:7:6: not JSON: syntax error while parsing value - invalid literal");
  EXPECT_EQ(parse_error_of("{\"v\":1,\"id\":\"\xff\"}").substr(0, 35),
            "E240 f.jsonl:7:14: not JSON: syntax");
  EXPECT_EQ(parse_error_of("{} {}").substr(0, 4), "E220");
}

TEST(ForestJson, RefusesHostileNesting) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(parse_error_of(deep), "E220 f.jsonl:7: record: expected an object, found an array");
  EXPECT_EQ(parse_error_of("{\"meta\":{\"a\":" + deep),
            "E246 f.jsonl:7: meta nests deeper than 64 levels");
}

TEST(ForestJson, RefusesToWriteWhatItCouldNotRead) {
  ForestBuilder builder;
  builder.add_edge(builder.add_node(), {});
  ForestRecord record = make_record(std::move(builder).build());
  record.scores[EdgeId{0}] = std::numeric_limits<double>::quiet_NaN();
  std::ostringstream out;
  EXPECT_THROW(write_forest_json(out, record), InvalidArgument);
  EXPECT_EQ(out.str(), "");
}

TEST(ForestJsonReader, GoesOnBehindABadLine) {
  const testing::TemporaryDirectory directory;
  const std::string good = R"({"v":1,"id":"a","nodes":[],"edges":[]})";
  const auto path = directory.write("f.jsonl", good + "\n\n{\"v\":3}\r\n" + good);
  const auto reader = read_forest_json(LineReader(path));
  EXPECT_EQ(reader->next()->id, "a");
  EXPECT_EQ(error_of([&] { reader->next(); }),
            "E220 " + path + ":3: v: expected the version 1, found 3");
  EXPECT_EQ(reader->next()->id, "a");
  EXPECT_EQ(reader->where().line, 4u);
  EXPECT_FALSE(reader->next().has_value());
  EXPECT_FALSE(reader->next().has_value());
}

}  // namespace
}  // namespace coppice
