#include "coppice/ccg/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/svg.h"
#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

constexpr std::array<std::string_view, kNumRules> kMarks = {
    "", ">", "<", ">B", ">Bn", "<B", "<Bx", "<Bxn", "&", "<&>", "p", "p", "A", "T", "*", "!"};

// Where everything stands, in units of a character or a pixel: `width_of` measures a text.
class Layout {
 public:
  template <class Width>
  Layout(const Derivation& derivation, const Categories& categories,
         std::span<const std::string_view> words, double gap, const Width& width_of)
      : derivation_(derivation) {
    require(words.size() == derivation.supertags.size(), "draw: ", words.size(), " words for ",
            derivation.supertags.size(), " leaves");
    column_.assign(words.size(), 0);
    for (const Derivation::Node& node : derivation.nodes) {
      labels_.push_back(label_of(node, categories));
      take_room(node, words, gap, width_of);
      set_level(node);
    }
    left_.resize(words.size() + 1);
    std::partial_sum(column_.begin(), column_.end(), left_.begin() + 1);
    gap_ = gap;
  }

  const std::string& label(std::size_t node) const { return labels_[node]; }
  // Steps below the words: 0 for leaves.
  std::size_t level(std::size_t node) const { return levels_[node]; }
  std::size_t num_levels() const {
    return levels_.empty() ? 0 : *std::ranges::max_element(levels_) + 1;
  }
  double left(std::size_t node) const { return left_[derivation_.nodes[node].begin]; }
  double right(std::size_t node) const { return left_[derivation_.nodes[node].end] - gap_; }
  double width() const { return left_.back() - gap_; }

 private:
  static std::string label_of(const Derivation::Node& node, const Categories& categories) {
    std::string label = categories.text(node.label);
    if (node.item.marks.is_conjunct) label += "[conj]";
    return label;
  }

  // The last column of the span grows when the label is wider than the span. Children are laid out
  // before their parents, so that a sum over the span is what it will be.
  template <class Width>
  void take_room(const Derivation::Node& node, std::span<const std::string_view> words, double gap,
                 const Width& width_of) {
    double wanted = width_of(labels_.back()) + gap;
    if (node.num_children == 0) wanted = std::max(wanted, width_of(words[node.begin]) + gap);
    if (node.num_children > 0) wanted += width_of(mark(node.rule));
    double room = 0;
    for (std::uint32_t word = node.begin; word < node.end; ++word) room += column_[word];
    if (room < wanted) column_[node.end - 1] += wanted - room;
  }

  void set_level(const Derivation::Node& node) {
    std::size_t level = 0;
    for (std::uint32_t child = 0; child < node.num_children; ++child)
      level = std::max(level, levels_[node.children[child]] + 1);
    levels_.push_back(level);
  }

  const Derivation& derivation_;
  std::vector<double> column_;  // widths
  std::vector<double> left_;    // edges of the columns
  std::vector<std::string> labels_;
  std::vector<std::size_t> levels_;
  double gap_ = 0;
};

