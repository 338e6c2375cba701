#include "ccg/draft.h"

#include <numeric>

namespace coppice::ccg {

namespace {

constexpr std::uint8_t kNoClass = 0xff;

}  // namespace

Draft::Draft(std::span<const PartVariable> left, std::span<const PartVariable> right,
             std::span<const PartVariable> rule)
    : sides_{left, right, rule} {
  std::iota(parent_.begin(), parent_.end(), std::uint8_t{0});
}

std::size_t Draft::variable(Side side, std::size_t part_at) const noexcept {
  return static_cast<std::size_t>(side) * kMaxVariables + part(side, part_at).variable();
}

std::size_t Draft::root(std::size_t variable) const noexcept {
  while (parent_[variable] != variable) variable = parent_[variable];
  return variable;
}

void Draft::mark_long_range(Side side, std::size_t part_at) noexcept {
  if (side == Side::kRule) return;
  long_range_[static_cast<std::size_t>(side)] |=
      static_cast<std::uint16_t>(1U << part(side, part_at).variable());
}

void Draft::match(Side a, std::size_t a_at, Side b, std::size_t b_at, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t first = root(variable(a, a_at + i));
    const std::size_t second = root(variable(b, b_at + i));
    if (first != second) parent_[second] = static_cast<std::uint8_t>(first);
    if (part(a, a_at + i).is_long_range()) mark_long_range(b, b_at + i);
    if (part(b, b_at + i).is_long_range()) mark_long_range(a, a_at + i);
  }
}

void Draft::append(Side side, std::size_t at, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    result_.emplace_back(variable(side, at + i), part(side, at + i).is_long_range());
}

std::optional<Combination> Draft::finish(Forms& forms, Rule rule, CategoryId category,
                                         const UnaryRule* unary) {
  std::array<std::uint8_t, 2 * kMaxVariables + kMaxUnaryVariables> class_of;
  class_of.fill(kNoClass);
  Combination made{.rule = rule};
  const auto classify = [&](std::size_t variable) {
    std::uint8_t& number = class_of[root(variable)];
    if (number == kNoClass) number = made.num_classes++;
    return number;
  };
  for (PartVariable& each : result_) each = {root(each.variable()), each.is_long_range()};
  for (const PartVariable each : result_) classify(each.variable());
  if (made.num_classes > kMaxVariables) return std::nullopt;
  for (std::size_t at = 0; at < sides_[0].size(); ++at)
    made.left[part(Side::kLeft, at).variable()] = classify(variable(Side::kLeft, at));
  for (std::size_t at = 0; at < sides_[1].size(); ++at)
    made.right[part(Side::kRight, at).variable()] = classify(variable(Side::kRight, at));
  if (unary != nullptr) {
    made.number = unary->number;
    made.added = unary->added;
    if (made.added.number != 0)
      made.added.variable = classify(2 * kMaxVariables + unary->added.variable);
  }
  made.left_long_range = long_range_[0];
  made.right_long_range = long_range_[1];
  made.result = forms.add(category, result_);
  return made;
}

}  // namespace coppice::ccg
