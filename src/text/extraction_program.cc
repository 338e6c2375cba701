#include "text/extraction_program.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "coppice/base/error.h"
#include "text/attribute_hash.h"
#include "text/char_class.h"
#include "text/shape.h"
#include "text/template_lexis.h"
#include "text/utf8.h"

namespace coppice::text {

namespace {

std::optional<std::string_view> exactly(std::string_view affix, std::uint32_t length) {
  if (count_code_points(affix) < length) return std::nullopt;
  return affix;
}

// Writes to `out`, which must not be where `text` is, or returns a part of `text`.
std::optional<std::string_view> apply_step(const CompiledStep& step, std::string_view text,
                                           std::string& out) {
  switch (step.function) {
    case Function::kLower:
      lowercase(text, out);
      return out;
    case Function::kPrefix:
      return exactly(first_code_points(text, step.number), step.number);
    case Function::kSuffix:
      return exactly(last_code_points(text, step.number), step.number);
    case Function::kShape:
      word_shape(text, out);
      return out;
    case Function::kCollapsed:
      collapsed_shape(text, out);
      return out;
    case Function::kClass:
      word_class(text, out);
      return out;
    case Function::kLength:
      return length_class(text);
    case Function::kTest:
      return step.regex->matches(text) ? "true" : "false";
    case Function::kFind:
      return step.regex->find(text).value_or(text.substr(0, 0));
    case Function::kCluster: {
      const std::optional<std::string_view> found = step.classes->find(text);
      return found && step.number != 0 ? found->substr(0, step.number) : found;
    }
    default:
      return std::nullopt;
  }
}

// A missing value ("", "_") is 0, which is absent.
double number_in(std::string_view cell) {
  if (cell.empty() || cell == "_") return 0;
  double value = 0;
  const char *first = cell.data(), *last = first + cell.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) {
    throw ParseError(
        concat("expected a number, found \"", cell, "\""),
        {.code = "E200", .help = "value() reads columns of finite numbers; _ is none"});
  }
  return value;
}

}  // namespace

std::optional<std::string_view> apply(const std::vector<CompiledStep>& steps, std::string_view word,
                                      TextBuffers& buffers) {
  std::optional<std::string_view> text = word;
  std::string *out = &buffers.first, *other = &buffers.second;
  for (const CompiledStep& step : steps) {
    text = apply_step(step, *text, *out);
    if (!text) return text;
    std::swap(out, other);
  }
  return text;
}

std::uint64_t answer(const WordAtom& atom, std::string_view word, TextBuffers& buffers) {
  if (atom.answer == WordAtom::Answer::kNumber) {
    const double value = number_in(word);
    return value == 0 ? 0 : std::bit_cast<std::uint64_t>(value);
  }
  const std::optional<std::string_view> text = apply(atom.steps, word, buffers);
  if (!text) return 0;
  switch (atom.answer) {
    case WordAtom::Answer::kYes:
      return atom.match->matches(*text) ? 1 : 0;
    case WordAtom::Answer::kListNumber:
      return atom.list->number(*text);
    default:
      return hash_text(*text);
  }
}

ExtractionProgram::ExtractionProgram(const TemplateSet& source, const ResourceTexts& resources)
    : set(source) {
  load(resources);
  for (std::size_t index = 0; index < set.templates.size(); ++index) compile(index);
  part_words();
}

void ExtractionProgram::load(const ResourceTexts& resources) {
  for (const Resource& resource : set.resources) {
    const auto text = resources.find(resource.name);
    require(text != resources.end(), "no content is given for ", quoted_name(resource.name), " (",
            resource.path, ")");
    if (resource.kind == Resource::Kind::kList) {
      lists_[resource.name] = std::make_unique<Gazetteer>(text->second);
    } else {
      classes_[resource.name] = std::make_unique<WordClasses>(text->second, resource.path);
    }
  }
}

