// One packed forest with everything that belongs to it: what files hold and programs pass around.
//
// The topology is a Forest; labels, spans, scores and named values are arrays beside it under the
// same ids. Labels are ids into one string table, so that a record costs a fixed number of
// allocations however many edges it has. Read and written by json.h and binary.h, drawn by draw.h.
//
// Invariants, which `validate` checks and every reader establishes:
//   (1) one node label and, where there are spans, one span a node; one edge label, one score and
//       one row of values an edge; every label and name is an id of its table;
//   (2) a span has begin <= end, and end is at most the number of tokens where there are tokens;
//   (3) scores and values are finite or -infinity, never NaN or +infinity;
//   (4) no edge has two values of one name;
//   (5) every string is valid UTF-8; meta is empty or one JSON object in compact form.
//
// A node whose label begins with '@' is a helper: a step of a rule that was cut into shorter ones.
// Trees of derivations (draw.h) show its children in its place. Whatever is computed treats it as
// any other node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/symbols.h"
#include "coppice/forest/forest.h"

namespace coppice {

// The first character of a helper's label.
inline constexpr char kHelperMark = '@';

// The tokens [begin, end) that a node covers.
struct TokenSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const TokenSpan&) const = default;
};

// Sparse named numbers on edges: features, losses, counts, second weightings. Compressed rows, one
// an edge, each in the order in which its values were added.
class EdgeValues {
 public:
  EdgeValues() = default;
  // `edges` rows without values.
  explicit EdgeValues(std::size_t edges) : begin_(edges + 1, 0) {}

  // Rows are filled in the order of edges: begin_edge starts the next row, add extends it.
  // Requires a row for add. Throws InvalidArgument past 2^32 - 1 values.
  void begin_edge();
  void add(SymbolId name, double value);
  void add(std::string_view name, double value) { add(names.add(name), value); }

  std::size_t num_edges() const noexcept { return begin_.size() - 1; }
  std::size_t num_values() const noexcept { return values_.size(); }

  // The names and the values of one edge, in parallel.
  std::span<const SymbolId> names_of(EdgeId edge) const noexcept { return row(names_, edge); }
  std::span<const double> values_of(EdgeId edge) const noexcept { return row(values_, edge); }

  // One number an edge, 0 where the edge has none of that name. Throws InvalidArgument, listing
  // the known names, when no edge can have it because the table lacks it. O(edges + values).
  EdgeMap<double> dense(std::string_view name) const;

  Symbols names;

 private:
  template <class T>
  std::span<const T> row(const std::vector<T>& all, EdgeId edge) const noexcept {
    const std::size_t begin = begin_[index(edge)];
    return {all.data() + begin, begin_[index(edge) + 1] - begin};
  }

  std::vector<std::uint32_t> begin_{0};
  std::vector<SymbolId> names_;
  std::vector<double> values_;
};

struct ForestRecord {
  std::string id;                                  // of the sentence, may be empty
  std::optional<std::vector<std::string>> tokens;  // the input, where it is a list of tokens
  Forest forest;
  Symbols symbols;                // the texts of labels
  NodeMap<SymbolId> node_labels;  // an empty text is no label
  EdgeMap<SymbolId> edge_labels;
  NodeMap<TokenSpan> spans;  // one a node, or none at all
  EdgeMap<double> scores;    // ln p_e; -infinity is weight zero
  EdgeValues edge_values;
  std::string meta;  // a JSON object that passes through unread, or empty

  std::string_view label(NodeId node) const noexcept { return symbols[node_labels[node]]; }
  std::string_view label(EdgeId edge) const noexcept { return symbols[edge_labels[edge]]; }
  bool has_spans() const noexcept { return spans.size() != 0; }

  // The values of one name; see EdgeValues::dense. The error names the record.
  EdgeMap<double> values(std::string_view name) const;

  // The same content: tables of strings may number them differently. O(size).
  bool operator==(const ForestRecord& other) const;
};

// A record around `forest` with empty labels, scores 0 and no values.
ForestRecord make_record(Forest forest);

// Throws InvalidArgument naming the first invariant that does not hold. O(size).
void validate(const ForestRecord& record);

}  // namespace coppice
