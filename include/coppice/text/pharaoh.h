// Word alignments in Pharaoh format: a line for each pair of sentences, a word for each link.
//
//     0-0 1-2 3?2 4-4:0.87
//
// "3?2" links word 3 of the source to word 2 of the target; words count from 0. '-' makes a sure
// link, '?' a possible one, as in hand-made alignments; a number after ':' is the probability of
// the link. An empty line is a pair without links. Links are separated by blanks.
//
// Faults throw ParseError: E202 not UTF-8, E205 NUL byte, E280 a word that is no link.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/file.h"

namespace coppice::text {

// Words have smaller positions; larger numbers are refused.
inline constexpr std::uint32_t kMaxLinkPosition = 1'000'000;

struct AlignmentLink {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  bool is_sure = true;
  double probability = 1;

  bool same_words(const AlignmentLink& other) const noexcept {
    return source == other.source && target == other.target;
  }
};

// By source, then by target.
inline bool comes_before(const AlignmentLink& a, const AlignmentLink& b) noexcept {
  return a.source != b.source ? a.source < b.source : a.target < b.target;
}

class PharaohReader {
 public:
  explicit PharaohReader(LineReader lines) : lines_(std::move(lines)) {}

  // Reads the links of the next line, sorted, each once (sure when one of its repetitions is).
  // False at the end of the file.
  bool next(std::vector<AlignmentLink>& links);

  const std::string& name() const noexcept { return lines_.name(); }
  // Of the line read last, from 1.
  std::size_t line_number() const noexcept { return lines_.line_number(); }

 private:
  LineReader lines_;
};

// Whether the first line with anything in it consists of links; for telling formats apart.
bool looks_like_pharaoh(const std::string& path);

enum class Probabilities { kLeaveOut, kWrite };

// The links as a line, without its end. Probabilities have four decimals.
std::string pharaoh_line(std::span<const AlignmentLink> links,
                         Probabilities probabilities = Probabilities::kLeaveOut);

}  // namespace coppice::text
