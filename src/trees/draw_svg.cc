#include <algorithm>
#include <string>
#include <vector>

#include "base/svg.h"
#include "coppice/base/error.h"
#include "coppice/base/markup.h"
#include "coppice/trees/draw.h"

namespace coppice::trees {

namespace {

using detail::px;

constexpr double kPictureMargin = 24, kPictureHeader = 56, kRowHeight = 74, kBoxHeight = 28;
constexpr double kBoxGap = 14, kMaxText = 230, kTextSize = 13, kSmallTextSize = 11;

// Boxes of one depth stand side by side: each subtree has a strip of its own.
class TreePicture {
 public:
  TreePicture(const Schema& schema, const EnsembleView& trees, std::size_t tree,
              const FeatureNames& names)
      : nodes_(trees.tree(tree)), texts_(nodes_.size()), widths_(nodes_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      texts_[i] = nodes_[i].is_leaf() ? signed_number(static_cast<double>(nodes_[i].value))
                                      : question(schema, trees, nodes_[i], names);
      widths_[i] = std::min(detail::text_width(texts_[i], kTextSize), kMaxText) + 18;
    }
    measure();
    place();
  }

  std::string draw(const std::string& title) const {
    const double width = std::max(strips_[0], detail::text_width(title, 15)) + 2 * kPictureMargin;
    const std::size_t deepest = *std::max_element(depths_.begin(), depths_.end());
    std::string out =
        detail::svg_begin({.width = width,
                           .height = y(deepest) + kBoxHeight + kPictureMargin,
                           .title = title,
                           .description = concat("a tree of ", nodes_.size() / 2 + 1, " leaves")});
    out += detail::svg_text(title, {width / 2, 30, 15, detail::kInk});
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].is_leaf()) continue;
      out += branch(i, nodes_[i].left, "no") + branch(i, nodes_[i].right(), "yes");
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) out += box(i);
    return out + detail::svg_end();
  }

 private:
  void measure() {
    strips_.resize(nodes_.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) {  // children stand after their parents
      const Node& node = nodes_[i];
      const double below =
          node.is_leaf() ? 0 : strips_[node.left] + kBoxGap + strips_[node.right()];
      strips_[i] = std::max(widths_[i], below);
    }
  }

  void place() {
    std::vector<double> left(nodes_.size(), kPictureMargin);
    x_.resize(nodes_.size());
    depths_.assign(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      x_[i] = left[i] + strips_[i] / 2;
      if (node.is_leaf()) continue;
      const double below = strips_[node.left] + kBoxGap + strips_[node.right()];
      left[node.left] = left[i] + (strips_[i] - below) / 2;
      left[node.right()] = left[node.left] + strips_[node.left] + kBoxGap;
      depths_[node.left] = depths_[node.right()] = depths_[i] + 1;
    }
  }

  static double y(std::size_t depth) {
    return kPictureHeader + static_cast<double>(depth) * kRowHeight;
  }

  std::string branch(std::size_t parent, std::size_t child, std::string_view answer) const {
    const double top = y(depths_[parent]) + kBoxHeight, bottom = y(depths_[child]);
    return concat("<path fill=\"none\" stroke=\"", detail::kLine, "\" stroke-width=\"1.5\" d=\"",
                  detail::curve(x_[parent], top, x_[child], bottom), "\"/>\n") +
           detail::svg_text(answer, {(x_[parent] + 3 * x_[child]) / 4, bottom - 10, kSmallTextSize,
                                     detail::kFaintInk});
  }

  std::string box(std::size_t i) const {
    const bool is_leaf = nodes_[i].is_leaf();
    const bool is_raising = is_leaf && nodes_[i].value > 0;
    return concat("<g><title>", escape_xml(texts_[i]), "</title><rect x=\"",
                  px(x_[i] - widths_[i] / 2), "\" y=\"", px(y(depths_[i])), "\" width=\"",
                  px(widths_[i]), "\" height=\"", px(kBoxHeight), "\" rx=\"",
                  is_leaf ? px(kBoxHeight / 2) : "4", "\" fill=\"",
                  is_raising ? detail::kStrongFill : "#ffffff", "\" stroke=\"",
                  is_leaf ? detail::kLine : detail::kStrong, "\"/>\n") +
           detail::svg_text(detail::shorten(texts_[i], kTextSize, kMaxText),
                            {x_[i], y(depths_[i]) + 19, kTextSize, detail::kInk}) +
           "</g>\n";
  }

  std::span<const Node> nodes_;
  std::vector<std::string> texts_;
  std::vector<double> widths_, strips_, x_;
  std::vector<std::size_t> depths_;
};

}  // namespace

std::string draw_svg(const Schema& schema, const EnsembleView& trees, std::size_t tree,
                     const FeatureNames& names, const std::string& title) {
  return TreePicture(schema, trees, tree, names).draw(title);
}

}  // namespace coppice::trees
