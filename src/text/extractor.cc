#include "coppice/text/extractor.h"

#include <array>
#include <bit>

#include "coppice/base/error.h"
#include "text/attribute_hash.h"
#include "text/attribute_name.h"
#include "text/extraction_program.h"
#include "text/word_cache.h"

namespace coppice::text {

namespace {

constexpr std::size_t kMaxCachedBytes = 1u << 24;  // of words' texts, a column

// Where a slot's number for token t is: numbers[rows[t]].
struct BoundSlot {
  const std::size_t* rows;
  const std::uint64_t* numbers;
};

// Conditions and numbers of a template: whether all are there, and the product of the numbers.
bool hold(const CompiledTemplate& one, const std::uint32_t* uses, const std::uint64_t* slots,
          float& value) {
  for (std::uint32_t i = 0; i < one.conditions; ++i) {
    if (slots[uses[i]] == 0) return false;
  }
  double product = 1;
  for (std::uint32_t i = one.conditions; i < one.conditions + one.numbers; ++i) {
    if (slots[uses[i]] == 0) return false;
    product *= std::bit_cast<double>(slots[uses[i]]);
  }
  value = static_cast<float>(product);
  return true;
}

// Writes the attributes of one list of templates, token after token. An absent one is written
// too, and then written over: that spares a branch that nobody could predict.
class Writer {
 public:
  Writer(const CompiledList& templates, const std::uint32_t* uses, AttributeList& out)
      : templates_(templates), uses_(uses), out_(out) {}

  // Room for every template at every token. With `values`, those are written; with origins too.
  void begin(std::size_t tokens, bool values, Origins origins) {
    const std::size_t room = tokens * templates_.size();
    out_.offsets.resize(tokens + 1);
    out_.offsets[0] = 0;
    out_.keys.resize(room);
    out_.values.resize(values ? room : 0);
    out_.templates.resize(origins == Origins::kRecord ? room : 0);
  }

  // The attributes of token t, whose slots hold `slots`.
  template <bool kValues, bool kOrigins>
  void write(std::size_t t, const std::uint64_t* slots) {
    std::size_t count = count_;
    const auto put = [&](std::uint64_t key, std::uint32_t index, bool present, float value) {
      out_.keys[count] = key;
      if constexpr (kValues) out_.values[count] = value;
      if constexpr (kOrigins) out_.templates[count] = index;
      count += present ? 1 : 0;
    };
    for (const Single& one : templates_.singles) {
      const std::uint64_t hash = slots[one.slot];
      put(mix(one.seed, hash), one.index, hash != 0, 1);
    }
    for (const Pair& one : templates_.pairs) {
      const std::uint64_t first = slots[one.first], second = slots[one.second];
      put(mix(mix(one.seed, first), second), one.index, (first != 0) & (second != 0), 1);
    }
    for (const CompiledTemplate& one : templates_.others) {
      const std::uint32_t* uses = uses_ + one.first;
      std::uint64_t key = one.seed;
      bool present = true;
      for (std::uint32_t i = 0; i < one.texts; ++i) {
        present &= slots[uses[i]] != 0;
        key = mix(key, slots[uses[i]]);
      }
      float value = 1;
      present = present && hold(one, uses + one.texts, slots, value);
      put(key, one.index, present, value);
    }
    count_ = count;
    out_.offsets[t + 1] = count;
  }

  void end() {
    out_.keys.resize(count_);
    if (!out_.values.empty()) out_.values.resize(count_);
    if (!out_.templates.empty()) out_.templates.resize(count_);
  }

 private:
  const CompiledList& templates_;
  const std::uint32_t* uses_;
  AttributeList& out_;
  std::size_t count_ = 0;
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
    bound.resize(program->slots.size());
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
  void make_room(std::size_t group, std::size_t tokens) {
    WordCache& cache = caches[group];
    const bool full = cache.words() + tokens > options.cached_words;
    if (cache.words() == 0 || (!full && cache.text_bytes() <= kMaxCachedBytes)) return;
    cache.clear();
    add_boundaries(group);
  }

  void look_up(std::size_t group, const Cells& cells) {
    const std::size_t padding = program->padding, tokens = cells.rows();
    const ColumnAtoms& column = program->columns[group];
    make_room(group, tokens);
    WordCache& cache = caches[group];
    std::vector<std::size_t>& places = rows[group];
    places.resize(tokens + 2 * padding);
    for (std::size_t i = 0; i < padding; ++i) {
      places[i] = i * column.atoms.size();
      places[padding + tokens + i] = (padding + i) * column.atoms.size();
    }
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::string_view word = cells.cell(t, column.column);
      const std::uint64_t hash = hash_text(word);
      std::size_t place = cache.find(hash, word);
      if (place == WordCache::kNone) place = cache.insert(hash, word, ask(column, word));
      places[padding + t] = place;
    }
  }

