#include "coppice/text/extractor.h"

#include <numeric>
#include <utility>

#include "coppice/base/error.h"
#include "text/attribute_hash.h"
#include "text/attribute_name.h"
#include "text/attribute_writer.h"
#include "text/extraction_program.h"
#include "text/word_cache.h"

namespace coppice::text {

namespace {

constexpr std::size_t kMaxCachedBytes = 1u << 24;  // of words' texts, a column

// Where a slot's number for token t is: numbers[rows[t] * width].
struct BoundSlot {
  const std::uint32_t* rows;
  const std::uint64_t* numbers;
  std::size_t width;
};

}  // namespace

struct Extractor::State {
  State(std::shared_ptr<const ExtractionProgram> compiled, const ExtractorOptions& chosen)
      : program(std::move(compiled)), options(chosen) {
    for (const ColumnAtoms& column : program->columns) {
      caches.emplace_back(column.atoms.size());
      add_boundaries(caches.size() - 1);
    }
    rows.resize(caches.size());
    slots.resize(program->slots.size());
    all_slots.resize(program->slots.size());
    std::iota(all_slots.begin(), all_slots.end(), 0U);
  }

  // The first rows of a cache: the boundaries before a sentence, from the farthest, then those
  // after it, from the nearest.
  void add_boundaries(std::size_t group) {
    const auto padding = static_cast<int>(program->padding);
    for (int i = 0; i < 2 * padding; ++i) {
      answers.clear();
      const int distance = i < padding ? i - padding : i - padding + 1;
      for (const WordAtom& atom : program->columns[group].atoms) {
        const bool marked = program->set.outside == Outside::kMark && atom.yield == Yield::kText;
        answers.push_back(marked ? hash_text(boundary_text(distance), kBoundarySeed) : 0);
      }
      caches[group].add_row(answers);
    }
  }

  // Only between sentences: within one, rows must stay where they are.
  void make_room(std::size_t group) {
    WordCache& cache = caches[group];
    const bool full = cache.words() + tokens > options.cached_words;
    if (cache.words() == 0 || (!full && cache.text_bytes() <= kMaxCachedBytes)) return;
    ++epoch;
    cache.clear();
    add_boundaries(group);
  }

  void look_up(std::size_t group, const Cells& cells) {
    const std::size_t padding = program->padding;
    const ColumnAtoms& column = program->columns[group];
    make_room(group);
    WordCache& cache = caches[group];
    std::vector<std::uint32_t>& seen = rows[group];
    seen.resize(tokens + 2 * padding);
    for (std::size_t i = 0; i < padding; ++i) {
      seen[i] = static_cast<std::uint32_t>(i);
      seen[padding + tokens + i] = static_cast<std::uint32_t>(padding + i);
    }
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::string_view word = cells.cell(t, column.column);
      const std::uint64_t hash = hash_text(word);
      std::uint32_t row = cache.find(hash, word);
      if (row == WordCache::kNone) row = cache.insert(hash, word, ask(column, cells, t));
      seen[padding + t] = row;
    }
  }

  std::span<const std::uint64_t> ask(const ColumnAtoms& column, const Cells& cells, std::size_t t) {
    const std::string_view word = cells.cell(t, column.column);
    answers.clear();
    try {
      for (const WordAtom& atom : column.atoms) answers.push_back(answer(atom, word, buffers));
    } catch (const ParseError& error) {
      if (cells.sentence == nullptr) throw;
      throw ParseError(error.what(), {.code = error.code(),
                                      .where = {.file = cells.sentence->where().file,
                                                .line = cells.sentence->line_of(t)},
                                      .help = error.help()});
    }
    return answers;
  }

  // What depends on the place in the sentence, in rows of its own; outside it all is absent.
  void look_around() {
    const std::size_t width = program->sentence.size(), padding = program->padding;
    if (width == 0) return;
    sentence_numbers.assign(width * (tokens + 2 * padding), 0);
    sentence_rows.resize(tokens + 2 * padding);
    std::iota(sentence_rows.begin(), sentence_rows.end(), 0U);
    for (std::size_t atom = 0; atom < width; ++atom) {
      std::uint64_t* out = sentence_numbers.data() + padding * width + atom;
      const SentenceAtom& question = program->sentence[atom];
      if (question.function == Function::kIn) {
        tag_list(question, out);
        continue;
      }
      for (std::size_t t = 0; t < tokens; ++t) {
        out[t * width] = of_position(question.function, t, tokens);
      }
    }
  }

