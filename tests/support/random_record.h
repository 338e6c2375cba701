// Small random forest records with awkward strings and numbers. The same seed, the same record.
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "coppice/forest/record.h"
#include "support/random_forest.h"

namespace coppice::testing {

inline std::string awkward_string(Random& random) {
  static const char* const kStrings[] = {
      "",
      "NP",
      "S -> NP VP",
      "\"quoted\" \\ back",
      "two\nlines\ttab\r",
      "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x8c\xb3",
      "<b>&amp;</b>",
      "(bracket)",
      "\x01\x1f\x7f",
      "-inf",
      "{}"};
  return kStrings[random.below(std::size(kStrings))];
}

inline double awkward_number(Random& random) {
  static const double kNumbers[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.25,
                                    0.1,
                                    1e300,
                                    -1e-300,
                                    std::numeric_limits<double>::denorm_min(),
                                    std::numeric_limits<double>::max(),
                                    9007199254740993.0,
                                    1152921504606846976.0,
                                    -std::numeric_limits<double>::infinity()};
  const auto pick = random.below(std::size(kNumbers) + 4);
  return pick < std::size(kNumbers) ? kNumbers[pick] : random.uniform() * 20 - 10;
}

inline ForestRecord random_record(std::uint64_t seed) {
  Random random(seed, 7);
  const auto nodes = static_cast<std::uint32_t>(random.below(12));
  ForestRecord record = make_record(random_forest(seed, {.nodes = nodes, .max_tails = 3}));
  record.id = awkward_string(random);
  if (random.below(2) == 0) {
    record.tokens.emplace();
    for (auto left = random.below(6); left > 0; --left) {
      record.tokens->push_back(awkward_string(random));
    }
  }
  const bool has_spans = random.below(2) == 0;
  const std::uint64_t limit = record.tokens ? record.tokens->size() : 50;
  for (NodeId node : record.forest.nodes()) {
    record.node_labels[node] = record.symbols.add(awkward_string(random));
    if (!has_spans) continue;
    const auto begin = static_cast<std::uint32_t>(random.below(limit + 1));
    const auto length = static_cast<std::uint32_t>(random.below(limit - begin + 1));
    record.spans.push_back({begin, begin + length});
  }
  record.edge_values = {};
  for (EdgeId edge : record.forest.edges()) {
    record.edge_labels[edge] = record.symbols.add(awkward_string(random));
    record.scores[edge] = awkward_number(random);
    record.edge_values.begin_edge();
    for (const char* name : {"length", "", "n\"\n"}) {
      if (random.below(2) == 0) record.edge_values.add(name, awkward_number(random));
    }
  }
  if (random.below(3) == 0) record.meta = "{\"a\":[1,-2.50,\"x\\n\",null,true,{}]}";
  return record;
}

}  // namespace coppice::testing
