#include "base/svg.h"
#include "coppice/base/error.h"
#include "coppice/forest/draw.h"
#include "forest/draw_selection.h"

namespace coppice {

namespace {

// Quoted for DOT: quotes and backslashes escaped, so that no \N or \l is taken for a command.
std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    const bool is_control = static_cast<unsigned char>(c) < 0x20;
    out += is_control ? ' ' : c;
  }
  return out + '"';
}

std::string edge_lines(const ForestRecord& record, const DrawOptions& options, EdgeId edge,
                       bool is_highlighted) {
  const auto tails = record.forest.tails(edge);
  const std::string style =
      concat("color=\"", is_highlighted ? detail::kStrong : detail::kLine, "\", penwidth=",
             detail::px(is_highlighted ? 2.6 : 1 + 1.4 * detail::strength(options, edge)));
  std::string out =
      concat("  e", index(edge), " [shape=point, width=0.07, ", style,
             ", tooltip=", dot_string(detail::edge_description(record, options, edge)));
  if (options.show_edge_labels) out += concat(", xlabel=", dot_string(record.label(edge)));
  out +=
      concat("];\n  n", index(record.forest.head(edge)), " -> e", index(edge), " [", style, "];\n");
  for (std::size_t i = 0; i < tails.size(); ++i) {
    out += concat("  e", index(edge), " -> n", index(tails[i]), " [", style);
    if (tails.size() > 1) out += concat(", taillabel=\"", i + 1, "\"");
    out += "];\n";
  }
  return out;
}

}  // namespace

std::string to_dot(const ForestRecord& record, const DrawOptions& options) {
  const detail::Selection selection = detail::select(record, options);
  std::string label = detail::title_of(record, options);
  const std::string note = detail::selection_note(selection);
  if (!note.empty()) label += concat('\n', note);
  std::string out =
      concat("digraph forest {\n  graph [ordering=out, labelloc=t, label=", dot_string(label),
             "];\n  node [shape=box, style=rounded, fontname=\"Helvetica\", height=0.3];\n"
             "  edge [dir=none, labelfontsize=9];\n");
  for (NodeId node : selection.nodes) {
    out +=
        concat("  n", index(node), " [label=", dot_string(detail::node_name(record, node)), "];\n");
  }
  for (EdgeId edge : selection.edges) {
    out += edge_lines(record, options, edge, selection.is_highlighted[edge] != 0);
  }
  return out + "}\n";
}

}  // namespace coppice