  static std::uint64_t of_position(Function function, std::size_t t, std::size_t length) {
    if (function == Function::kPosition) return hash_text(position_text(t, length));
    return holds_at(function, t, length) ? 1 : 0;
  }

  void tag_list(const SentenceAtom& question, std::uint64_t* out) {
    const WordCache& cache = caches[question.group];
    const std::uint64_t* numbers = cache.numbers() + question.atom;
    const std::uint32_t* seen = rows[question.group].data() + program->padding;
    list_numbers.resize(tokens);
    tags.resize(tokens);
    for (std::size_t t = 0; t < tokens; ++t) {
      list_numbers[t] = static_cast<std::uint32_t>(numbers[seen[t] * cache.width()]);
    }
    program->list_of(question).tag(list_numbers, tags);
    for (std::size_t t = 0; t < tokens; ++t) {
      if (tags[t] != 0) out[t * program->sentence.size()] = hash_text({&tags[t], 1});
    }
  }

  BoundSlot bind(const Slot& slot) const {
    const std::size_t before = program->padding + static_cast<std::size_t>(slot.offset);
    if (slot.group == Slot::kSentence) {
      return {sentence_rows.data() + before, sentence_numbers.data() + slot.atom,
              program->sentence.size()};
    }
    const WordCache& cache = caches[slot.group];
    return {rows[slot.group].data() + before, cache.numbers() + slot.atom, cache.width()};
  }

  // Only the slots at hand; the others keep what they had.
  const std::uint64_t* read_slots(std::size_t t) {
    for (const auto& [slot, from] : bound) slots[slot] = from.numbers[from.rows[t] * from.width];
    return slots.data();
  }

  void take_in(const Cells& cells) {
    require(cells.columns >= program->columns_read || cells.cells.empty(), "the templates read ",
            program->columns_read, " columns, and the sentence has ", cells.columns);
    tokens = cells.rows();
    for (std::size_t group = 0; group < program->columns.size(); ++group) look_up(group, cells);
    look_around();
  }

  // Writes the attributes of `list`, which `wanted` slots are enough for, and of transitions.
  void write(const CompiledList& list, std::span<const std::uint32_t> wanted, Attributes& out,
             Origins origins) {
    bound.clear();
    for (const std::uint32_t slot : wanted) bound.push_back({slot, bind(program->slots[slot])});
    AttributeWriter states(list, program->uses.data(), out.states);
    AttributeWriter pairs(program->transitions, program->uses.data(), out.transitions);
    states.begin(tokens, program->has_numbers, origins);
    pairs.begin(tokens, program->has_numbers, origins);
    const bool with_phrases = &list == &program->joint;
    phrases.resize(with_phrases ? tokens * program->phrase_places.size() : 0);
    std::uint64_t* phrase = phrases.data();
    const auto write_tokens = [&]<bool kValues, bool kOrigins>() {
      for (std::size_t t = 0; t < tokens; ++t) {
        const std::uint64_t* here = read_slots(t);
        for (std::size_t i = 0; with_phrases && i < program->phrase_places.size(); ++i) {
          *phrase++ = phrase_number(program->phrase_places[i], here);
        }
        states.template write<kValues, kOrigins>(t, here);
        pairs.template write<kValues, kOrigins>(t, here);
      }
    };
    const bool record = origins == Origins::kRecord;
    if (program->has_numbers) {
      record ? write_tokens.operator()<true, true>() : write_tokens.operator()<true, false>();
    } else {
      record ? write_tokens.operator()<false, true>() : write_tokens.operator()<false, false>();
    }
    states.end();
    pairs.end();
  }

  static std::uint64_t phrase_number(const PhrasePlace& place, const std::uint64_t* here) {
    std::uint64_t number = place.seed;
    for (const std::uint32_t slot : place.slots) number = mix(number, here[slot]);
    return number;
  }

  std::shared_ptr<const ExtractionProgram> program;
  ExtractorOptions options;
  std::vector<WordCache> caches;                 // by group
  std::uint64_t epoch = 0;                       // how often a cache was emptied
  std::size_t tokens = 0;                        // of the sentence at hand
  std::vector<std::vector<std::uint32_t>> rows;  // by group: each token's row in the cache, padded
  std::vector<std::uint64_t> sentence_numbers;
  std::vector<std::uint32_t> sentence_rows;
  std::vector<std::uint32_t> all_slots;
  std::vector<std::pair<std::uint32_t, BoundSlot>> bound;  // slots that are read, and where
  std::vector<std::uint64_t> slots;                        // of the token at hand
  std::vector<std::uint64_t> phrases;                      // by token and place
  std::vector<std::uint64_t> answers;
  std::vector<std::uint32_t> list_numbers;
  std::vector<char> tags;
  TextBuffers buffers;
};

