// What stands left of a token, seen from one of its labels: for explanations of chains whose pair
// scores differ from token to token.
#pragma once

#include <vector>

#include "coppice/tag/explanation.h"
#include "tag/context_split.h"

namespace coppice::tag {

struct Explainer::LeftSide {
  std::uint16_t label = 0;
  double sign = 1;         // -1 for the other label, whose amounts are taken off
  bool has_label = false;  // whether there is a label before
  // By what trees see of the labels before (at order 1, states of EdgeShape): how probable it is,
  // given the label.
  std::vector<double> q;
  double transition = 0;  // the mean of the plain pairs' scores
  ContextSplit split{};   // of the pairs' scores, where there is a label before
};

}  // namespace coppice::tag
