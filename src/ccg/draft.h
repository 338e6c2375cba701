// A combination in the making: variables of two forms that become equal, and those of the result.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coppice/ccg/combination.h"

namespace coppice::ccg {

// Variables of the left item, of the right item, of a unary rule.
enum class Side : std::uint8_t { kLeft, kRight, kRule };

class Draft {
 public:
  // The variables of the sides' parts; views that the draft does not own.
  Draft(std::span<const PartVariable> left, std::span<const PartVariable> right,
        std::span<const PartVariable> rule = {});

  // The parts [left_at, left_at + size) of one side are those of the other.
  void match(Side a, std::size_t a_at, Side b, std::size_t b_at, std::size_t size);
  // The next parts of the result are those of a side.
  void append(Side side, std::size_t at, std::size_t size);

  // Sets classes and the result's form. None when the result has too many variables.
  // `added` is on a variable of the rule.
  std::optional<Combination> finish(Forms& forms, Rule rule, CategoryId category,
                                    const UnaryRule* unary = nullptr);

 private:
  std::size_t variable(Side side, std::size_t part) const noexcept;
  PartVariable part(Side side, std::size_t part) const noexcept {
    return sides_[static_cast<std::size_t>(side)][part];
  }
  std::size_t root(std::size_t variable) const noexcept;
  void mark_long_range(Side side, std::size_t part) noexcept;

  std::array<std::span<const PartVariable>, 3> sides_;
  std::array<std::uint8_t, 2 * kMaxVariables + kMaxUnaryVariables> parent_;
  std::vector<PartVariable> result_;  // not yet by roots
  std::array<std::uint16_t, 2> long_range_{};
};

}  // namespace coppice::ccg
