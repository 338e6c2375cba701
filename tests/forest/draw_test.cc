// Drawings: well-formed, escaped, honest about what they leave out; trees as text.
#include "coppice/forest/draw.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "coppice/base/error.h"
#include "coppice/forest/json.h"
#include "support/enumerate.h"
#include "support/expect_error.h"
#include "support/random_record.h"
#include "support/seeds.h"

namespace coppice {
namespace {

using testing::error_of;

// "John saw her" with two readings of "her duck".
ForestRecord duck() {
  return parse_forest_json(
      R"({"v":1,"id":"duck","tokens":["saw","her","duck"],"nodes":[)"
      R"({"label":"V","span":[0,1]},{"label":"D","span":[1,2]},{"label":"N","span":[2,3]},)"
      R"({"label":"NP","span":[1,3]},{"label":"S","span":[1,3]},{"label":"VP","span":[0,3]}],)"
      R"("edges":[{"head":0},{"head":1},{"head":2},{"head":3,"tails":[1,2]},)"
      R"({"head":4,"tails":[1,2]},{"head":5,"tails":[0,3]},{"head":5,"tails":[0,4]}],"root":5})");
}

const std::vector<EdgeId> kReading = {EdgeId{5}, EdgeId{0}, EdgeId{3}, EdgeId{1}, EdgeId{2}};

// Every tag closed in order, attributes quoted, no bare '&' or '<'. Not an XML parser, but strict.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at);
      if (entity != "&lt" && entity != "&gt" && entity != "&amp" && entity != "&quot") return false;
    }
    if (static_cast<unsigned char>(xml[at]) < 0x20 && xml[at] != '\n') return false;
    if (xml[at] != '<') continue;
    const std::size_t end = xml.find('>', at);
    if (end == xml.npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (std::ranges::count(tag, '"') % 2 != 0 || tag.find('<') != tag.npos) return false;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  return open.empty();
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + 1)) ++n;
  return n;
}

TEST(ToSvg, DrawsEveryNodeEdgeAndToken) {
  const std::string svg = to_svg(duck());
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_EQ(count(svg, "<circle"), 7u);
  EXPECT_EQ(count(svg, "rx=\"8\""), 6u);
  EXPECT_EQ(count(svg, "font-style=\"italic\""), 3u);
  EXPECT_NE(svg.find("<title>duck</title>"), svg.npos);
  EXPECT_NE(svg.find("<desc>A packed forest of 6 nodes and 7 edges; its root is VP. Tokens: saw "
                     "her duck</desc>"),
            svg.npos);
  EXPECT_NE(svg.find("viewBox=\"0 0 "), svg.npos);
}

TEST(ToSvg, DrawsALeafThatRepeatsItsTokenAsTheToken) {
  const auto with_leaves = [](const std::string& label, const std::string& score) {
    return parse_forest_json(
        R"({"v":1,"tokens":["her","duck"],"nodes":[{"label":")" + label +
        R"(","span":[0,1]},{"label":"duck","span":[1,2]},{"label":"NP","span":[0,2]}],)"
        R"("edges":[{"head":0},{"head":1,"score":)" +
        score + R"(},{"head":2,"tails":[0,1]}],"root":2})");
  };
  const auto boxes = [&](const std::string& label, const std::string& score) {
    const std::string svg = to_svg(with_leaves(label, score));
    EXPECT_TRUE(is_well_formed(svg)) << svg;
    EXPECT_EQ(count(svg, "font-style=\"italic\""), 2u);
    EXPECT_EQ(count(svg, "<circle"), count(svg, "rx=\"8\""));
    return count(svg, "rx=\"8\"");
  };
  EXPECT_EQ(boxes("her", "0"), 1u);
  EXPECT_EQ(boxes("her", "-1"), 2u);
  EXPECT_EQ(boxes("D", "0"), 2u);
  EXPECT_EQ(boxes("D", "-1"), 3u);
}

