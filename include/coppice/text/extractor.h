// From sentences to attributes: templates applied at every token, fast.
//
// An attribute is a 64-bit key, and no name is built to get it. Of each cell, the hashes of what
// the templates ask about it (the word, its lower case, affixes, shapes, list membership ...) are
// computed once and kept under the word, since text repeats words; a template then combines a few
// of those numbers:
//
//     key = mix(... mix(mix(seed of the template or its bag, h(text 1)), h(text 2)) ...)
//
// with h = XXH3 (never 0) and mix the folded 128-bit product. Keys depend on nothing but the
// template's text and the cells: not on the machine, the thread, or what was seen before.
//
// Two attributes of one set with the same name have the same key. Two with different names may
// collide with probability 2^-64 a pair; whoever builds a dictionary of keys in training can tell,
// because name() gives the text behind every key.
//
// Cost: one table lookup a cell, one load and one multiplication a term. The memory of a cache is
// bounded on endless input: it is emptied when it holds too many words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/sentence.h"
#include "coppice/text/template.h"

namespace coppice::text {

// A sentence as a table: cells row by row, a row a token. Views what others own.
struct Cells {
  std::span<const std::string_view> cells;
  std::size_t columns = 1;
  const Sentence* sentence = nullptr;  // whose cells these are, for messages

  std::size_t rows() const noexcept { return columns == 0 ? 0 : cells.size() / columns; }
  // Requires row < rows(), column < columns.
  std::string_view cell(std::size_t row, std::size_t column) const noexcept {
    return cells[row * columns + column];
  }
};

// The attributes of each token of one sentence, one after the other: token t has those from
// offsets[t] to offsets[t + 1] - 1. The order is the same for every token of a set: templates of
// one text, of two, then the others. What a bag gives twice stands there twice.
struct AttributeList {
  std::vector<std::size_t> offsets{};  // rows + 1
  std::vector<std::uint64_t> keys{};
  std::vector<float> values{};             // empty: all are 1
  std::vector<std::uint32_t> templates{};  // by which template, if asked for
};

struct Attributes {
  AttributeList states{};       // conjoined with the token's label
  AttributeList transitions{};  // conjoined with the labels of the token before and of this one
};

enum class Origins : std::uint8_t { kOmit, kRecord };  // whether AttributeList::templates is filled

struct ExtractorOptions {
  std::size_t cached_words = 1u << 16;  // a column, beyond which its cache is emptied
};

// Not for several threads at once: give each its copy, which shares the compiled templates and
// has a cache of its own.
class Extractor {
 public:
  // Throws InvalidArgument when the set is inconsistent or a resource is missing, ParseError
  // (E124) when one is malformed.
  explicit Extractor(const TemplateSet& set, const ResourceTexts& resources = {},
                     const ExtractorOptions& options = {});
  ~Extractor();
  Extractor(const Extractor& other);
  Extractor& operator=(const Extractor& other);
  Extractor(Extractor&&) noexcept;
  Extractor& operator=(Extractor&&) noexcept;

  // Replaces `out` by the attributes of every token. Throws InvalidArgument when the table has
  // fewer columns than the templates read, ParseError (E200, with file and line where the cells
  // have a sentence) when value() meets what is no finite number; then `out` holds nothing to rely
  // on, and the extractor is as it was.
  void extract(const Cells& cells, Attributes& out, Origins origins = Origins::kOmit);

  // What extract() gives, in three parts, for those who would rather keep what a word gives than
  // compute it at each of its occurrences. A word place is a column and an offset that templates of
  // one text, conjoined with the token's label, look at; what they give there depends on nothing
  // but the word. A phrase place is the texts that a template of three or more combines, where
  // other templates combine some of them: what these give together depends on nothing but the
  // phrase. extract_joint() gives the attributes of all other templates, and numbers words and
  // phrases.
  void extract_joint(const Cells& cells, Attributes& out);
  std::size_t num_word_places() const noexcept;
  // The word that each token of the last sentence sees at the place, boundaries included, as a
  // number from 0. Valid until the next sentence; the numbers mean the same while word_epoch() is
  // the same. Requires place < num_word_places().
  std::span<const std::uint32_t> words(std::size_t place) const noexcept;
  std::uint64_t word_epoch() const noexcept;
  // Replaces `keys` by the attributes that the word, which words(place) has shown in this epoch,
  // gives at the place.
  void word_keys(std::size_t place, std::uint32_t word, std::vector<std::uint64_t>& keys) const;
  std::size_t num_phrase_places() const noexcept;
  // Of each token of the last sentence in turn, what it sees at every phrase place, as a number
  // that means the same for good, and at no other place; 64 bits of hash, as keys are. Valid until
  // the next sentence.
  std::span<const std::uint64_t> phrases() const noexcept;
  // Replaces `keys` by the attributes that a token of the last sentence gets from the place.
  void phrase_keys(std::size_t place, std::size_t token, std::vector<std::uint64_t>& keys) const;

  // The name of the attribute that template number `index` gives at token `row`; nullopt when it
  // gives none. The slow and obvious way, without the cache. Cost: the length of the texts; with
  // in(), of the sentence.
  // Requires index < set().templates.size(), row < cells.rows().
  std::optional<std::string> name(std::size_t index, const Cells& cells, std::size_t row) const;

  // The key of an attribute by its name, as name() spells it; nullopt when no template gives such a
  // name. Cost: a comparison a template, and the length of the name.
  std::optional<std::uint64_t> key(std::string_view name) const;

  const TemplateSet& set() const noexcept;
  // The table needs at least so many columns.
  std::size_t columns_read() const noexcept;
  // Words held at present, over all columns.
  std::size_t cached_words() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The key of an attribute that the user names himself. Such names live in a space of their own:
// no template gives the same key, also where the name looks like a template's.
std::uint64_t key_of_name(std::string_view name) noexcept;

}  // namespace coppice::text