void ExtractionProgram::compile(std::size_t index) {
  const Template& one = set.templates[index];
  require(!one.terms.empty(), "template ", index, " has no terms");
  std::string prefix = one.scope == Scope::kTransition ? "transition: " : "";
  prefix += one.bag.empty() ? to_text({.terms = one.terms}, set) : quoted_bag(one.bag);
  CompiledTemplate compiled{.seed = hash_text(prefix, kTemplateSeed),
                            .index = static_cast<std::uint32_t>(index),
                            .first = static_cast<std::uint32_t>(uses.size())};
  const auto use = [&](auto&& wanted, std::uint32_t& count) {
    for (const Term& term : one.terms) {
      if (!wanted(yield(term))) continue;
      uses.push_back(slot_of(term));
      ++count;
    }
  };
  use([](Yield y) { return y == Yield::kText || y == Yield::kTextOrAbsent; }, compiled.texts);
  use([](Yield y) { return y == Yield::kYes; }, compiled.conditions);
  use([](Yield y) { return y == Yield::kNumber; }, compiled.numbers);
  has_numbers = has_numbers || compiled.numbers != 0;
  templates.push_back(compiled);
  file(compiled, one.scope == Scope::kState ? states : transitions);
  prefixes.push_back(std::move(prefix));
}

void ExtractionProgram::file(const CompiledTemplate& one, CompiledList& list) const {
  const std::uint32_t* slots_used = uses.data() + one.first;
  if (one.conditions + one.numbers == 0 && one.texts == 1) {
    list.singles.push_back({one.seed, one.index, slots_used[0]});
  } else if (one.conditions + one.numbers == 0 && one.texts == 2) {
    list.pairs.push_back({one.seed, one.index, slots_used[0], slots_used[1]});
  } else {
    list.others.push_back(one);
  }
}

// Words' templates first; then templates of several texts that phrases hold; `joint` is left.
void ExtractionProgram::part_words() {
  for (const Single& one : states.singles) {
    const Slot& slot = slots[one.slot];
    if (slot.group == Slot::kSentence) {
      joint.singles.push_back(one);
    } else {
      word_place_of(slot).templates.push_back({one.seed, slot.atom});
    }
  }
  std::vector<CompiledTemplate> several;
  for (const CompiledTemplate& one : templates) {
    const bool is_single = one.texts == 1 && one.conditions + one.numbers == 0;
    if (set.templates[one.index].scope == Scope::kState && !is_single) several.push_back(one);
  }
  part_phrases(std::move(several));
  find_joint_slots();
}

std::vector<std::uint32_t> ExtractionProgram::texts_of(const CompiledTemplate& one) const {
  std::vector<std::uint32_t> texts(uses.begin() + one.first, uses.begin() + one.first + one.texts);
  std::sort(texts.begin(), texts.end());
  return texts;
}

// The longest templates take all others that they hold and that none before them has taken.
void ExtractionProgram::part_phrases(std::vector<CompiledTemplate> candidates) {
  constexpr std::uint32_t least_texts = 3;
  std::vector<const CompiledTemplate*> longest;
  for (const CompiledTemplate& one : candidates) {
    if (one.texts >= least_texts && one.conditions + one.numbers == 0) longest.push_back(&one);
  }
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto* a, const auto* b) { return a->texts > b->texts; });
  std::vector<bool> is_taken(candidates.size(), false);
  for (const CompiledTemplate* one : longest) {
    const std::vector<std::uint32_t> texts = texts_of(*one);
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::vector<std::uint32_t> own = texts_of(candidates[i]);
      const bool fits = candidates[i].conditions + candidates[i].numbers == 0 && !is_taken[i] &&
                        std::includes(texts.begin(), texts.end(), own.begin(), own.end());
      if (fits) held.push_back(i);
    }
    if (held.size() < 2) continue;
    PhrasePlace& place =
        phrase_places.emplace_back(PhrasePlace{mix(kPhraseSeed, phrase_places.size()), texts, {}});
    for (const std::size_t i : held) {
      is_taken[i] = true;
      file(candidates[i], place.templates);
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!is_taken[i]) file(candidates[i], joint);
  }
}

void ExtractionProgram::find_joint_slots() {
  std::vector<bool> used(slots.size(), false);
  for (const PhrasePlace& place : phrase_places) {
    for (const std::uint32_t slot : place.slots) used[slot] = true;
  }
  for (const CompiledList* list : {&joint, &transitions}) {
    for (const Single& one : list->singles) used[one.slot] = true;
    for (const Pair& one : list->pairs) used[one.first] = used[one.second] = true;
    for (const CompiledTemplate& one : list->others) {
      const std::uint32_t count = one.texts + one.conditions + one.numbers;
      for (std::uint32_t i = one.first; i < one.first + count; ++i) used[uses[i]] = true;
    }
  }
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    if (used[slot]) joint_slots.push_back(slot);
  }
}

