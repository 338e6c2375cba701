#include "coppice/text/pharaoh.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "coppice/base/error.h"
#include "text/lines.h"

namespace coppice::text {

namespace {

constexpr std::size_t kLookAhead = 1 << 16;  // bytes in which the first link must stand

std::optional<std::uint32_t> parse_position(std::string_view text) {
  const auto number = parse_number<std::uint32_t>(text);
  if (!number || *number >= kMaxLinkPosition) return std::nullopt;
  return number;
}

std::optional<AlignmentLink> parse_link(std::string_view word) {
  AlignmentLink link;
  if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
    const auto probability = parse_number<double>(word.substr(colon + 1));
    if (!probability || !(*probability >= 0 && *probability <= 1)) return std::nullopt;
    link.probability = *probability;
    word = word.substr(0, colon);
  }
  const std::size_t middle = word.find_first_of("-?");
  if (middle == std::string_view::npos) return std::nullopt;
  const auto source = parse_position(word.substr(0, middle));
  const auto target = parse_position(word.substr(middle + 1));
  if (!source || !target) return std::nullopt;
  link.source = *source;
  link.target = *target;
  link.is_sure = word[middle] == '-';
  return link;
}

std::string_view take_word_of_links(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const auto* end = std::find_if(rest.begin(), rest.end(), is_blank);
  const auto word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(word.size());
  return word;
}

void sort_and_merge(std::vector<AlignmentLink>& links) {
  std::ranges::stable_sort(links, comes_before);
  std::size_t kept = 0;
  for (const AlignmentLink& link : links) {
    if (kept > 0 && links[kept - 1].same_words(link)) {
      links[kept - 1].is_sure = links[kept - 1].is_sure || link.is_sure;
    } else {
      links[kept++] = link;
    }
  }
  links.resize(kept);
}

}  // namespace

bool PharaohReader::next(std::vector<AlignmentLink>& links) {
  links.clear();
  std::string_view line;
  if (!lines_.next(line)) return false;
  if (lines_.line_number() == 1) line = without_bom(line);
  require_text(line, lines_);
  std::string_view rest = line;
  for (std::string_view word; !(word = take_word_of_links(rest)).empty();) {
    const auto link = parse_link(word);
    if (!link) {
      throw ParseError(
          concat("\"", excerpt_of(word), "\" is not a link such as 0-2, 0?2 or 0-2:0.9"),
          {.code = "E280",
           .where = {.file = lines_.name(), .line = lines_.line_number()},
           .excerpt = excerpt_of(line),
           .help = "positions of words count from 0, that in the source comes first"});
    }
    links.push_back(*link);
  }
  sort_and_merge(links);
  return true;
}

bool looks_like_pharaoh(const std::string& path) {
  LineReader lines(path);
  std::string_view rest = lines.peek(kLookAhead);
  const bool is_whole = rest.size() < kLookAhead;
  while (!rest.empty()) {
    const bool is_cut = !is_whole && rest.find('\n') == std::string_view::npos;
    std::string_view line = without_bom(take_line(rest));
    std::size_t links = 0;
    for (std::string_view word; !(word = take_word_of_links(line)).empty(); ++links) {
      const bool may_be_cut = is_cut && line.empty();
      if (!parse_link(word) && !may_be_cut) return false;
    }
    if (links > 0) return true;
  }
  return false;
}

std::string pharaoh_line(std::span<const AlignmentLink> links, Probabilities probabilities) {
  std::string line;
  for (const AlignmentLink& link : links) {
    if (!line.empty()) line += ' ';
    line += std::to_string(link.source) + (link.is_sure ? '-' : '?') + std::to_string(link.target);
    if (probabilities == Probabilities::kLeaveOut) continue;
    std::array<char, 16> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(),
                                       link.probability, std::chars_format::fixed, 4);
    line += ':';
    line.append(digits.data(), written.ptr);
  }
  return line;
}

}  // namespace coppice::text
