// The words of a language model in its file: text to number and back, without a copy.
//
// Numbers are dense from 0. Three of them mean the same in every model:
//
//     0  <unk>   any word that the model does not know
//     1  <s>     what stands before a sentence; it is never predicted
//     2  </s>    the end of a sentence, predicted like a word
//
// Cost: a hash of the text and, nearly always, one comparison of bytes.
// Threads: const functions may be called at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "coppice/base/id.h"
#include "coppice/base/model_file.h"
#include "coppice/base/symbols.h"

namespace coppice::lm {

enum class WordId : std::uint32_t {};

inline constexpr WordId kUnknownWord{0};
inline constexpr WordId kSentenceBegin{1};
inline constexpr WordId kSentenceEnd{2};

inline constexpr std::string_view kUnknownText = "<unk>";
inline constexpr std::string_view kSentenceBeginText = "<s>";
inline constexpr std::string_view kSentenceEndText = "</s>";

// A table of words that has the three above and nothing else.
Symbols special_words();

class Vocabulary {
 public:
  Vocabulary() = default;
  // Shows the sections `words`, `words.begin` and `words.index` of a file, which must outlive it.
  // Throws ModelError (E404) when they do not fit together.
  explicit Vocabulary(const ModelFile& file);

  std::size_t size() const noexcept { return begins_.empty() ? 0 : begins_.size() - 1; }
  IdRange<WordId> ids() const noexcept { return IdRange<WordId>(size()); }

  // kUnknownWord for what is not there.
  WordId find(std::string_view word) const noexcept;

  // Requires an id below size(); lives as long as the file.
  std::string_view operator[](WordId id) const noexcept {
    return text_.substr(begins_[index(id)], begins_[index(id) + 1] - begins_[index(id)]);
  }

  // Adds the sections of these words. Requires that they begin with the special ones; throws
  // InvalidArgument when their text has 4 GiB or more.
  static void add_sections(ModelWriter& writer, const Symbols& words);

 private:
  struct Slot {
    std::uint32_t fragment;  // of the hash of the word
    std::uint32_t id;        // kFree: nothing is here
  };
  static constexpr std::uint32_t kFree = 0xffffffff;

  std::string_view text_;
  std::span<const std::uint32_t> begins_;
  std::span<const Slot> slots_;
};

}  // namespace coppice::lm