// Code points: what a terminal shows in one cell, for most scripts.
double cells(std::string_view text) {
  return static_cast<double>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

// Lines of text that are written from left to right.
class Canvas {
 public:
  void put(std::size_t line, double at, std::string_view text) {
    if (lines_.size() <= line) lines_.resize(line + 1);
    const auto place = static_cast<std::size_t>(at);
    Line& to = lines_[line];
    if (to.cells < place) to.text.append(place - to.cells, ' ');
    to.text += text;
    to.cells = std::max(to.cells, place) + static_cast<std::size_t>(cells(text));
  }
  void put_centred(std::size_t line, double left, double right, std::string_view text) {
    put(line, left + std::max(0.0, std::floor((right - left - cells(text)) / 2)), text);
  }
  std::string text() const {
    std::string all;
    for (const Line& line : lines_) all.append(line.text).append("\n");
    return all;
  }

 private:
  struct Line {
    std::string text;
    std::size_t cells = 0;
  };
  std::vector<Line> lines_;
};

constexpr double kMaxCells = 1e8;  // of a drawing as text

constexpr double kWordSize = 15;
constexpr double kLabelSize = 13;
constexpr double kPadding = 24;
constexpr double kRowHeight = 34;
constexpr double kTop = 64;

class SvgPicture {
 public:
  SvgPicture(const Derivation& derivation, const Layout& layout)
      : derivation_(derivation), layout_(layout) {}

  std::string draw(std::span<const std::string_view> words, std::string_view title) {
    const double width =
        std::max(layout_.width(), detail::text_width(title, kWordSize)) + 2 * kPadding;
    std::string out = detail::svg_begin(
        {.width = width,
         .height = kTop + kRowHeight * static_cast<double>(layout_.num_levels() + 1),
         .title = std::string(title),
         .description = concat("a derivation of ", words.size(), " words")});
    out += detail::svg_text(title, {width / 2, 30, kWordSize, detail::kInk});
    for (std::size_t node = 0; node < derivation_.nodes.size(); ++node) out += step(node, words);
    return out + detail::svg_end();
  }

 private:
  std::string step(std::size_t at, std::span<const std::string_view> words) const {
    const Derivation::Node& node = derivation_.nodes[at];
    const double left = kPadding + layout_.left(at), right = kPadding + layout_.right(at);
    const double middle = (left + right) / 2;
    const double base = kTop + kRowHeight * static_cast<double>(layout_.level(at));
    std::string out;
    if (node.num_children == 0) {
      out += detail::svg_text(words[node.begin],
                              {middle, base, kWordSize, detail::kInk, "font-weight=\"bold\""});
    } else {
      const std::string y = detail::px(base + 6);
      const double mark_width = detail::text_width(mark(node.rule), kLabelSize);
      out +=
          concat("<path d=\"M", detail::px(left), ' ', y, 'H', detail::px(right - mark_width - 4),
                 "\" stroke=\"", detail::kLine, "\" fill=\"none\"/>\n");
      out += detail::svg_text(mark(node.rule),
                              {right - mark_width / 2, base + 10, kLabelSize, detail::kFaintInk});
    }
    return out +
           detail::svg_text(layout_.label(at), {middle, base + 24, kLabelSize, detail::kStrong});
  }

  const Derivation& derivation_;
  const Layout& layout_;
};

}  // namespace

std::string_view mark(Rule rule) noexcept { return kMarks[static_cast<std::size_t>(rule)]; }

std::string derivation_to_text(const Derivation& derivation, const Categories& categories,
                               std::span<const std::string_view> words) {
  const Layout layout(derivation, categories, words, 2, cells);
  if (layout.width() * static_cast<double>(2 * layout.num_levels()) > kMaxCells)
    throw InvalidArgument(concat("a derivation of ", words.size(), " words and ",
                                 layout.num_levels(), " levels is too large to be drawn as text"),
                          {.code = "E275"});
  Canvas canvas;
  // The nodes of one level come from left to right, as lines want them.
  for (std::size_t at = 0; at < derivation.nodes.size(); ++at) {
    const Derivation::Node& node = derivation.nodes[at];
    const double left = layout.left(at), right = layout.right(at);
    const std::size_t line = 2 * layout.level(at);
    if (node.num_children == 0) {
      canvas.put_centred(line, left, right, words[node.begin]);
    } else {
      const std::string_view end = mark(node.rule);
      canvas.put(line, left, std::string(static_cast<std::size_t>(right - left - cells(end)), '-'));
      canvas.put(line, right - cells(end), end);
    }
    canvas.put_centred(line + 1, left, right, layout.label(at));
  }
  return canvas.text();
}

std::string derivation_to_svg(const Derivation& derivation, const Categories& categories,
                              std::span<const std::string_view> words, std::string_view title) {
  const Layout layout(derivation, categories, words, 14,
                      [](std::string_view text) { return detail::text_width(text, kWordSize); });
  return SvgPicture(derivation, layout).draw(words, title);
}

}  // namespace coppice::ccg
