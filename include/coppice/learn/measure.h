// What answers are judged by: losses of counts and of edges.
//
// An answer has d items (labelled spans, say), n of them right, where the gold answer has `gold`:
//
//     precision  P = n / d        recall  R = n / gold        F_beta = (1 + beta^2) n / (d + beta^2
//     gold)
//
// and the loss is 1 minus the measure. Nothing answered is nothing wrong: P = 1 where d = 0; and
// R = 1 where gold = 0. These do not add over the edges of a derivation; n and d do, so the losses
// are exact on a forest split by counts (forest/split.h).
//
// What adds over edges stands in for them (Auli and Lopez 2011): an edge that brings d+ items, n+
// of them right, where c+ gold items could have been brought, costs
//
//     false_positive (d+ - n+) + false_negative max(c+ - n+, 0)
//
// With the costs (1, 0) this is DecP, with (0, 1) DecR, with (1, 1) DecF1.
#pragma once

#include <cstdint>

#include "coppice/forest/forest.h"
#include "coppice/forest/split.h"

namespace coppice::learn {

struct Measure {
  enum class Kind : unsigned char { kPrecision, kRecall, kF };
  Kind kind = Kind::kF;
  double beta = 1;  // of F
};

// In [0, 1] where n <= d and n <= gold.
double loss(const Measure& measure, Counts counts, std::uint32_t gold);

struct ErrorCosts {
  double false_positive = 1;
  double false_negative = 1;
};

inline constexpr ErrorCosts kPrecisionErrors{1, 0};
inline constexpr ErrorCosts kRecallErrors{0, 1};
inline constexpr ErrorCosts kAllErrors{1, 1};

// `counts` are each edge's (n+, d+), `gold` its c+. Throws InvalidArgument unless the tables are of
// one size and the costs finite and not negative.
EdgeMap<double> decomposed_loss(const EdgeMap<Counts>& counts, const EdgeMap<std::uint32_t>& gold,
                                const ErrorCosts& costs);

}  // namespace coppice::learn