TEST(ToSvg, IsWellFormedForAnyRecord) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    SCOPED_TRACE(seed);
    const ForestRecord record = testing::random_record(seed);
    DrawOptions options{.show_edge_labels = seed % 2 == 0};
    if (seed % 3 == 0) options.posteriors = {record.forest.num_edges(), 0.3};
    if (seed % 5 == 0) options.max_nodes = 3;
    const std::string svg = to_svg(record, options);
    ASSERT_TRUE(is_well_formed(svg)) << svg;
    ASSERT_EQ(svg.find("nan"), svg.npos);
    ASSERT_EQ(svg, to_svg(record, options));
  }
}

TEST(ToSvg, MarksTheHighlightedDerivationAndShowsPosteriors) {
  DrawOptions options{.posteriors = {7, 1.0}, .highlighted = kReading};
  options.posteriors[EdgeId{5}] = 0.72;
  options.posteriors[EdgeId{6}] = 0.28;
  const std::string svg = to_svg(duck(), options);
  EXPECT_EQ(count(svg, "fill=\"#e2f2e6\""), 5u);
  EXPECT_NE(svg.find(">.72</text>"), svg.npos);
  EXPECT_NE(svg.find(">.28</text>"), svg.npos);
  EXPECT_NE(svg.find("<title>score 0, posterior 0.72</title>"), svg.npos);
}

TEST(ToSvg, SaysWhatItLeavesOut) {
  const std::string svg = to_svg(duck(), {.max_nodes = 4});
  EXPECT_NE(svg.find("4 of 6 nodes and 3 of 7 edges are drawn"), svg.npos) << svg;
  EXPECT_EQ(count(svg, "rx=\"8\""), 4u);
}

TEST(ToSvg, NumbersTailsThatDoNotStandInOrder) {
  const std::string swapped =
      R"({"v":1,"tokens":["a","b"],"nodes":[{"span":[0,1]},{"span":[1,2]},{"span":[0,2]}],)"
      R"("edges":[{"head":0},{"head":1},{"head":2,"tails":[1,0]}],"root":2})";
  EXPECT_EQ(count(to_svg(parse_forest_json(swapped)), "paint-order"), 2u);
  EXPECT_EQ(count(to_svg(duck()), "paint-order"), 0u);
}

TEST(ToSvg, DrawsAnEmptyForestAndHugeSpans) {
  const std::string empty = to_svg(make_record({}));
  EXPECT_NE(empty.find("the forest is empty"), empty.npos);
  const auto far = parse_forest_json(
      R"({"v":1,"nodes":[{"span":[4000000000,4100000000]}],"edges":[],"root":0})");
  EXPECT_TRUE(is_well_formed(to_svg(far)));
}

TEST(ToSvg, RefusesOptionsThatDoNotFit) {
  EXPECT_EQ(error_of([] {
              to_svg(duck(), {.posteriors = {2, 0.0}});
            }),
            "draw: 2 posteriors for a forest of 7 edges");
  EXPECT_EQ(error_of([] { to_svg(duck(), {.highlighted = {EdgeId{7}}}); }),
            "draw: highlighted edge 7 of 7 edges");
  EXPECT_EQ(error_of([] { to_dot(duck(), {.max_nodes = 0}); }),
            "draw: max_nodes is 0, expected at least 1");
}

TEST(ToDot, QuotesLabelsAndNumbersTails) {
  ForestRecord record = duck();
  record.node_labels[NodeId{5}] = record.symbols.add("a \"b\" \\N\nc");
  const std::string dot = to_dot(record, {.highlighted = kReading});
  EXPECT_NE(dot.find(R"(n5 [label="a \"b\" \\N\nc"];)"), dot.npos) << dot;
  EXPECT_EQ(count(dot, "shape=point"), 7u);
  EXPECT_NE(dot.find("e5 -> n3 [color=\"#2b7a4b\", penwidth=2.6, taillabel=\"2\"];"), dot.npos);
}

TEST(Derivation, IsWrittenInBrackets) {
  EXPECT_EQ(derivation_to_brackets(duck(), kReading), "(VP (V saw) (NP (D her) (N duck)))");
  ForestRecord record = duck();
  record.tokens = {"(", "her", "two words"};
  record.node_labels[NodeId{1}] = record.symbols.add("her");  // a node that is its token
  EXPECT_EQ(derivation_to_brackets(record, kReading), "(VP (V -LRB-) (NP her (N two_words)))");
  record.tokens.reset();
  EXPECT_EQ(derivation_to_brackets(record, kReading), "(VP (V) (NP (her) (N)))");
}