WordPlace& ExtractionProgram::word_place_of(const Slot& slot) {
  for (WordPlace& place : word_places) {
    if (place.group == slot.group && place.offset == slot.offset) return place;
  }
  return word_places.emplace_back(WordPlace{.group = slot.group, .offset = slot.offset});
}

std::uint32_t ExtractionProgram::slot_of(const Term& term) {
  const auto [place, is_new] = slot_by_text_.emplace(to_text(term, set), slots.size());
  if (!is_new) return place->second;
  require(std::abs(term.offset) <= kMaxOffset, "an offset of ", term.offset);
  padding = std::max(padding, static_cast<std::size_t>(std::abs(term.offset)));
  const bool of_sentence = !term.steps.empty() && (info(term.steps.back().function).of_position ||
                                                   term.steps.back().function == Function::kIn);
  Slot slot{.group = Slot::kSentence, .atom = 0, .offset = term.offset};
  if (of_sentence) {
    slot.atom = sentence_atom_of(term);
  } else {
    slot.group = group_of(term.column);
    slot.atom = atom_of(slot.group, term);
  }
  slots.push_back(slot);
  return place->second;
}

std::size_t ExtractionProgram::group_of(std::size_t column) {
  columns_read = std::max(columns_read, column + 1);
  for (std::size_t group = 0; group < columns.size(); ++group) {
    if (columns[group].column == column) return group;
  }
  columns.push_back({.column = column});
  return columns.size() - 1;
}

std::size_t ExtractionProgram::atom_of(std::size_t group, const Term& term) {
  const Term here{.column = term.column, .offset = 0, .steps = term.steps};
  std::vector<WordAtom>& atoms = columns[group].atoms;
  const auto [place, is_new] = atom_by_text_.emplace(to_text(here, set), atoms.size());
  if (is_new) atoms.push_back(compile_atom(term));
  return place->second;
}

std::size_t ExtractionProgram::sentence_atom_of(const Term& term) {
  const Term here{.column = term.column, .offset = 0, .steps = term.steps};
  const auto [place, is_new] = sentence_atom_by_text_.emplace(to_text(here, set), sentence.size());
  if (!is_new) return place->second;
  SentenceAtom atom{.function = term.steps.back().function};
  if (atom.function == Function::kIn) {
    atom.group = group_of(term.column);
    atom.atom = atom_of(atom.group, term);
  }
  sentence.push_back(atom);
  return place->second;
}

WordAtom ExtractionProgram::compile_atom(const Term& term) const {
  WordAtom atom{.yield = yield(term)};
  std::size_t steps = term.steps.size();
  if (steps > 0) {
    const Step& last = term.steps.back();
    if (last.function == Function::kMatch) {
      atom.answer = WordAtom::Answer::kYes;
      atom.match = std::make_shared<const Regex>(last.argument, last.letter_case);
    } else if (last.function == Function::kValue) {
      atom.answer = WordAtom::Answer::kNumber;
    } else if (last.function == Function::kIn) {
      atom.answer = WordAtom::Answer::kListNumber;
      const auto list = lists_.find(last.argument);
      require(list != lists_.end(), "unknown list ", quoted_name(last.argument));
      atom.list = list->second.get();
    }
    if (atom.answer != WordAtom::Answer::kHash) --steps;
  }
  for (std::size_t i = 0; i < steps; ++i) atom.steps.push_back(compile_step(term.steps[i]));
  return atom;
}

CompiledStep ExtractionProgram::compile_step(const Step& step) const {
  require(!info(step.function).outermost, info(step.function).name, " inside another function");
  CompiledStep compiled{.function = step.function, .number = step.number};
  if (info(step.function).argument == Argument::kRegex) {
    compiled.regex = std::make_shared<const Regex>(step.argument, step.letter_case);
  }
  if (step.function == Function::kCluster) {
    const auto classes = classes_.find(step.argument);
    require(classes != classes_.end(), "unknown classes ", quoted_name(step.argument));
    compiled.classes = classes->second.get();
  }
  return compiled;
}

}  // namespace coppice::text
