#include "coppice/forest/record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/unicode.h"
#include "coppice/base/error.h"
#include "forest/json_text.h"

namespace coppice {

namespace {

constexpr std::size_t kNamesListed = 12;

std::string list_names(const Symbols& names) {
  if (names.empty()) return "the edges have no named values";
  std::string text = "known: ";
  for (SymbolId id : names.ids()) {
    if (index(id) == kNamesListed) return text + ", ...";
    if (index(id) != 0) text += ", ";
    text += names[id];
  }
  return text;
}

void require_utf8(std::string_view text, const char* what, std::size_t number) {
  require(detail::is_utf8(text), "forest record: ", what, " ", number, " is not valid UTF-8");
}

void require_utf8(const Symbols& table, const char* what) {
  for (SymbolId id : table.ids()) require_utf8(table[id], what, index(id));
}

void require_number(double value, EdgeId edge, std::string_view what) {
  require(!std::isnan(value) && value != std::numeric_limits<double>::infinity(),
          "forest record: edge ", index(edge), ": ", what, " is ", value,
          ", expected a finite number or -infinity");
}

void require_size(std::size_t found, std::size_t expected, const char* what) {
  require(found == expected, "forest record: ", found, " ", what, ", expected ", expected);
}

void require_symbol(SymbolId id, const Symbols& table, const char* what, std::size_t number) {
  require(index(id) < table.size(), "forest record: ", what, " ", number, " is ", index(id),
          " in a table of ", table.size(), " strings");
}

void check_nodes(const ForestRecord& record) {
  const std::size_t nodes = record.forest.num_nodes();
  require_size(record.node_labels.size(), nodes, "node labels");
  if (record.has_spans()) require_size(record.spans.size(), nodes, "spans");
  for (NodeId node : record.forest.nodes()) {
    require_symbol(record.node_labels[node], record.symbols, "label of node", index(node));
    if (!record.has_spans()) continue;
    const TokenSpan span = record.spans[node];
    require(span.begin <= span.end, "forest record: node ", index(node), ": span ends at ",
            span.end, " before it begins at ", span.begin);
    require(!record.tokens || span.end <= record.tokens->size(), "forest record: node ",
            index(node), ": span ends at ", span.end, " of ",
            record.tokens ? record.tokens->size() : 0, " tokens");
  }
}

void check_values(const EdgeValues& values, const Forest& forest) {
  require_size(values.num_edges(), forest.num_edges(), "rows of values");
  std::vector<std::size_t> last_row(values.names.size(), 0);  // row + 1 in which a name was seen
  for (EdgeId edge : forest.edges()) {
    const auto names = values.names_of(edge);
    for (std::size_t i = 0; i < names.size(); ++i) {
      require_symbol(names[i], values.names, "name of a value of edge", index(edge));
      require(last_row[index(names[i])] != index(edge) + 1, "forest record: edge ", index(edge),
              " has two values \"", values.names[names[i]], "\"");
      last_row[index(names[i])] = index(edge) + 1;
      require_number(values.values_of(edge)[i], edge, values.names[names[i]]);
    }
  }
}

bool same_values(const EdgeValues& a, const EdgeValues& b, EdgeId edge) {
  const auto same_name = [&](SymbolId x, SymbolId y) { return a.names[x] == b.names[y]; };
  return std::ranges::equal(a.names_of(edge), b.names_of(edge), same_name) &&
         std::ranges::equal(a.values_of(edge), b.values_of(edge));
}

}  // namespace

void EdgeValues::begin_edge() { begin_.push_back(begin_.back()); }

void EdgeValues::add(SymbolId name, double value) {
  require(begin_.size() > 1, "edge values: add before begin_edge");
  require(begin_.back() < std::numeric_limits<std::uint32_t>::max(), "edge values: more than ",
          std::numeric_limits<std::uint32_t>::max(), " values");
  names_.push_back(name);
  values_.push_back(value);
  ++begin_.back();
}

EdgeMap<double> EdgeValues::dense(std::string_view name) const {
  const auto id = names.find(name);
  require(id.has_value(), "no edge value \"", name, "\"; ", list_names(names));
  EdgeMap<double> result(num_edges(), 0.0);
  for (EdgeId edge : IdRange<EdgeId>(num_edges())) {
    const auto row_names = names_of(edge);
    const auto found = std::ranges::find(row_names, *id);
    if (found == row_names.end()) continue;
    result[edge] = values_of(edge)[static_cast<std::size_t>(found - row_names.begin())];
  }
  return result;
}

EdgeMap<double> ForestRecord::values(std::string_view name) const {
  try {
    return edge_values.dense(name);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(concat("forest \"", id, "\": ", error.what()), {.code = "E130"});
  }
}

bool ForestRecord::operator==(const ForestRecord& other) const {
  if (id != other.id || tokens != other.tokens || forest != other.forest || spans != other.spans ||
      scores != other.scores || meta != other.meta ||
      edge_values.num_edges() != other.edge_values.num_edges()) {
    return false;
  }
  return std::ranges::all_of(forest.nodes(),
                             [&](NodeId n) { return label(n) == other.label(n); }) &&
         std::ranges::all_of(forest.edges(), [&](EdgeId edge) {
           return label(edge) == other.label(edge) &&
                  same_values(edge_values, other.edge_values, edge);
         });
}

ForestRecord make_record(Forest forest) {
  ForestRecord record;
  const SymbolId none = record.symbols.add("");
  record.node_labels = {forest.num_nodes(), none};
  record.edge_labels = {forest.num_edges(), none};
  record.scores = {forest.num_edges(), 0.0};
  record.edge_values = EdgeValues(forest.num_edges());
  record.forest = std::move(forest);
  return record;
}

void validate(const ForestRecord& record) {
  const std::size_t edges = record.forest.num_edges();
  require_utf8(record.id, "id", 0);
  for (std::size_t i = 0; record.tokens && i < record.tokens->size(); ++i) {
    require_utf8((*record.tokens)[i], "token", i);
  }
  require_utf8(record.symbols, "label");
  require_utf8(record.edge_values.names, "value name");
  check_nodes(record);
  require_size(record.edge_labels.size(), edges, "edge labels");
  require_size(record.scores.size(), edges, "scores");
  for (EdgeId edge : record.forest.edges()) {
    require_symbol(record.edge_labels[edge], record.symbols, "label of edge", index(edge));
    require_number(record.scores[edge], edge, "score");
  }
  check_values(record.edge_values, record.forest);
  require(record.meta.empty() || record.meta == detail::compact_json_object(record.meta),
          "forest record: meta is not a JSON object in compact form");
}

}  // namespace coppice
