#include "text/word_resources.h"

#include <algorithm>
#include <utility>

#include "coppice/base/error.h"
#include "text/attribute_hash.h"
#include "text/char_class.h"

namespace coppice::text {

namespace {

template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) visit(line, number);
  }
}

}  // namespace

std::size_t TextHash::operator()(std::string_view text) const noexcept { return hash_text(text); }

Gazetteer::Gazetteer(std::string_view text) : ends_entry_(1, 0) {
  for_each_line(text, [this](std::string_view line, std::size_t) {
    std::uint32_t node = 0;
    while (true) {
      const std::size_t begin = line.find_first_not_of(" \t");
      if (begin == std::string_view::npos) break;
      const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
      const std::string_view word = line.substr(begin, end - begin);
      line = line.substr(end);
      const auto next_word = static_cast<std::uint32_t>(words_.size() + 1);
      const std::uint32_t number = words_.emplace(std::string(word), next_word).first->second;
      const auto next_node = static_cast<std::uint32_t>(ends_entry_.size());
      const std::uint64_t edge = (static_cast<std::uint64_t>(node) << 32) | number;
      const auto [place, is_new] = children_.emplace(edge, next_node);
      if (is_new) ends_entry_.push_back(0);
      node = place->second;
    }
    if (node != 0) ends_entry_[node] = 1;
  });
}

std::uint32_t Gazetteer::number(std::string_view word) const {
  const auto found = words_.find(word);
  return found == words_.end() ? 0 : found->second;
}

std::uint32_t Gazetteer::child(std::uint32_t node, std::uint32_t word) const {
  const auto found = children_.find((static_cast<std::uint64_t>(node) << 32) | word);
  return found == children_.end() ? 0 : found->second;
}

void Gazetteer::tag(std::span<const std::uint32_t> numbers, std::span<char> tags) const {
  for (std::size_t begin = 0; begin < numbers.size();) {
    std::size_t end = begin;  // of the longest entry
    std::uint32_t node = 0;
    for (std::size_t at = begin; at < numbers.size() && numbers[at] != 0; ++at) {
      node = child(node, numbers[at]);
      if (node == 0) break;
      if (ends_entry_[node] != 0) end = at + 1;
    }
    tags[begin] = end > begin ? 'B' : '\0';
    for (std::size_t at = begin + 1; at < end; ++at) tags[at] = 'I';
    begin = std::max(end, begin + 1);
  }
}

WordClasses::WordClasses(std::string text, const std::string& name) : text_(std::move(text)) {
  classes_.reserve(static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n')) + 1);
  for_each_line(text_, [&](std::string_view line, std::size_t number) {
    const std::size_t first = line.find('\t');
    const std::size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
    if (first == std::string_view::npos) {
      throw ParseError("expected tab-separated BITS word COUNT, or word CLASS",
                       {.code = "E124", .where = {name, number}, .excerpt = std::string(line)});
    }
    std::string_view word = line.substr(0, first), label = line.substr(first + 1);
    if (second != std::string_view::npos) {
      label = word;
      word = line.substr(first + 1, second - first - 1);
    }
    classes_.emplace(word, label);
  });
}

std::optional<std::string_view> WordClasses::find(std::string_view word) const {
  auto found = classes_.find(word);
  if (found == classes_.end()) {
    std::string lower;
    lowercase(word, lower);
    found = classes_.find(lower);
  }
  if (found == classes_.end()) return std::nullopt;
  return found->second;
}

}  // namespace coppice::text
