// Records: named values, equality by content, invariants named when broken.
#include "coppice/forest/record.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.h"
#include "support/random_record.h"
#include "support/seeds.h"

namespace coppice {
namespace {

using testing::error_of;

ForestRecord two_edges() {
  ForestBuilder builder;
  const NodeId a = builder.add_node();
  builder.add_edge(a, {});
  const NodeId b = builder.add_node();
  builder.add_edge(b, {a, a});
  ForestRecord record = make_record(std::move(builder).build());
  record.id = "s1";
  return record;
}

TEST(ForestRecord, GivesNamedValuesWithZeroWhereThereIsNone) {
  ForestRecord record = two_edges();
  record.edge_values = {};
  record.edge_values.begin_edge();
  record.edge_values.begin_edge();
  record.edge_values.add("loss", 0.5);
  record.edge_values.add("length", 2);
  validate(record);
  EXPECT_EQ(record.values("loss"), EdgeMap<double>(std::vector<double>{0, 0.5}));
  EXPECT_EQ(record.values("length"), EdgeMap<double>(std::vector<double>{0, 2}));
  EXPECT_EQ(error_of([&] { record.values("los"); }),
            "E130: forest \"s1\": no edge value \"los\"; known: loss, length");
}

TEST(ForestRecord, SaysThatThereAreNoNamedValues) {
  EXPECT_EQ(error_of([&] { two_edges().values("loss"); }),
            "E130: forest \"s1\": no edge value \"loss\"; the edges have no named values");
}

TEST(ForestRecord, IsEqualHoweverItsStringsAreNumbered) {
  ForestRecord one = two_edges(), two = two_edges();
  two.symbols.add("unused");
  one.node_labels[NodeId{0}] = one.symbols.add("NP");
  EXPECT_NE(one, two);
  two.node_labels[NodeId{0}] = two.symbols.add("NP");
  EXPECT_EQ(one, two);
  two.scores[EdgeId{1}] = 1;
  EXPECT_NE(one, two);
}

TEST(ForestRecord, ComparesValuesByNameAndNumber) {
  ForestRecord one = two_edges(), two = two_edges();
  for (ForestRecord* record : {&one, &two}) {
    record->edge_values = {};
    record->edge_values.begin_edge();
    record->edge_values.begin_edge();
  }
  two.edge_values.names.add("other");
  one.edge_values.add("x", 1);
  two.edge_values.add("x", 1);
  EXPECT_EQ(one, two);
  two.edge_values.add("y", 1);
  EXPECT_NE(one, two);
}

TEST(ForestRecord, AcceptsEveryRandomRecord) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    EXPECT_NO_THROW(validate(testing::random_record(seed))) << "seed " << seed;
  }
}

struct Broken {
  void (*break_it)(ForestRecord&);
  const char* message;
};

TEST(ForestRecord, NamesTheInvariantThatDoesNotHold) {
  const Broken cases[] = {
      {[](ForestRecord& r) { r.scores[EdgeId{1}] = std::numeric_limits<double>::quiet_NaN(); },
       "forest record: edge 1: score is nan, expected a finite number or -infinity"},
      {[](ForestRecord& r) { r.scores[EdgeId{0}] = std::numeric_limits<double>::infinity(); },
       "forest record: edge 0: score is inf, expected a finite number or -infinity"},
      {[](ForestRecord& r) {
         r.scores = {1, 0.0};
       },
       "forest record: 1 scores, expected 2"},
      {[](ForestRecord& r) { r.node_labels[NodeId{1}] = SymbolId{9}; },
       "forest record: label of node 1 is 9 in a table of 1 strings"},
      {[](ForestRecord& r) { r.edge_labels[EdgeId{1}] = r.symbols.add("\xff"); },
       "forest record: label 1 is not valid UTF-8"},
      {[](ForestRecord& r) {
         r.spans = NodeMap<TokenSpan>(std::vector<TokenSpan>{{0, 1}, {3, 2}});
       },
       "forest record: node 1: span ends at 2 before it begins at 3"},
      {[](ForestRecord& r) {
         r.tokens = std::vector<std::string>{"a"};
         r.spans = NodeMap<TokenSpan>(std::vector<TokenSpan>{{0, 1}, {0, 2}});
       },
       "forest record: node 1: span ends at 2 of 1 tokens"},
      {[](ForestRecord& r) { r.edge_values = EdgeValues(1); },
       "forest record: 1 rows of values, expected 2"},
      {[](ForestRecord& r) {
         r.edge_values = {};
         r.edge_values.begin_edge();
         r.edge_values.add("x", 1);
         r.edge_values.add("x", 2);
         r.edge_values.begin_edge();
       },
       "forest record: edge 0 has two values \"x\""},
      {[](ForestRecord& r) { r.meta = "{ }"; },
       "forest record: meta is not a JSON object in compact form"},
      {[](ForestRecord& r) { r.meta = "[1]"; }, "not one JSON object of at most 64 levels"},
  };
  for (const Broken& broken : cases) {
    ForestRecord record = two_edges();
    broken.break_it(record);
    EXPECT_EQ(error_of([&] { validate(record); }), broken.message);
  }
}

}  // namespace
}  // namespace coppice
