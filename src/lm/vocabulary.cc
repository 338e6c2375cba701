#include "coppice/lm/vocabulary.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/random.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace coppice::lm {

namespace {

std::uint64_t hash_of_word(std::string_view word) noexcept {
  return XXH3_64bits(word.data(), word.size());
}

std::size_t home_slot(std::uint64_t hash, std::size_t slots) noexcept {
  return static_cast<std::size_t>((static_cast<coppice::detail::Uint128>(hash) * slots) >> 64);
}

std::uint32_t fragment_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash); }

[[noreturn]] void fail_vocabulary(const ModelFile& file, const char* message) {
  throw ModelError(message, {.code = "E404", .where = {.file = file.name()}});
}

}  // namespace

Symbols special_words() {
  Symbols words;
  for (std::string_view text : {kUnknownText, kSentenceBeginText, kSentenceEndText})
    words.add(text);
  return words;
}

Vocabulary::Vocabulary(const ModelFile& file)
    : text_(file.text("words")),
      begins_(file.as<std::uint32_t>("words.begin")),
      slots_(file.as<Slot>("words.index")) {
  const bool ordered = std::ranges::is_sorted(begins_);
  if (begins_.size() < 4 || begins_.front() != 0 || !ordered || begins_.back() != text_.size())
    fail_vocabulary(file, "the words of the model do not fit their text");
  const auto is_bad = [this](const Slot& slot) { return slot.id != kFree && slot.id >= size(); };
  // A free slot ends every search.
  if (std::ranges::none_of(slots_, [](const Slot& slot) { return slot.id == kFree; }) ||
      std::ranges::any_of(slots_, is_bad))
    fail_vocabulary(file, "the index of the model's words is damaged");
  if ((*this)[kUnknownWord] != kUnknownText || (*this)[kSentenceBegin] != kSentenceBeginText ||
      (*this)[kSentenceEnd] != kSentenceEndText)
    fail_vocabulary(file, "the model does not begin with the words <unk>, <s> and </s>");
}

WordId Vocabulary::find(std::string_view word) const noexcept {
  if (slots_.empty()) return kUnknownWord;
  const std::uint64_t hash = hash_of_word(word);
  for (std::size_t at = home_slot(hash, slots_.size());;) {
    const Slot& slot = slots_[at];
    if (slot.id == kFree) return kUnknownWord;
    if (slot.fragment == fragment_of(hash) && (*this)[WordId{slot.id}] == word)
      return WordId{slot.id};
    if (++at == slots_.size()) at = 0;
  }
}

void Vocabulary::add_sections(ModelWriter& writer, const Symbols& words) {
  std::string text;
  std::vector<std::uint32_t> begins{0};
  std::vector<Slot> slots(words.size() + words.size() / 3 + 1, Slot{0, kFree});
  for (SymbolId id : words.ids()) {
    text += words[id];
    require(text.size() <= std::numeric_limits<std::uint32_t>::max(),
            "a language model's words have at most 4 GiB");
    begins.push_back(static_cast<std::uint32_t>(text.size()));
    const std::uint64_t hash = hash_of_word(words[id]);
    std::size_t at = home_slot(hash, slots.size());
    while (slots[at].id != kFree) at = at + 1 == slots.size() ? 0 : at + 1;
    slots[at] = {fragment_of(hash), static_cast<std::uint32_t>(id)};
  }
  writer.add_section("words", std::move(text));
  writer.add_section("words.begin", std::move(begins));
  writer.add_section("words.index", std::move(slots));
}

}  // namespace coppice::lm
