// Writing SVG: measured text, numbers with two decimals.
#pragma once

#include <string>
#include <string_view>

namespace coppice::detail {

// The width of a text in pixels, by the widths of Helvetica; close enough for its relatives.
double text_width(std::string_view text, double font_size);

// The text, or as much of its beginning as fits, with an ellipsis.
std::string shorten(std::string_view text, double font_size, double width);

// At most two decimals, without "-0.0"; the same in every locale.
std::string px(double value);

// The opening of a picture: ground, fonts, title and description.
struct SvgFrame {
  double width = 0;
  double height = 0;
  std::string title;
  std::string description;
};
std::string svg_begin(const SvgFrame& frame);
inline std::string svg_end() { return "</svg>\n"; }

struct SvgText {
  double x = 0;
  double y = 0;
  double size = 0;
  std::string_view fill;
  std::string_view extra = "";  // further attributes, already escaped
};
// A centred text with its base line at y.
std::string svg_text(std::string_view text, const SvgText& how);

// A cubic curve that leaves and arrives vertically.
std::string curve(double x1, double y1, double x2, double y2);

inline constexpr std::string_view kInk = "#1f2a24";
inline constexpr std::string_view kFaintInk = "#66736b";
inline constexpr std::string_view kLine = "#5c6b76";
inline constexpr std::string_view kStrong = "#2b7a4b";
inline constexpr std::string_view kStrongFill = "#e2f2e6";

}  // namespace coppice::detail
