#include "coppice/forest/json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/unicode.h"
#include "forest/json_handler.h"
#include "forest/json_text.h"
#include "forest/raw_record.h"

namespace coppice {

namespace {

constexpr std::size_t kExcerptBytes = 120;

std::string excerpt_of(std::string_view line) {
  std::string text(detail::utf8_prefix(line, kExcerptBytes));
  if (text.size() < line.size()) text += "...";
  return text;
}

void append_nodes(std::string& out, const ForestRecord& record) {
  out += ",\"nodes\":[";
  for (NodeId node : record.forest.nodes()) {
    out += index(node) == 0 ? "{" : ",{";
    const std::string_view label = record.label(node);
    if (!label.empty()) {
      out += "\"label\":";
      detail::append_json_string(out, label);
    }
    if (record.has_spans()) {
      const TokenSpan span = record.spans[node];
      out += concat(label.empty() ? "" : ",", "\"span\":[", span.begin, ',', span.end, ']');
    }
    out += '}';
  }
  out += ']';
}

void append_values(std::string& out, const EdgeValues& values, EdgeId edge) {
  const auto names = values.names_of(edge);
  if (names.empty()) return;
  out += ",\"values\":{";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += ',';
    detail::append_json_string(out, values.names[names[i]]);
    out += ':';
    detail::append_json_number(out, values.values_of(edge)[i]);
  }
  out += '}';
}

void append_edge(std::string& out, const ForestRecord& record, NodeId head, EdgeId edge) {
  out += "{\"head\":" + std::to_string(index(head)) + ",\"tails\":[";
  bool first = true;
  for (NodeId tail : record.forest.tails(edge)) {
    if (!std::exchange(first, false)) out += ',';
    out += std::to_string(index(tail));
  }
  out += "],\"score\":";
  detail::append_json_number(out, record.scores[edge]);
  if (!record.label(edge).empty()) {
    out += ",\"label\":";
    detail::append_json_string(out, record.label(edge));
  }
  append_values(out, record.edge_values, edge);
  out += '}';
}

std::string to_json(const ForestRecord& record) {
  std::string out = "{\"v\":1,\"id\":";
  detail::append_json_string(out, record.id);
  if (record.tokens) {
    out += ",\"tokens\":[";
    for (std::size_t i = 0; i < record.tokens->size(); ++i) {
      if (i != 0) out += ',';
      detail::append_json_string(out, (*record.tokens)[i]);
    }
    out += ']';
  }
  append_nodes(out, record);
  out += ",\"edges\":[";
  for (NodeId node : record.forest.nodes()) {
    for (EdgeId edge : record.forest.incoming(node)) {
      if (index(edge) != 0) out += ',';
      append_edge(out, record, node, edge);
    }
  }
  out += ']';
  if (!record.forest.empty()) out += ",\"root\":" + std::to_string(index(record.forest.root()));
  if (!record.meta.empty()) out += ",\"meta\":" + record.meta;
  return out + "}\n";
}

class JsonReader : public ForestReader {
 public:
  explicit JsonReader(LineReader lines) : lines_(std::move(lines)) {}

  std::optional<ForestRecord> next() override {
    for (std::string_view line; lines_.next(line);) {
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      return parse_forest_json(line, where());
    }
    return std::nullopt;
  }

  Location where() const override { return {.file = lines_.name(), .line = lines_.line_number()}; }

 private:
  LineReader lines_;
};

}  // namespace

ForestRecord parse_forest_json(std::string_view line, const Location& where) {
  try {
    detail::RecordHandler handler;
    nlohmann::json::sax_parse(line, &handler);
    return detail::assemble(handler.take());
  } catch (const ParseError& error) {
    Location place = where;
    place.column = error.where().column;
    throw ParseError(error.what(), {.code = error.code(),
                                    .where = std::move(place),
                                    .excerpt = excerpt_of(line),
                                    .help = error.help()});
  }
}

void write_forest_json(std::ostream& out, const ForestRecord& record) {
  validate(record);
  const std::string line = to_json(record);
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
}

std::unique_ptr<ForestReader> read_forest_json(LineReader lines) {
  return std::make_unique<JsonReader>(std::move(lines));
}

}  // namespace coppice
