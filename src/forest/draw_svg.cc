#include <algorithm>
#include <utility>

#include "base/svg.h"
#include "coppice/base/error.h"
#include "coppice/base/markup.h"
#include "coppice/forest/draw.h"
#include "forest/draw_layout.h"
#include "forest/draw_route.h"
#include "forest/draw_selection.h"

namespace coppice {

namespace detail {

namespace {

constexpr double kFooter = 26, kDotRadius = 3.2;
constexpr double kBend = kRowGap - kDotBelow - kNodeHeight / 2;  // down to the next row's boxes
// Routing looks at every box for every line; larger pictures do without.
constexpr std::size_t kMaxRouted = 400;
constexpr std::string_view kSeparator = "  \xc2\xb7  ";  // a middle dot

class ForestPicture {
 public:
  ForestPicture(const ForestRecord& record, const DrawOptions& options)
      : record_(record), options_(options), selection_(select(record, options)) {
    EdgeMap<std::string> notes(record.forest.num_edges(), "");
    for (NodeId node : selection_.nodes) {
      for (EdgeId edge : record.forest.incoming(node)) notes[edge] = note(node, edge);
    }
    layout_ = lay_out(record, selection_, notes);
    notes_ = std::move(notes);
  }

  std::string draw() {
    const std::string footer = footer_text();
    const std::string title = title_of(record_, options_);
    const double text = std::max(text_width(footer, 12), text_width(title, 15));
    const double width = std::max(layout_.width, std::min(text, 700.0) + 2 * kMargin);
    shift_ = (width - layout_.width) / 2;
    const double height = layout_.height + (footer.empty() ? 0 : kFooter);
    out_ = svg_begin({width, height, title, description()});
    out_ += svg_text(shorten(title, 15, width - 2 * kMargin),
                     {kMargin, 28, 15, kInk, "style=\"text-anchor:start\" font-weight=\"bold\""});
    if (selection_.nodes.size() <= kMaxRouted) {
      for (NodeId node : selection_.nodes) {
        if (layout_.is_token[node] != 0) continue;
        boxes_.push_back({at(layout_.nodes[node]), layout_.widths[node]});
      }
    }
    draw_edges();
    for (NodeId node : selection_.nodes) {
      if (layout_.is_token[node] == 0) draw_node(node);
    }
    draw_tokens();
    if (!footer.empty()) {
      out_ +=
          svg_text(footer, {kMargin, height - 16, 12, kFaintInk, "style=\"text-anchor:start\""});
    }
    return std::move(out_) + svg_end();
  }

 private:
  // Alternatives show their posteriors; labels show when asked for.
  std::string note(NodeId node, EdgeId edge) const {
    std::string text;
    if (record_.forest.incoming(node).size() > 1) text = posterior_text(options_, edge);
    if (options_.show_edge_labels && !record_.label(edge).empty()) {
      text += concat(text.empty() ? "" : " ", shorten(record_.label(edge), kSmallFont, 140));
    }
    return text;
  }

  std::string description() const {
    std::string text = concat("A packed forest of ", record_.forest.num_nodes(), " nodes and ",
                              record_.forest.num_edges(), " edges");
    if (!record_.forest.empty()) {
      text += concat("; its root is ", node_name(record_, record_.forest.root()));
    }
    if (record_.tokens) {
      text += ". Tokens:";
      for (const std::string& token : *record_.tokens) text += ' ' + token;
    }
    const std::string note = selection_note(selection_);
    return note.empty() ? text : text + ". " + note;
  }

  std::string footer_text() const {
    std::string text;
    const auto add = [&](std::string_view part) {
      if (!part.empty()) text += concat(text.empty() ? "" : kSeparator, part);
    };
    if (record_.forest.empty()) add("the forest is empty");
    if (!options_.highlighted.empty()) add("green: the highlighted derivation");
    if (options_.posteriors.size() != 0) add("strength of lines: posterior probability");
    add(selection_note(selection_));
    return text;
  }

  // The strongest last, so that it lies on top.
  void draw_edges() {
    std::vector<EdgeId> order = selection_.edges;
    std::ranges::sort(order, {}, [&](EdgeId edge) {
      return std::pair(strength(options_, edge) + 2.0 * selection_.is_highlighted[edge], edge);
    });
    for (EdgeId edge : order) {
      if (layout_.is_token[record_.forest.head(edge)] == 0) draw_edge(edge);
    }
  }

  void draw_edge(EdgeId edge) {
    const bool is_strong = selection_.is_highlighted[edge] != 0;
    const double known = strength(options_, edge);
    const std::string_view color = is_strong ? kStrong : kLine;
    const double opacity = is_strong ? 1 : 0.3 + 0.7 * known;
    const double width = is_strong ? 2.6 : 1 + 1.4 * known;
    const Point dot = at(layout_.dots[edge]);
    const Point head = at(layout_.nodes[record_.forest.head(edge)]);
    out_ += concat("<g opacity=\"", px(opacity), "\"><title>",
                   escape_xml(edge_description(record_, options_, edge)), "</title>");
    out_ += concat("<path fill=\"none\" stroke=\"", color, "\" stroke-width=\"", px(width),
                   "\" stroke-linecap=\"round\" d=\"",
                   curve(head.x, head.y + kNodeHeight / 2, dot.x, dot.y), tail_curves(edge, dot),
                   "\"/>");
    out_ += token_curves(edge, dot, color);
    out_ += concat("<circle cx=\"", px(dot.x), "\" cy=\"", px(dot.y), "\" r=\"", px(kDotRadius),
                   "\" fill=\"", color, "\"/></g>\n");
    draw_order(edge, dot);
    if (notes_[edge].empty()) return;
    out_ +=
        svg_text(notes_[edge], {dot.x + 7, dot.y + 3.5, kSmallFont, is_strong ? kStrong : kFaintInk,
                                "style=\"text-anchor:start\" class=\"note\""});
  }