  std::span<const std::uint64_t> ask(const ColumnAtoms& column, std::string_view word) {
    answers.clear();
    for (const WordAtom& atom : column.atoms) answers.push_back(answer(atom, word, buffers));
    return answers;
  }

  // What depends on the place in the sentence, in rows of its own; outside it all is absent.
  void look_around(std::size_t tokens) {
    const std::size_t width = program->sentence.size(), padding = program->padding;
    if (width == 0) return;
    sentence_numbers.assign(width * (tokens + 2 * padding), 0);
    sentence_rows.resize(tokens + 2 * padding);
    for (std::size_t i = 0; i < sentence_rows.size(); ++i) sentence_rows[i] = i * width;
    for (std::size_t atom = 0; atom < width; ++atom) {
      std::uint64_t* out = sentence_numbers.data() + padding * width + atom;
      const SentenceAtom& question = program->sentence[atom];
      if (question.function == Function::kIn) {
        tag_list(question, tokens, out);
        continue;
      }
      for (std::size_t t = 0; t < tokens; ++t) {
        out[t * width] = of_position(question.function, t, tokens);
      }
    }
  }

  static std::uint64_t of_position(Function function, std::size_t t, std::size_t tokens) {
    if (function == Function::kPosition) return hash_text(position_text(t, tokens));
    return holds_at(function, t, tokens) ? 1 : 0;
  }

  void tag_list(const SentenceAtom& question, std::size_t tokens, std::uint64_t* out) {
    const std::uint64_t* numbers = caches[question.group].numbers() + question.atom;
    const std::size_t* places = rows[question.group].data() + program->padding;
    list_numbers.resize(tokens);
    tags.resize(tokens);
    for (std::size_t t = 0; t < tokens; ++t) {
      list_numbers[t] = static_cast<std::uint32_t>(numbers[places[t]]);
    }
    program->list_of(question).tag(list_numbers, tags);
    for (std::size_t t = 0; t < tokens; ++t) {
      if (tags[t] != 0) out[t * program->sentence.size()] = hash_text({&tags[t], 1});
    }
  }

  void bind_slots() {
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const Slot& slot = program->slots[i];
      const bool of_sentence = slot.group == Slot::kSentence;
      const std::size_t* places = of_sentence ? sentence_rows.data() : rows[slot.group].data();
      const std::uint64_t* numbers =
          of_sentence ? sentence_numbers.data() : caches[slot.group].numbers();
      bound[i] = {places + program->padding + slot.offset, numbers + slot.atom};
    }
  }

  const std::uint64_t* read_slots(std::size_t t) {
    for (std::size_t i = 0; i < bound.size(); ++i) slots[i] = bound[i].numbers[bound[i].rows[t]];
    return slots.data();
  }

  std::shared_ptr<const ExtractionProgram> program;
  ExtractorOptions options;
  std::vector<WordCache> caches;               // by group
  std::vector<std::vector<std::size_t>> rows;  // by group: where each token's numbers are, padded
  std::vector<std::uint64_t> sentence_numbers;
  std::vector<std::size_t> sentence_rows;
  std::vector<BoundSlot> bound;
  std::vector<std::uint64_t> slots;  // of the token at hand
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
  State& state = *state_;
  const ExtractionProgram& program = *state.program;
  require(cells.columns >= program.columns_read || cells.cells.empty(), "the templates read ",
          program.columns_read, " columns, and the sentence has ", cells.columns);
  const std::size_t tokens = cells.rows();
  for (std::size_t group = 0; group < program.columns.size(); ++group) state.look_up(group, cells);
  state.look_around(tokens);
  state.bind_slots();
  Writer states(program.states, program.uses.data(), out.states);
  Writer pairs(program.transitions, program.uses.data(), out.transitions);
  states.begin(tokens, program.has_numbers, origins);
  pairs.begin(tokens, program.has_numbers, origins);
  const auto write = [&]<bool kValues, bool kOrigins>() {
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::uint64_t* slots = state.read_slots(t);
      states.template write<kValues, kOrigins>(t, slots);
      pairs.template write<kValues, kOrigins>(t, slots);
    }
  };
  const bool record = origins == Origins::kRecord;
  if (program.has_numbers) {
    record ? write.operator()<true, true>() : write.operator()<true, false>();
  } else {
    record ? write.operator()<false, true>() : write.operator()<false, false>();
  }
  states.end();
  pairs.end();
}

std::optional<std::string> Extractor::name(std::size_t index, const Cells& cells,
                                           std::size_t row) const {
  return attribute_name(*state_->program, index, cells, row);
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
