#include "forest/binary_record.h"

#include <bit>
#include <limits>
#include <utility>
#include <vector>

namespace coppice::detail {

namespace {

constexpr std::uint64_t kHasTokens = 1, kHasSpans = 2, kHasMeta = 4, kAllFlags = 7;
constexpr std::uint64_t kIds = std::numeric_limits<std::uint32_t>::max();

void append_id(std::string& out, auto id) { append_varint(out, index(id)); }

void append_table(std::string& out, const Symbols& table) {
  append_varint(out, table.size());
  for (SymbolId id : table.ids()) append_string(out, table[id]);
}

// The node itself is not written: tails precede their head, so the distance is small.
void append_topology(std::string& out, const Forest& forest) {
  append_varint(out, forest.num_nodes());
  for (NodeId node : forest.nodes()) {
    append_varint(out, forest.incoming(node).size());
    for (EdgeId edge : forest.incoming(node)) {
      append_varint(out, forest.tails(edge).size());
      for (NodeId tail : forest.tails(edge)) append_varint(out, index(node) - index(tail) - 1);
    }
  }
  if (!forest.empty()) append_id(out, forest.root());
}

void append_spans(std::string& out, const NodeMap<TokenSpan>& spans) {
  std::uint32_t previous = 0;
  for (const TokenSpan& span : spans.values()) {
    append_varint(out, zigzag(std::int64_t{span.begin} - std::int64_t{previous}));
    append_varint(out, span.end - span.begin);
    previous = span.begin;
  }
}

void append_values(std::string& out, const EdgeValues& values) {
  append_table(out, values.names);
  std::string numbers;
  for (EdgeId edge : IdRange<EdgeId>(values.num_edges())) {
    append_varint(out, values.names_of(edge).size());
    for (SymbolId name : values.names_of(edge)) append_id(out, name);
    for (double value : values.values_of(edge)) {
      append_fixed(numbers, std::bit_cast<std::uint64_t>(value), 8);
    }
  }
  out += numbers;
}

Symbols read_table(ByteCursor& bytes) {
  Symbols table;
  const std::size_t size = bytes.count(1, "strings");
  for (std::size_t i = 0; i < size; ++i) {
    if (index(table.add(bytes.string())) != i) bytes.fail("a string stands twice in its table");
  }
  return table;
}

Forest read_topology(ByteCursor& bytes) {
  ForestBuilder builder;
  std::vector<NodeId> tails;
  const std::size_t nodes = bytes.count(1, "nodes");
  for (std::size_t node = 0; node < nodes; ++node) {
    const NodeId head = builder.add_node();
    const std::size_t edges = bytes.count(1, "edges");
    for (std::size_t edge = 0; edge < edges; ++edge) {
      tails.resize(bytes.count(1, "tails"));
      for (NodeId& tail : tails) {
        tail = static_cast<NodeId>(node - 1 - bytes.below(node, "distance to a tail"));
      }
      builder.add_edge(head, tails);
    }
  }
  if (nodes == 0) return {};
  return std::move(builder).build(static_cast<NodeId>(bytes.below(nodes, "root")));
}

NodeMap<TokenSpan> read_spans(ByteCursor& bytes, std::size_t nodes) {
  NodeMap<TokenSpan> spans;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::int64_t step = unzigzag(bytes.varint());
    if (step < -begin || step >= static_cast<std::int64_t>(kIds) - begin) {
      bytes.fail("a span begins outside of 32 bits");
    }
    begin += step;
    const auto from = static_cast<std::uint32_t>(begin);
    spans.push_back({from, from + bytes.below(kIds - from, "length of a span")});
  }
  return spans;
}

template <Id I>
IdMap<I, SymbolId> read_ids(ByteCursor& bytes, std::size_t count, const Symbols& table) {
  IdMap<I, SymbolId> ids;
  for (std::size_t i = 0; i < count; ++i) {
    ids.push_back(static_cast<SymbolId>(bytes.below(table.size(), "label")));
  }
  return ids;
}

// All names come first, then all numbers: the rows are known before the first number is.
EdgeValues read_values(ByteCursor& bytes, std::size_t edges) {
  EdgeValues values(0);
  values.names = read_table(bytes);
  std::vector<std::size_t> sizes;
  std::vector<SymbolId> names;
  for (std::size_t edge = 0; edge < edges; ++edge) {
    sizes.push_back(bytes.count(1, "values"));
    for (std::size_t i = 0; i < sizes.back(); ++i) {
      names.push_back(static_cast<SymbolId>(bytes.below(values.names.size(), "value name")));
    }
  }
  std::size_t at = 0;
  for (std::size_t size : sizes) {
    values.begin_edge();
    for (std::size_t i = 0; i < size; ++i) values.add(names[at++], bytes.number());
  }
  return values;
}

}  // namespace

std::string encode(const ForestRecord& record) {
  std::string out;
  append_varint(out, (record.tokens ? kHasTokens : 0) | (record.has_spans() ? kHasSpans : 0) |
                         (record.meta.empty() ? 0 : kHasMeta));
  append_string(out, record.id);
  if (!record.meta.empty()) append_string(out, record.meta);
  if (record.tokens) {
    append_varint(out, record.tokens->size());
    for (const std::string& token : *record.tokens) append_string(out, token);
  }
  append_topology(out, record.forest);
  append_table(out, record.symbols);
  for (SymbolId label : record.node_labels.values()) append_id(out, label);
  if (record.has_spans()) append_spans(out, record.spans);
  for (SymbolId label : record.edge_labels.values()) append_id(out, label);
  for (double score : record.scores.values()) {
    append_fixed(out, std::bit_cast<std::uint64_t>(score), 8);
  }
  append_values(out, record.edge_values);
  return out;
}

ForestRecord decode(ByteCursor bytes) {
  ForestRecord record;
  const std::uint64_t flags = bytes.varint();
  if ((flags & ~kAllFlags) != 0) bytes.fail("unknown flags ", flags);
  record.id = bytes.string();
  if ((flags & kHasMeta) != 0) record.meta = bytes.string();
  if ((flags & kHasTokens) != 0) {
    record.tokens.emplace(bytes.count(1, "tokens"));
    for (std::string& token : *record.tokens) token = bytes.string();
  }
  record.forest = read_topology(bytes);
  const std::size_t nodes = record.forest.num_nodes(), edges = record.forest.num_edges();
  record.symbols = read_table(bytes);
  record.node_labels = read_ids<NodeId>(bytes, nodes, record.symbols);
  if ((flags & kHasSpans) != 0) record.spans = read_spans(bytes, nodes);
  record.edge_labels = read_ids<EdgeId>(bytes, edges, record.symbols);
  if (edges > bytes.left() / 8) bytes.fail("the scores of ", edges, " edges are cut off");
  for (std::size_t i = 0; i < edges; ++i) record.scores.push_back(bytes.number());
  record.edge_values = read_values(bytes, edges);
  if (bytes.left() != 0) bytes.fail(bytes.left(), " bytes after the end of the record");
  validate(record);
  return record;
}

}  // namespace coppice::detail