  // Where the line to a tail ends; a tail used again is met a little further to the right.
  Point tail_end(EdgeId edge, std::size_t position) const {
    const auto tails = record_.forest.tails(edge);
    const auto end = tails.begin() + static_cast<std::ptrdiff_t>(position);
    const auto same = std::count(tails.begin(), tails.end(), tails[position]);
    const auto before = std::count(tails.begin(), end, tails[position]);
    Point point = at(layout_.nodes[tails[position]]);
    point.x += 12 * (static_cast<double>(before) - static_cast<double>(same - 1) / 2);
    point.y -= kNodeHeight / 2;
    return point;
  }

  Route tail_route(EdgeId edge, Point dot, std::size_t position) const {
    return route(dot, tail_end(edge, position), kBend, boxes_);
  }

  std::string tail_curves(EdgeId edge, Point dot) const {
    std::string path;
    for (std::size_t i = 0; i < record_.forest.tails(edge).size(); ++i) {
      path += tail_route(edge, dot, i).path();
    }
    return path;
  }

  // An edge without tails reads its node's tokens.
  std::string token_curves(EdgeId edge, Point dot, std::string_view color) const {
    if (!record_.forest.tails(edge).empty() || layout_.tokens.empty()) return "";
    const TokenSpan span = record_.spans[record_.forest.head(edge)];
    std::string path;
    for (std::uint32_t i = span.begin; i < span.end; ++i) {
      const Point token = at(layout_.tokens[i]);
      path += curve(dot.x, dot.y, token.x, token.y - kTokenFont - kAboveToken);
    }
    if (path.empty()) return "";
    return concat("<path fill=\"none\" stroke=\"", color,
                  "\" stroke-width=\"1.4\" stroke-dasharray=\"1 4\" stroke-linecap=\"round\" d=\"",
                  path, "\"/>");
  }

  // Numbers at the lines, where the tails do not stand from left to right.
  void draw_order(EdgeId edge, Point dot) {
    const std::size_t arity = record_.forest.tails(edge).size();
    bool ascends = true;
    for (std::size_t i = 1; i < arity; ++i) {
      ascends = ascends && tail_end(edge, i - 1).x < tail_end(edge, i).x;
    }
    if (ascends) return;
    for (std::size_t i = 0; i < arity; ++i) {
      const Point on_line = tail_route(edge, dot, i).at(0.7);
      out_ += svg_text(std::to_string(i + 1),
                       {on_line.x, on_line.y + 3, 9.5, kInk,
                        "paint-order=\"stroke\" stroke=\"#fcfdfb\" stroke-width=\"3\""});
    }
  }

  void draw_node(NodeId node) {
    bool is_strong = false;
    double known = options_.posteriors.size() == 0 ? 1 : 0;
    for (EdgeId edge : record_.forest.incoming(node)) {
      is_strong = is_strong || selection_.is_highlighted[edge] != 0;
      if (options_.posteriors.size() != 0) known += strength(options_, edge);
    }
    const double fade = is_strong ? 1 : 0.45 + 0.55 * std::min(known, 1.0);
    const Point centre = at(layout_.nodes[node]);
    const double width = layout_.widths[node];
    const std::string name = node_name(record_, node);
    out_ +=
        concat("<g><title>", escape_xml(name), "</title><rect x=\"", px(centre.x - width / 2),
               "\" y=\"", px(centre.y - kNodeHeight / 2), "\" width=\"", px(width), "\" height=\"",
               px(kNodeHeight), "\" rx=\"8\" fill=\"", is_strong ? kStrongFill : "#ffffff",
               "\" stroke=\"", is_strong ? kStrong : kLine, "\" stroke-width=\"",
               is_strong ? "1.8" : "1", "\" stroke-opacity=\"", px(fade), "\"/>");
    const std::string extra = concat("fill-opacity=\"", px(fade), "\"");
    out_ += svg_text(shorten(name, kNodeFont, width - 12),
                     {centre.x, centre.y + 5, kNodeFont, kInk, extra});
    out_ += "</g>\n";
  }

  void draw_tokens() {
    for (std::size_t i = 0; i < layout_.tokens.size(); ++i) {
      const Point point = at(layout_.tokens[i]);
      const std::string text = record_.tokens ? (*record_.tokens)[i] : std::to_string(i);
      out_ += svg_text(text, {point.x, point.y, kTokenFont, record_.tokens ? kInk : kFaintInk,
                              "font-style=\"italic\""});
    }
  }

  Point at(Point point) const { return {point.x + shift_, point.y}; }

  const ForestRecord& record_;
  const DrawOptions& options_;
  Selection selection_;
  ForestLayout layout_;
  EdgeMap<std::string> notes_;
  double shift_ = 0;
  std::vector<Box> boxes_;  // for lines to avoid
  std::string out_;
};

}  // namespace

}  // namespace detail

std::string to_svg(const ForestRecord& record, const DrawOptions& options) {
  return detail::ForestPicture(record, options).draw();
}

}  // namespace coppice
