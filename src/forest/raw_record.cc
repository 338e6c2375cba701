#include "forest/raw_record.h"

#include <algorithm>
#include <span>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/forest/hypergraph.h"

namespace coppice::detail {

namespace {

[[noreturn]] void fail(const char* code, const std::string& message) {
  throw ParseError(message, {.code = code});
}

// Throws when there is no such node; the parts of its name are joined only then.
template <class... Parts>
void check_node(std::uint32_t id, const RawRecord& raw, const Parts&... what) {
  if (id < raw.num_nodes()) return;
  fail("E222", concat(what..., ": node ", id, " does not exist; there are ", raw.num_nodes(),
                      " nodes, counted from 0"));
}

// Every tail and head is a node; they stand in the order of the file.
Hypergraph make_graph(const RawRecord& raw) {
  Hypergraph graph;
  for (std::size_t i = 0; i < raw.num_nodes(); ++i) graph.add_node();
  std::vector<NodeId> tails;
  for (std::size_t edge = 0; edge < raw.num_edges(); ++edge) {
    check_node(raw.heads[edge], raw, "edges[", edge, "].head");
    tails.clear();
    for (std::size_t at = raw.tails_begin[edge]; at < raw.tails_begin[edge + 1]; ++at) {
      check_node(raw.tails[at], raw, "edges[", edge, "].tails[", at - raw.tails_begin[edge], "]");
      tails.push_back(static_cast<NodeId>(raw.tails[at]));
    }
    graph.add_edge(static_cast<NodeId>(raw.heads[edge]), tails);
  }
  if (raw.num_nodes() == 0) {
    if (raw.root) fail("E222", "root: there are no nodes");
    return graph;
  }
  if (!raw.root) fail("E220", "\"root\" is missing");
  check_node(*raw.root, raw, "root");
  graph.set_root(static_cast<NodeId>(*raw.root));
  return graph;
}

SortedForest sort_or_fail(const Hypergraph& graph) {
  try {
    return sort_topologically(graph);
  } catch (const InvalidArgument& error) {
    throw ParseError(error.what(), {.code = error.code(),
                                    .help = "a forest has no cycles: no node may be reached from "
                                            "itself through tails"});
  }
}

// All nodes have spans within the tokens, or none has one.
bool check_spans(const RawRecord& raw) {
  const auto has = [](const auto& span) { return span.has_value(); };
  if (std::ranges::none_of(raw.spans, has)) return false;
  for (std::size_t i = 0; i < raw.num_nodes(); ++i) {
    if (!raw.spans[i]) {
      fail("E224", concat("nodes[", i, "] has no span, but other nodes have; give all or none"));
    }
    if (raw.tokens && raw.spans[i]->end > raw.tokens->size()) {
      fail("E224", concat("nodes[", i, "].span ends at ", raw.spans[i]->end, ", but there are ",
                          raw.tokens->size(), " tokens"));
    }
  }
  return true;
}

// Strings are numbered by first use in the forest's order, so that equal records have equal tables.
void fill_nodes(ForestRecord& record, const RawRecord& raw, const std::vector<std::uint32_t>& from,
                bool has_spans) {
  for (std::uint32_t old : from) {
    record.node_labels.push_back(record.symbols.add(raw.symbols[raw.node_labels[old]]));
    if (has_spans) record.spans.push_back(*raw.spans[old]);
  }
}

void fill_edges(ForestRecord& record, const RawRecord& raw,
                const std::vector<std::uint32_t>& from) {
  for (std::uint32_t old : from) {
    record.edge_labels.push_back(record.symbols.add(raw.symbols[raw.edge_labels[old]]));
    record.scores.push_back(raw.scores[old]);
    record.edge_values.begin_edge();
    const auto names = raw.values.names_of(static_cast<EdgeId>(old));
    const auto values = raw.values.values_of(static_cast<EdgeId>(old));
    for (std::size_t i = 0; i < names.size(); ++i) {
      record.edge_values.add(raw.values.names[names[i]], values[i]);
    }
  }
}

// new id -> old id, from old id -> new id.
template <Id I>
std::vector<std::uint32_t> inverted(const IdMap<I, I>& map) {
  std::vector<std::uint32_t> inverse(map.size());
  for (I old : IdRange<I>(map.size())) inverse[index(map[old])] = static_cast<std::uint32_t>(old);
  return inverse;
}

}  // namespace

ForestRecord assemble(RawRecord raw) {
  SortedForest sorted = sort_or_fail(make_graph(raw));
  ForestRecord record;
  fill_nodes(record, raw, inverted(sorted.node_of), check_spans(raw));
  fill_edges(record, raw, inverted(sorted.edge_of));
  record.id = std::move(raw.id);
  record.tokens = std::move(raw.tokens);
  record.meta = std::move(raw.meta);
  record.forest = std::move(sorted.forest);
  return record;
}

}  // namespace coppice::detail
