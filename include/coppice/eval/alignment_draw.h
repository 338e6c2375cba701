// Word alignments as pictures: source words are rows, target words are columns.
//
// As text, a cell is a square, filled when the link is sure and found, empty when it is sure and
// was missed; a square within a square when it is possible and found, a circle when it is possible
// and was not; a cross when it was found and is wrong. As SVG, squares are green, light green
// (possible) and red (wrong), and filled when found. Without gold links, all links found count as
// sure. Cost: O(I J).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coppice/text/pharaoh.h"

namespace coppice::eval {

struct AlignmentPicture {
  std::vector<std::string> source, target;  // words
  std::vector<text::AlignmentLink> found;
  std::optional<std::vector<text::AlignmentLink>> gold{};
  std::string title{};
};

// Lines of text; target words are written downwards, cut at 12 characters, as source words are at
// 24. Throws InvalidArgument for more than 250,000 cells, and (E285) for a link to a word that is
// not there.
std::string draw_alignment(const AlignmentPicture& picture);
// The same as SVG.
std::string alignment_svg(const AlignmentPicture& picture);

}  // namespace coppice::eval
