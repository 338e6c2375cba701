// Semirings by name, for command lines and scripting languages: what is chosen while the program
// runs cannot be a template argument.
//
//     name         weight of an edge                value of a node
//     boolean      score > -inf                     is there a derivation (bool)
//     counting     1, or 0 for a score of -inf      their number (BigCount)
//     saturating   the same                         the same, at most 2^64 - 1 (BigCount)
//     real         exp(score)                       sum of p(d); +inf past the range of double
//     log          score                            ln of that sum
//     viterbi      exp(score)                       the largest p(d)
//     max-plus     score                            ln of the largest p(d)
//     tropical     -score                           the least cost, -ln p(d)
//     expectation  (p_e, p_e value_e)               mean of the values' sum over derivations
//     entropy      (p_e, p_e ln p_e)                ln Z - r-bar / Z, in nats
//     top:K        score                            the K best scores (vector, best first, without
//                                                   those that do not exist); K from 1 to 64
//
// expectation and entropy are NaN at a node that derives nothing. In a forest with scores beyond
// some hundreds, prefer entropy() and expectation() of their own headers, which keep more digits.
//
// Cost: that of inside or outside in the semiring, and 40 bytes a node for the answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coppice/base/big_count.h"
#include "coppice/forest/forest.h"

namespace coppice {

using SemiringValue = std::variant<bool, BigCount, double, std::vector<double>>;

class NamedSemiring {
 public:
  // Nothing when there is none of that name.
  static std::optional<NamedSemiring> find(std::string_view name);

  const std::string& name() const noexcept { return name_; }
  // expectation needs values; the others do not look at them.
  bool needs_values() const noexcept;
  // Not top, expectation and entropy: what surrounds a node is no single number there.
  bool has_outside() const noexcept;

  // The inside weight of every node. `values` may be empty unless needs_values(). Throws
  // InvalidArgument when a table has another size than the forest.
  NodeMap<SemiringValue> inside(const Forest& forest, const EdgeMap<double>& scores,
                                const EdgeMap<double>& values = {}) const;
  // The outside weight of every node. Throws InvalidArgument unless has_outside().
  NodeMap<SemiringValue> outside(const Forest& forest, const EdgeMap<double>& scores) const;

 private:
  enum class Kind : unsigned char;
  enum class Direction : unsigned char;
  NamedSemiring(std::string name, Kind kind, std::size_t k);

  template <std::size_t K>
  NodeMap<SemiringValue> top(const Forest& forest, const EdgeMap<double>& scores) const;
  NodeMap<SemiringValue> evaluate(const Forest& forest, const EdgeMap<double>& scores,
                                  Direction direction) const;

  std::string name_;
  Kind kind_;
  std::size_t k_;  // of top:K
};

// All names; the last is "top:K".
std::vector<std::string> semiring_names();

}  // namespace coppice
