// Several semirings in one sweep: values are tuples, every operation works component by component.
//
//     inside<Product<LogSemiring, CountingSemiring>>   total weight and number of derivations
//
// A product is not selective even where its parts are: the best of one component need not be the
// best of another. It has a star where every part has one.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "coppice/semiring/semiring.h"

namespace coppice {

template <Semiring... S>
struct Product {
  using Value = std::tuple<typename S::Value...>;
  static constexpr bool is_selective = false;
  static constexpr bool is_commutative = (CommutativeSemiring<S> && ...);

  static Value zero() { return Value(S::zero()...); }
  static Value one() { return Value(S::one()...); }
  static Value plus(const Value& a, const Value& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Value(S::plus(std::get<I>(a), std::get<I>(b))...);
    }
    (std::index_sequence_for<S...>());
  }
  static Value times(const Value& a, const Value& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Value(S::times(std::get<I>(a), std::get<I>(b))...);
    }
    (std::index_sequence_for<S...>());
  }
  static Value star(const Value& a) requires(ClosedSemiring<S>&&...) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Value(S::star(std::get<I>(a))...);
    }
    (std::index_sequence_for<S...>());
  }
};

}  // namespace coppice
