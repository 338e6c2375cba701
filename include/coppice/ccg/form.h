// Co-indexed categories: a category with a variable for each of its sub-categories.
//
//     ((S{1}\NP{2}){1}/NP{3}){1}
//
// Sub-categories with one variable have one head. The variable of the whole category is the head of
// the item itself. One bare category has many forms: a supertag is a form, not a category.
//
// Text: "{Y}" after an atom or a bracket, or CCGbank's "_12"; names and numbers mean nothing but
// equality, except "_", which is the variable of the whole category. Where none is written, the
// whole category, its result, the result's result and so on have "_", any other part a variable of
// its own. A '*' after the name ("{Y*}"; in CCGbank's manner ":B" or ":U") marks a long-range link:
// dependencies that another item brings to this part are long-range ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/number_lists.h"
#include "coppice/ccg/category.h"

namespace coppice::ccg {

enum class FormId : std::uint32_t {};

inline constexpr std::size_t kMaxVariables = 16;  // in a form

// A variable of a form, with the mark of long-range links in the upper bits.
class PartVariable {
 public:
  PartVariable() = default;
  PartVariable(std::size_t variable, bool is_long_range) noexcept
      : bits_(static_cast<std::uint8_t>(variable | (is_long_range ? kLongRange : 0))) {}

  std::size_t variable() const noexcept { return bits_ & (kLongRange - 1U); }
  bool is_long_range() const noexcept { return (bits_ & kLongRange) != 0; }
  bool operator==(const PartVariable&) const = default;

 private:
  static constexpr std::uint8_t kLongRange = 0x80;
  std::uint8_t bits_ = 0;
};

// An argument whose filler is a dependency of the word.
struct Slot {
  std::uint8_t number = 0;    // 1 is the innermost argument
  std::uint8_t variable = 0;  // of the form

  bool operator==(const Slot&) const = default;
};

// What a word may be: a form, and which of its arguments are dependencies.
struct Supertag {
  CategoryId category{};  // as dependencies name it: without [X]
  FormId form{};
  std::vector<Slot> slots;

  bool operator==(const Supertag&) const = default;
};

class Forms {
 public:
  Categories& categories() noexcept { return categories_; }
  const Categories& categories() const noexcept { return categories_; }

  // `variables`: one a part, any numbers below 128; equal patterns give one form. The variables of
  // a form count from 0 in the order of the parts, so that 0 is the head.
  // Throws InvalidArgument (E271) when there are more than kMaxVariables.
  FormId add(CategoryId category, std::span<const PartVariable> variables);

  CategoryId category(FormId form) const noexcept {
    return entries_[coppice::index(form)].category;
  }
  std::size_t num_variables(FormId form) const noexcept {
    return entries_[coppice::index(form)].num_variables;
  }
  // One a part, in prefix order; valid until the next add().
  std::span<const PartVariable> variables(FormId form) const noexcept {
    return {variables_.data() + entries_[coppice::index(form)].begin,
            categories_.num_parts(category(form))};
  }

  // Throws ParseError (E270, E271).
  FormId parse(std::string_view text);
  // Variables are numbered from 1.
  std::string text(FormId form) const;

  // The slots that section "Dependencies" of docs/ccg.md derives from a form: all arguments, except
  // those inside the X of an argument that makes the category X|X with one head.
  std::vector<Slot> derived_slots(FormId form) const;

  // A supertag from its text. Slots are those written ("<1>"), or the derived ones if none is.
  Supertag parse_supertag(std::string_view text);

  std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    CategoryId category;
    std::uint32_t begin;
    std::uint8_t num_variables;
  };

  Categories categories_;
  NumberLists known_;
  std::vector<Entry> entries_;
  std::vector<PartVariable> variables_;
};

}  // namespace coppice::ccg
