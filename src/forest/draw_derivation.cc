#include <algorithm>
#include <cmath>

#include "base/svg.h"
#include "coppice/base/error.h"
#include "coppice/forest/draw.h"
#include "forest/derivation_tree.h"
#include "forest/draw_layout.h"
#include "forest/draw_selection.h"

namespace coppice {

namespace {

using detail::DrawnTree;
using detail::px;
using detail::TreeItem;

constexpr std::string_view kTee = "\xe2\x94\x9c\xe2\x94\x80 ";     // |-
constexpr std::string_view kCorner = "\xe2\x94\x94\xe2\x94\x80 ";  // `-
constexpr std::string_view kBar = "\xe2\x94\x82  ";                // |
constexpr std::string_view kDash = " \xe2\x94\x80 ";               // -

constexpr double kRow = 62, kGap = 18, kMaxLabel = 160;

class TreePicture {
 public:
  TreePicture(const ForestRecord& record, const DrawOptions& options, const DrawnTree& whole)
      : tree_(detail::cut(whole, options.max_nodes)),
        children_(tree_.children()),
        title_(detail::title_of(record, options)) {
    if (tree_.items.size() < whole.items.size()) {
      note_ = concat(tree_.items.size(), " of ", whole.items.size(), " nodes are drawn");
    }
    description_ = "A derivation: ";
    for (const TreeItem& item : whole.items) {
      if (item.is_token) description_ += item.text + ' ';
    }
    measure();
    place();
  }

  std::string draw() const {
    const std::size_t rows = heights_.empty() ? 1 : heights_[0] + 1;
    const double text = std::max(detail::text_width(title_, 15), detail::text_width(note_, 12));
    const double inner = std::max(areas_.empty() ? 0 : areas_[0], std::min(text, 700.0));
    const double width = inner + 2 * detail::kMargin;
    const double height =
        detail::kHeader + static_cast<double>(rows - 1) * kRow + 44 + (note_.empty() ? 0 : 26);
    std::string out = detail::svg_begin({width, height, title_, description_});
    out += detail::svg_text(detail::shorten(title_, 15, inner),
                            {detail::kMargin, 28, 15, detail::kInk,
                             "style=\"text-anchor:start\" font-weight=\"bold\""});
    for (std::size_t i = 1; i < tree_.items.size(); ++i) out += line(i);
    for (std::size_t i = 0; i < tree_.items.size(); ++i) out += box(i);
    if (!note_.empty()) {
      out += detail::svg_text(note_, {detail::kMargin, height - 16, 12, detail::kFaintInk,
                                      "style=\"text-anchor:start\""});
    }
    return out + detail::svg_end();
  }

 private:
  // From the leaves up: every child has a larger number than its parent.
  void measure() {
    const std::size_t n = tree_.items.size();
    widths_.resize(n);
    areas_.resize(n);
    heights_.assign(n, 0);
    for (std::size_t i = n; i-- > 0;) {
      const TreeItem& item = tree_.items[i];
      const double font = item.is_token ? detail::kTokenFont : detail::kNodeFont;
      const double text = std::min(detail::text_width(item.text, font), kMaxLabel);
      widths_[i] = std::max(30.0, text + (item.is_token ? 4 : 18));
      double sum = 0;
      for (std::size_t child : children_[i]) {
        sum += areas_[child] + (sum > 0 ? kGap : 0);
        heights_[i] = std::max(heights_[i], heights_[child] + 1);
      }
      areas_[i] = std::max(widths_[i], sum);
      // Tokens have the lowest row to themselves.
      if (!item.is_token && children_[i].empty()) heights_[i] = 1;
    }
  }

  void place() {
    const std::size_t n = tree_.items.size();
    std::vector<double> left(n, detail::kMargin);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -kGap;
      for (std::size_t child : children_[i]) sum += areas_[child] + kGap;
      double at = left[i] + (areas_[i] - std::max(sum, 0.0)) / 2;
      for (std::size_t child : children_[i]) {
        left[child] = at;
        at += areas_[child] + kGap;
      }
    }
    x_.resize(n);
    for (std::size_t i = n; i-- > 0;) {
      x_[i] = left[i] + areas_[i] / 2;
      if (children_[i].empty()) continue;
      const double middle = (x_[children_[i].front()] + x_[children_[i].back()]) / 2;
      x_[i] = std::clamp(middle, left[i] + widths_[i] / 2, left[i] + areas_[i] - widths_[i] / 2);
    }
  }

