#include "base/svg.h"

#include <charconv>
#include <cmath>

#include "base/unicode.h"
#include "coppice/base/error.h"
#include "coppice/base/markup.h"

namespace coppice::detail {

namespace {

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";  // U+2026

// Advance widths of Helvetica, in thousandths of the font size, from U+0020 to U+007E.
constexpr short kWidths[] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,  // space to /
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,  // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,  // @ to O
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,  // P to _
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,  // ` to o
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};      // p to ~

double width_of(std::uint32_t code) {
  if (code < 0x20) return 600;
  if (code < 0x7f) return kWidths[code - 0x20];
  if (code >= 0x300 && code < 0x370) return 0;  // combining marks
  if (code >= 0x1100 && (code < 0x2000 || code >= 0x2e80)) return 1000;
  return 600;
}

}  // namespace

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    width += width_of(point.value);
    at += point.size == 0 ? 1 : point.size;
  }
  return width * font_size / 1000;
}

std::string shorten(std::string_view text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return std::string(text);
  std::size_t end = 0;
  double sum = font_size;  // the ellipsis
  while (end < text.size()) {
    const CodePoint point = code_point_at(text, end);
    sum += width_of(point.value) * font_size / 1000;
    if (sum > width) break;
    end += point.size == 0 ? 1 : point.size;
  }
  return concat(text.substr(0, end), kEllipsis);
}

std::string px(double value) {
  char buffer[64];
  const double rounded = std::round(value * 100) / 100 + 0.0;  // + 0.0 turns -0 into 0
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, rounded).ptr;
  return {buffer, end};
}

std::string svg_begin(const SvgFrame& frame) {
  const std::string width = px(frame.width), height = px(frame.height);
  return concat(R"(<svg xmlns="http://www.w3.org/2000/svg" width=")", width, R"(" height=")",
                height, R"(" viewBox="0 0 )", width, " ", height,
                R"(" style="max-width:100%;height:auto" role="img" )",
                R"(font-family="Helvetica, Arial, 'Liberation Sans', sans-serif">)", "\n<title>",
                escape_xml(frame.title), "</title>\n<desc>", escape_xml(frame.description),
                "</desc>\n", R"(<rect x="0.5" y="0.5" width=")", px(frame.width - 1),
                R"(" height=")", px(frame.height - 1),
                R"(" rx="10" fill="#fcfdfb" stroke="#dfe5df"/>)", "\n");
}

std::string svg_text(std::string_view text, const SvgText& how) {
  return concat("<text x=\"", px(how.x), "\" y=\"", px(how.y), "\" font-size=\"", px(how.size),
                "\" fill=\"", how.fill, "\" text-anchor=\"middle\"", how.extra.empty() ? "" : " ",
                how.extra, ">", escape_xml(text), "</text>\n");
}

std::string curve(double x1, double y1, double x2, double y2) {
  const double bend = (y2 - y1) * 0.5;
  return concat("M", px(x1), " ", px(y1), "C", px(x1), " ", px(y1 + bend), " ", px(x2), " ",
                px(y2 - bend), " ", px(x2), " ", px(y2));
}

}  // namespace coppice::detail