Extractor::Extractor(const TemplateSet& set, const ResourceTexts& resources,
                     const ExtractorOptions& options)
    : state_(std::make_unique<State>(std::make_shared<const ExtractionProgram>(set, resources),
                                     options)) {}
Extractor::~Extractor() = default;
Extractor::Extractor(Extractor&&) noexcept = default;
Extractor& Extractor::operator=(Extractor&&) noexcept = default;
Extractor::Extractor(const Extractor& other)
    : state_(std::make_unique<State>(other.state_->program, other.state_->options)) {}
Extractor& Extractor::operator=(const Extractor& other) {
  if (this != &other) *this = Extractor(other);
  return *this;
}

void Extractor::extract(const Cells& cells, Attributes& out, Origins origins) {
  state_->take_in(cells);
  state_->write(state_->program->states, state_->all_slots, out, origins);
}

void Extractor::extract_joint(const Cells& cells, Attributes& out) {
  state_->take_in(cells);
  state_->write(state_->program->joint, state_->program->joint_slots, out, Origins::kOmit);
}

std::size_t Extractor::num_word_places() const noexcept {
  return state_->program->word_places.size();
}

std::span<const std::uint32_t> Extractor::words(std::size_t place) const noexcept {
  const WordPlace& seen = state_->program->word_places[place];
  return {state_->bind({.group = seen.group, .atom = 0, .offset = seen.offset}).rows,
          state_->tokens};
}

std::uint64_t Extractor::word_epoch() const noexcept { return state_->epoch; }

void Extractor::word_keys(std::size_t place, std::uint32_t word,
                          std::vector<std::uint64_t>& keys) const {
  const WordPlace& seen = state_->program->word_places[place];
  const WordCache& cache = state_->caches[seen.group];
  const std::uint64_t* numbers = cache.numbers() + word * cache.width();
  keys.clear();
  for (const WordPlace::Template& one : seen.templates) {
    if (numbers[one.atom] != 0) keys.push_back(mix(one.seed, numbers[one.atom]));
  }
}

std::size_t Extractor::num_phrase_places() const noexcept {
  return state_->program->phrase_places.size();
}

std::span<const std::uint64_t> Extractor::phrases() const noexcept { return state_->phrases; }

void Extractor::phrase_keys(std::size_t place, std::size_t token,
                            std::vector<std::uint64_t>& keys) const {
  const ExtractionProgram& program = *state_->program;
  const PhrasePlace& seen = program.phrase_places[place];
  const auto number = [&](std::uint32_t slot) {
    const BoundSlot from = state_->bind(program.slots[slot]);
    return from.numbers[from.rows[token] * from.width];
  };
  keys.clear();
  for (const Pair& one : seen.templates.pairs) {
    const std::uint64_t first = number(one.first), second = number(one.second);
    if (first != 0 && second != 0) keys.push_back(mix(mix(one.seed, first), second));
  }
  for (const CompiledTemplate& one : seen.templates.others) {
    std::uint64_t key = one.seed;
    bool present = true;
    for (std::uint32_t i = one.first; i < one.first + one.texts; ++i) {
      const std::uint64_t text = number(program.uses[i]);
      present = present && text != 0;
      key = mix(key, text);
    }
    if (present) keys.push_back(key);
  }
}

std::optional<std::string> Extractor::name(std::size_t index, const Cells& cells,
                                           std::size_t row) const {
  return attribute_name(*state_->program, index, cells, row);
}

std::optional<std::uint64_t> Extractor::key(std::string_view name) const {
  return attribute_key(*state_->program, name);
}

const TemplateSet& Extractor::set() const noexcept { return state_->program->set; }

std::size_t Extractor::columns_read() const noexcept { return state_->program->columns_read; }

std::size_t Extractor::cached_words() const noexcept {
  std::size_t words = 0;
  for (const WordCache& cache : state_->caches) words += cache.words();
  return words;
}

std::uint64_t key_of_name(std::string_view name) noexcept { return hash_text(name, kUserNameSeed); }

}  // namespace coppice::text