  double y(std::size_t item) const {
    return detail::kHeader + detail::kNodeHeight / 2 +
           static_cast<double>(heights_[0] - heights_[item]) * kRow;
  }

  std::string line(std::size_t item) const {
    const std::size_t parent = tree_.items[item].parent;
    const double half = detail::kNodeHeight / 2;
    const bool is_token = tree_.items[item].is_token;
    return concat("<path fill=\"none\" stroke=\"", detail::kStrong, "\" stroke-width=\"",
                  is_token ? "1.4" : "1.8", "\" stroke-linecap=\"round\"",
                  is_token ? " stroke-dasharray=\"1 4\"" : "", " d=\"",
                  detail::curve(x_[parent], y(parent) + half, x_[item], y(item) - half), "\"/>\n");
  }

  std::string box(std::size_t item) const {
    const TreeItem& it = tree_.items[item];
    const double x = x_[item], mid = y(item);
    if (it.is_token) {
      return detail::svg_text(
          detail::shorten(it.text, detail::kTokenFont, kMaxLabel),
          {x, mid + 5, detail::kTokenFont, detail::kInk, "font-style=\"italic\""});
    }
    return concat("<rect x=\"", px(x - widths_[item] / 2), "\" y=\"",
                  px(mid - detail::kNodeHeight / 2), "\" width=\"", px(widths_[item]),
                  "\" height=\"", px(detail::kNodeHeight), "\" rx=\"8\" fill=\"",
                  detail::kStrongFill, "\" stroke=\"", detail::kStrong, "\"/>",
                  detail::svg_text(detail::shorten(it.text, detail::kNodeFont, kMaxLabel),
                                   {x, mid + 5, detail::kNodeFont, detail::kInk}));
  }

  DrawnTree tree_;
  std::vector<std::vector<std::size_t>> children_;
  std::string title_, note_, description_;
  std::vector<double> widths_, areas_, x_;
  std::vector<std::size_t> heights_;
};

// One word of a bracketed tree.
std::string bracket_word(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '(') {
      out += "-LRB-";
    } else if (c == ')') {
      out += "-RRB-";
    } else {
      out += static_cast<unsigned char>(c) <= ' ' ? '_' : c;
    }
  }
  return out.empty() ? "_" : out;
}

// A text on one line.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

std::string derivation_to_svg(const ForestRecord& record, std::span<const EdgeId> derivation,
                              const DrawOptions& options) {
  return TreePicture(record, options, detail::make_tree(record, derivation)).draw();
}

std::string derivation_to_text(const ForestRecord& record, std::span<const EdgeId> derivation,
                               const DrawOptions& options) {
  struct Line {
    std::size_t item;
    std::string first;  // before the item
    std::string rest;   // before the lines below it
  };
  const DrawnTree tree = detail::make_tree(record, derivation);
  const auto children = tree.children();
  std::string out;
  std::size_t drawn = 0;
  std::vector<Line> open;
  if (!tree.items.empty()) open.push_back({0, "", ""});
  for (std::size_t lines = 0; !open.empty() && lines < options.max_nodes; ++lines) {
    const Line line = std::move(open.back());
    open.pop_back();
    std::size_t item = line.item;
    out += line.first + one_line(tree.items[item].text);
    for (++drawn; children[item].size() == 1; ++drawn) {
      item = children[item].front();
      out += concat(kDash, one_line(tree.items[item].text));
    }
    out += '\n';
    for (std::size_t i = children[item].size(); i-- > 0;) {
      const bool is_last = i + 1 == children[item].size();
      open.push_back({children[item][i], concat(line.rest, is_last ? kCorner : kTee),
                      concat(line.rest, is_last ? "   " : kBar)});
    }
  }
  if (!open.empty()) out += concat("(", tree.items.size() - drawn, " nodes more)\n");
  return out;
}

std::string derivation_to_brackets(const ForestRecord& record, std::span<const EdgeId> derivation) {
  const auto items = detail::make_tree(record, derivation).items;
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ' ';
    if (!items[i].is_token) out += '(';
    out += bracket_word(items[i].text);
    // The item itself closes, and so do its ancestors down to the next item's depth.
    const std::size_t next = i + 1 < items.size() ? items[i + 1].depth : 0;
    const std::size_t own = items[i].is_token ? 0 : 1;
    out.append(items[i].depth + own - next, ')');
  }
  return out;
}

}  // namespace coppice
