#include "coppice/ccg/form.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "ccg/category_parser.h"
#include "ccg/form_parser.h"
#include "coppice/base/assert.h"
#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

[[noreturn]] void refuse_variables() {
  throw InvalidArgument(concat("a category of more than ", kMaxVariables, " variables"),
                        {.code = "E271"});
}

}  // namespace

FormId Forms::add(CategoryId category, std::span<const PartVariable> variables) {
  COPPICE_ASSERT(variables.size() == categories_.num_parts(category));
  constexpr std::uint8_t kUnseen = 0xff;
  std::array<std::uint8_t, 128> number;
  number.fill(kUnseen);
  std::uint8_t count = 0;
  std::array<std::uint32_t, kMaxParts + 1> key;
  key[0] = static_cast<std::uint32_t>(category);
  for (std::size_t part = 0; part < variables.size(); ++part) {
    std::uint8_t& renamed = number[variables[part].variable()];
    if (renamed == kUnseen) renamed = count++;
    key[part + 1] = renamed | (variables[part].is_long_range() ? 0x80U : 0U);
  }
  if (count > kMaxVariables) refuse_variables();
  const FormId form{known_.add(std::span(key).first(variables.size() + 1))};
  if (coppice::index(form) < entries_.size()) return form;
  require(variables_.size() + variables.size() <= kMaxIds, "forms: too many");
  entries_.push_back({category, static_cast<std::uint32_t>(variables_.size()), count});
  for (const PartVariable variable : variables)
    variables_.emplace_back(number[variable.variable()], variable.is_long_range());
  return form;
}

ParsedForm parse_form(Categories& categories, std::string_view text, VariableNames& names) {
  ParsedForm parsed{.parts = parse_parts(categories, text), .variables = {}};
  std::size_t spine = 0;  // the part that has the head unless it says otherwise
  std::string_view head = parsed.parts.front().variable;
  if (head.empty()) head = kOwnVariable;
  for (std::size_t part = 0; part < parsed.parts.size(); ++part) {
    const bool is_spine = part == spine;
    const ParsedPart& read = parsed.parts[part];
    if (is_spine && !categories.is_atom(read.category)) ++spine;
    std::string_view name = read.variable;
    if (name == kOwnVariable || (name.empty() && is_spine)) name = head;
    if (name.empty() && names.count == kMaxNames) refuse_variables();
    const std::size_t variable = name.empty() ? names.count++ : names.number_of(name);
    parsed.variables.emplace_back(variable, read.is_long_range);
  }
  return parsed;
}

std::size_t VariableNames::number_of(std::string_view name) {
  const auto [found, is_new] = numbers.try_emplace(std::string(name), count);
  if (is_new && ++count > kMaxNames) refuse_variables();
  return found->second;
}

FormId Forms::parse(std::string_view text) { return parse_supertag(text).form; }

Supertag Forms::parse_supertag(std::string_view text) {
  VariableNames names;
  try {
    const ParsedForm parsed = parse_form(categories_, text, names);
    Supertag tag;
    tag.form = add(parsed.parts.front().category, parsed.variables);
    tag.category = categories_.plain(category(tag.form));
    for (std::size_t part = 0; part < parsed.parts.size(); ++part)
      if (parsed.parts[part].slot != 0)
        tag.slots.push_back({parsed.parts[part].slot,
                             static_cast<std::uint8_t>(variables(tag.form)[part].variable())});
    if (tag.slots.empty()) tag.slots = derived_slots(tag.form);
    std::ranges::sort(tag.slots, {}, &Slot::number);
    return tag;
  } catch (const InvalidArgument& error) {
    throw ParseError(error.what(), {.code = error.code()});
  }
}

std::vector<Slot> Forms::derived_slots(FormId form) const {
  const std::span<const PartVariable> all = variables(form);
  std::vector<Slot> slots;
  CategoryId layer = category(form);
  std::size_t number = categories_.num_arguments(layer);
  for (std::size_t at = 0; !categories_.is_atom(layer); ++at, --number) {
    const CategoryId result = categories_.result(layer);
    const std::size_t argument_at = at + 1 + categories_.num_parts(result);
    const std::size_t variable = all[argument_at].variable();
    slots.push_back({static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(variable)});
    // A modifier: what its X needs is what the modified item needs.
    if (categories_.argument(layer) == result && all[at + 1].variable() == variable) break;
    layer = result;
  }
  std::ranges::reverse(slots);
  return slots;
}

std::string Forms::text(FormId form) const {
  // What is left to be written: a part, or a character.
  struct Rest {
    CategoryId category;
    std::size_t part;
    char character;
  };
  const std::span<const PartVariable> all = variables(form);
  std::string out;
  const auto write_variable = [&](std::size_t part) {
    out += '{' + std::to_string(all[part].variable() + 1);
    out += all[part].is_long_range() ? "*}" : "}";
  };
  std::vector<Rest> rest = {{category(form), 0, 0}};
  while (!rest.empty()) {
    const Rest next = rest.back();
    rest.pop_back();
    if (next.character != 0) {
      out += next.character;
      if (next.character == ')') write_variable(next.part);
    } else if (categories_.is_atom(next.category)) {
      out += categories_.text(next.category);
      write_variable(next.part);
    } else {
      const CategoryId result = categories_.result(next.category);
      const bool is_forward = categories_.slash(next.category) == Slash::kForward;
      out += '(';
      rest.push_back({next.category, next.part, ')'});
      rest.push_back(
          {categories_.argument(next.category), next.part + 1 + categories_.num_parts(result), 0});
      rest.push_back({next.category, next.part, is_forward ? '/' : '\\'});
      rest.push_back({result, next.part + 1, 0});
    }
  }
  return out;
}

}  // namespace coppice::ccg