TEST(Derivation, IsDrawnInBoxCharacters) {
  EXPECT_EQ(derivation_to_text(duck(), kReading),
            "VP\n"
            "\xe2\x94\x9c\xe2\x94\x80 V \xe2\x94\x80 saw\n"
            "\xe2\x94\x94\xe2\x94\x80 NP\n"
            "   \xe2\x94\x9c\xe2\x94\x80 D \xe2\x94\x80 her\n"
            "   \xe2\x94\x94\xe2\x94\x80 N \xe2\x94\x80 duck\n");
  EXPECT_EQ(derivation_to_text(duck(), kReading, {.max_nodes = 1}), "VP\n(7 nodes more)\n");
}

TEST(Derivation, IsDrawnAsSvg) {
  const std::string svg = derivation_to_svg(duck(), kReading);
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_EQ(count(svg, "<rect"), 6u);  // the ground and five nodes
  EXPECT_EQ(count(svg, "italic"), 3u);
  const std::string cut = derivation_to_svg(duck(), kReading, {.max_nodes = 4});
  EXPECT_NE(cut.find("3 of 8 nodes are drawn"), cut.npos) << cut;
}

TEST(Derivation, MustBeOneInPrefixOrder) {
  const auto error_with = [](std::vector<EdgeId> edges) {
    return error_of([&] { derivation_to_brackets(duck(), edges); });
  };
  EXPECT_EQ(error_with({}), "derivation: it ends before node 5 is derived");
  EXPECT_EQ(error_with({EdgeId{5}, EdgeId{3}}),
            "derivation: edge 3 at position 1 goes into node 3, expected node 0");
  EXPECT_EQ(error_with({EdgeId{9}}), "derivation: edge 9 of 7 edges");
  auto longer = kReading;
  longer.push_back(EdgeId{0});
  EXPECT_EQ(error_with(longer), "derivation: 6 edges, but it is complete after 5");
}

// The slow, obvious reference.
std::string brackets(const ForestRecord& record, const std::vector<EdgeId>& edges,
                     std::size_t& at) {
  const EdgeId edge = edges[at++];
  std::string text = concat('(', index(record.forest.head(edge)));
  for (std::size_t i = 0; i < record.forest.tails(edge).size(); ++i) {
    text += concat(' ', brackets(record, edges, at));
  }
  return concat(text, ')');
}

TEST(Derivation, AgreesWithRecursionOnEveryDerivationOfRandomForests) {
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    SCOPED_TRACE(seed);
    ForestRecord record = make_record(testing::random_forest(seed));
    for (NodeId node : record.forest.nodes()) {
      record.node_labels[node] = record.symbols.add(std::to_string(index(node)));
    }
    for (const auto& edges : testing::derivations(record.forest, record.forest.root())) {
      std::size_t at = 0;
      ASSERT_EQ(derivation_to_brackets(record, edges), brackets(record, edges, at));
      ASSERT_TRUE(is_well_formed(derivation_to_svg(record, edges)));
    }
  }
}

TEST(Derivation, OfAMillionNodesDoesNotRecurse) {
  ForestBuilder builder;
  builder.add_edge(builder.add_node(), {});
  constexpr std::uint32_t kNodes = 1'000'000;
  for (std::uint32_t i = 1; i < kNodes; ++i) {
    builder.add_edge(builder.add_node(), {static_cast<NodeId>(i - 1)});
  }
  const ForestRecord record = make_record(std::move(builder).build());
  std::vector<EdgeId> edges;
  for (std::uint32_t i = kNodes; i-- > 0;) edges.push_back(static_cast<EdgeId>(i));
  EXPECT_EQ(derivation_to_brackets(record, edges).substr(0, 18), "(#999999 (#999998 ");
  EXPECT_NE(derivation_to_svg(record, edges).find("150 of 1000000 nodes"), std::string::npos);
  EXPECT_NE(to_svg(record).find("150 of 1000000 nodes"), std::string::npos);
}

}  // namespace
}  // namespace coppice
