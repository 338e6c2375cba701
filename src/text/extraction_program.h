// Templates compiled for the extractor. Private; immutable, and shared between threads.
//
// Every different question about a cell is an atom of its column; a word's answers are a row of
// numbers (0: absent). Every different (atom, offset) is a slot, read once a token. A template is
// a seed and the slots it combines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coppice/text/extractor.h"
#include "coppice/text/template.h"
#include "text/word_resources.h"

namespace coppice::text {

// A function of a text that gives a text.
struct CompiledStep {
  Function function;
  std::uint32_t number = 0;
  std::shared_ptr<const Regex> regex{};
  const WordClasses* classes = nullptr;
};

// Two, because a step reads one and writes the other.
struct TextBuffers {
  std::string first, second;
};

// The steps one after the other; nullopt when one is absent. The result points into `word`, a
// buffer or the program.
std::optional<std::string_view> apply(const std::vector<CompiledStep>& steps, std::string_view word,
                                      TextBuffers& buffers);

// A question about a cell, and the number that answers it.
struct WordAtom {
  enum class Answer : std::uint8_t {
    kHash,        // of the text that `steps` give
    kYes,         // 1 when `match` does
    kNumber,      // the bits of a double
    kListNumber,  // of the text, in `list`
  };
  Answer answer = Answer::kHash;
  Yield yield = Yield::kText;
  std::vector<CompiledStep> steps{};
  std::shared_ptr<const Regex> match{};
  const Gazetteer* list = nullptr;
};

// The atom's number for a cell. Throws ParseError (E200) on what should be a number and is none.
std::uint64_t answer(const WordAtom& atom, std::string_view word, TextBuffers& buffers);

struct ColumnAtoms {
  std::size_t column;
  std::vector<WordAtom> atoms{};
};

// A question about the position in the sentence.
struct SentenceAtom {
  Function function;
  std::size_t group = 0, atom = 0;  // of kIn: where the list's numbers of the words are
};

struct Slot {
  static constexpr std::size_t kSentence = static_cast<std::size_t>(-1);

  std::size_t group;  // of ColumnAtoms, or kSentence
  std::size_t atom;
  int offset;

  bool operator==(const Slot&) const = default;
};

struct CompiledTemplate {
  std::uint64_t seed = 0;
  std::uint32_t index = 0;                               // in the TemplateSet
  std::uint32_t first = 0;                               // in ExtractionProgram::uses
  std::uint32_t texts = 0, conditions = 0, numbers = 0;  // how many uses of each kind, in order
};

// Most templates are one text or two; those are kept apart so that their loops have no branches.
struct Single {
  std::uint64_t seed;
  std::uint32_t index, slot;
};
struct Pair {
  std::uint64_t seed;
  std::uint32_t index, first, second;
};
struct CompiledList {
  std::vector<Single> singles;
  std::vector<Pair> pairs;
  std::vector<CompiledTemplate> others;

  std::size_t size() const { return singles.size() + pairs.size() + others.size(); }
};

// What a cell's word gives to the tokens that see it at `offset`: states' templates of one text.
struct WordPlace {
  struct Template {
    std::uint64_t seed;
    std::size_t atom;
  };
  std::size_t group;
  int offset;
  std::vector<Template> templates{};
};

// States' templates whose texts are all among those of one of them: what they give together depends
// on nothing but the texts of that one.
struct PhrasePlace {
  std::uint64_t seed;                // of numbers for phrases
  std::vector<std::uint32_t> slots;  // of the longest template
  CompiledList templates;
};

class ExtractionProgram {
 public:
  ExtractionProgram(const TemplateSet& set, const ResourceTexts& resources);
  ExtractionProgram(const ExtractionProgram&) = delete;
  ExtractionProgram& operator=(const ExtractionProgram&) = delete;

  TemplateSet set;
  std::vector<ColumnAtoms> columns;
  std::vector<SentenceAtom> sentence;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> uses;          // slots
  std::vector<CompiledTemplate> templates;  // as in the set
  CompiledList states, transitions;
  std::vector<WordPlace> word_places;      // some of `states`, by place
  std::vector<PhrasePlace> phrase_places;  // some more
  CompiledList joint;                      // the others
  std::vector<std::uint32_t> joint_slots;  // that `joint`, phrases and `transitions` use
  std::vector<std::string> prefixes;       // of names, by template
  std::size_t padding = 0;                 // the largest offset, either way
  std::size_t columns_read = 0;
  bool has_numbers = false;

  const Gazetteer& list_of(const SentenceAtom& atom) const {
    return *columns[atom.group].atoms[atom.atom].list;
  }

 private:
  void load(const ResourceTexts& resources);
  void compile(std::size_t index);
  void file(const CompiledTemplate& one, CompiledList& list) const;
  void part_words();
  void part_phrases(std::vector<CompiledTemplate> candidates);
  void find_joint_slots();
  std::vector<std::uint32_t> texts_of(const CompiledTemplate& one) const;
  WordPlace& word_place_of(const Slot& slot);
  std::uint32_t slot_of(const Term& term);
  std::size_t group_of(std::size_t column);
  std::size_t atom_of(std::size_t group, const Term& term);
  std::size_t sentence_atom_of(const Term& term);
  WordAtom compile_atom(const Term& term) const;
  CompiledStep compile_step(const Step& step) const;

  std::unordered_map<std::string, std::unique_ptr<const Gazetteer>> lists_;
  std::unordered_map<std::string, std::unique_ptr<const WordClasses>> classes_;
  std::unordered_map<std::string, std::uint32_t> slot_by_text_;
  std::unordered_map<std::string, std::size_t> atom_by_text_, sentence_atom_by_text_;
};

}  // namespace coppice::text
