#include "coppice/eval/alignment_draw.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/svg.h"
#include "coppice/base/error.h"
#include "coppice/base/markup.h"
#include "text/utf8.h"

namespace coppice::eval {

namespace {

using coppice::detail::px;

constexpr std::size_t kMaxTargetCharacters = 12, kMaxSourceCharacters = 24;
constexpr std::size_t kMaxCells = 250'000;
constexpr double kCell = 22, kWordSize = 13, kTitleSize = 15, kMargin = 20;

enum Mark : unsigned char { kNothing, kSureFound, kPossibleFound, kWrong, kMissed, kPossible };

constexpr std::array<std::string_view, 6> kSigns = {"·", "■", "▣", "×", "□", "○"};
constexpr std::array<std::string_view, 6> kMarkNames = {
    "", "sure and found", "possible and found", "found, but wrong", "sure, but missed", "possible"};

class Marks {
 public:
  explicit Marks(const AlignmentPicture& picture) : columns_(picture.target.size()) {
    const std::size_t rows = picture.source.size();
    require(columns_ == 0 || rows <= kMaxCells / columns_, "sentences of ", rows, " and ", columns_,
            " words are too long to draw");
    cells_.assign(rows * columns_, kNothing);
    for (const text::AlignmentLink& link : picture.found)
      at(link, picture) = picture.gold ? kWrong : kSureFound;
    if (!picture.gold) return;
    for (const text::AlignmentLink& link : *picture.gold) {
      Mark& mark = at(link, picture);
      const bool is_found = mark == kWrong;
      if (link.is_sure) {
        mark = is_found ? kSureFound : kMissed;
      } else {
        mark = is_found ? kPossibleFound : kPossible;
      }
    }
  }

  Mark operator()(std::size_t source, std::size_t target) const {
    return cells_[source * columns_ + target];
  }

 private:
  Mark& at(const text::AlignmentLink& link, const AlignmentPicture& picture) {
    if (link.source >= picture.source.size() || link.target >= picture.target.size()) {
      throw InvalidArgument(
          concat("the link ", link.source, "-", link.target, " is outside sentences of ",
                 picture.source.size(), " and ", picture.target.size(), " words"),
          {.code = "E285"});
    }
    return cells_[link.source * columns_ + link.target];
  }

  std::size_t columns_;
  std::vector<Mark> cells_;
};

std::string padded(const std::string& word, std::size_t width) {
  const std::string_view shown = text::first_code_points(word, width);
  return std::string(width - text::count_code_points(shown), ' ') + std::string(shown);
}

}  // namespace

std::string draw_alignment(const AlignmentPicture& picture) {
  const Marks marks(picture);
  std::size_t width = 0, height = 0;
  for (const std::string& word : picture.source)
    width = std::max(width, text::count_code_points(word));
  for (const std::string& word : picture.target)
    height = std::max(height, text::count_code_points(word));
  width = std::min(width, kMaxSourceCharacters);
  height = std::min(height, kMaxTargetCharacters);
  std::string out;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line(width + 1, ' ');
    for (const std::string& word : picture.target) {
      const std::string shown = padded(word, height);  // its end is next to the matrix
      const std::string_view upto = text::first_code_points(shown, row + 1);
      line += ' ';
      line += text::last_code_points(upto, 1);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  for (std::size_t source = 0; source < picture.source.size(); ++source) {
    out += padded(picture.source[source], width) + ' ';
    for (std::size_t target = 0; target < picture.target.size(); ++target)
      (out += ' ') += kSigns[marks(source, target)];
    out += '\n';
  }
  return out;
}

namespace {

// One cell's square, with its top left corner there.
std::string square(Mark mark, double x, double y, const std::string& tip) {
  if (mark == kNothing) return "";
  const bool is_filled = mark == kSureFound || mark == kPossibleFound;
  const std::string_view colour = mark == kWrong ? "#b3362b" : coppice::detail::kStrong;
  std::string out = "<rect x=\"" + px(x + 4) + "\" y=\"" + px(y + 4) + "\" width=\"" +
                    px(kCell - 8) + "\" height=\"" + px(kCell - 8) + "\" fill=\"";
  out += mark == kPossibleFound ? std::string("#8cc3a1")
                                : std::string(is_filled || mark == kWrong ? colour : "none");
  (out += "\" stroke=\"") += colour;
  if (mark == kPossible) out += "\" stroke-dasharray=\"2 3";
  return out + "\"><title>" + escape_xml(tip) + "</title></rect>\n";
}

}  // namespace

std::string alignment_svg(const AlignmentPicture& picture) {
  const Marks marks(picture);
  double left = 0, top = 0;
  for (const std::string& word : picture.source)
    left = std::max(left, coppice::detail::text_width(word, kWordSize));
  for (const std::string& word : picture.target)
    top = std::max(top, coppice::detail::text_width(word, kWordSize));
  left += kMargin + 8;
  top += kMargin + kTitleSize + 16;
  const double width = std::max(left + kCell * static_cast<double>(picture.target.size()),
                                coppice::detail::text_width(picture.title, kTitleSize) + kMargin) +
                       kMargin;
  const double height = top + kCell * static_cast<double>(picture.source.size()) + kMargin;
  std::string out = coppice::detail::svg_begin(
      {.width = width,
       .height = height,
       .title = picture.title,
       .description = concat("links of ", picture.source.size(), " source words, in rows, to ",
                             picture.target.size(), " target words, in columns")});
  out +=
      coppice::detail::svg_text(picture.title, {width / 2, 28, kTitleSize, coppice::detail::kInk});
  for (std::size_t i = 0; i < picture.source.size(); ++i) {
    const double y = top + kCell * static_cast<double>(i);
    out += coppice::detail::svg_text(
        picture.source[i],
        {left - 6, y + 15, kWordSize, coppice::detail::kInk, "style=\"text-anchor:end\""});
    for (std::size_t j = 0; j < picture.target.size(); ++j) {
      const Mark mark = marks(i, j);
      out += square(mark, left + kCell * static_cast<double>(j), y,
                    concat(picture.source[i], " - ", picture.target[j], ": ", kMarkNames[mark]));
    }
  }
  for (std::size_t j = 0; j < picture.target.size(); ++j) {
    const double x = left + kCell * (static_cast<double>(j) + 0.5) + 4;
    const std::string turn = concat("style=\"text-anchor:start\" transform=\"rotate(-90 ", px(x),
                                    " ", px(top - 6), ")\"");
    out += coppice::detail::svg_text(picture.target[j],
                                     {x, top - 6, kWordSize, coppice::detail::kInk, turn});
  }
  return out + coppice::detail::svg_end();
}

}  // namespace coppice::eval
