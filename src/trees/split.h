// The best question to ask at a node, given the sums of its bins.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "trees/histogram.h"

namespace coppice::trees {

struct Question {
  std::uint32_t feature = kLeaf;  // kLeaf: none
  std::uint32_t split = 0;        // ordered: the last bin that goes left
  std::vector<std::uint64_t> set{};
  bool default_right = false;
  double worth = 0;  // of both sides
  Sums right{};

  bool has_set() const noexcept { return !set.empty(); }
};

class SplitFinder {
 public:
  struct Rules {
    Criterion criterion;
    double gradient_unit = 1;
    double curvature_unit = 1;
    double min_curvature = 0;
    std::vector<unsigned char> features{};  // which may be asked for; empty: all
  };
  SplitFinder(const Schema& schema, const States& states, Rules rules)
      : schema_(schema), states_(states), rules_(std::move(rules)) {
    ask_below(0);
  }

  // What follows is of a node that so many questions lead to; 0 before the first call.
  void ask_below(std::size_t questions) noexcept {
    of_node_ = rules_.criterion.at(questions);
    of_sides_ = rules_.criterion.at(questions + 1);
  }

  double worth(const Sums& sums) const noexcept { return worth(of_node_, sums); }
  double worth_as_side(const Sums& sums) const noexcept { return worth(of_sides_, sums); }

  // The best question of all, if its worth exceeds that of the node. `state_sums` are by state,
  // for the states of the node.
  Question best(std::span<const BinSums> bins, const Sums& total,
                std::span<const std::uint16_t> states, std::span<const Sums> state_sums,
                const Threads& threads) const;

  // The best question of one feature, whose bins are given; the rest of `total` lacks the value.
  Question of_feature(std::uint32_t feature, std::span<const BinSums> bins,
                      const Sums& total) const;

 private:
  struct Piece {  // a value that goes one way as a whole
    std::uint32_t member;
    Sums sums;
  };
  struct Cut {  // pieces [0, count) go left
    std::size_t count = 0;
    bool default_right = false;
    double worth = -1;
    Sums right;
  };
  double worth(const Criterion& criterion, const Sums& sums) const noexcept {
    return criterion(static_cast<double>(sums.gradient) * rules_.gradient_unit,
                     static_cast<double>(sums.curvature) * rules_.curvature_unit);
  }
  bool allows(std::uint32_t feature) const noexcept {
    return rules_.features.empty() || rules_.features[feature] != 0;
  }
  double worth_of_sides(const Sums& left, const Sums& right) const noexcept;
  Cut best_cut(std::span<const Piece> pieces, const Sums& missing) const;
  Question of_set(std::vector<Piece> pieces, std::size_t members, const Sums& total) const;
  Question of_states(std::span<const std::uint16_t> states, std::span<const Sums> state_sums,
                     std::size_t factor, const Sums& total) const;
  Question best_binary(std::span<const BinSums> bins, const Sums& total) const;

  const Schema& schema_;
  const States& states_;
  Rules rules_;
  Criterion of_node_, of_sides_;
};

}  // namespace coppice::trees
