// What an algorithm over forests may ask of its weights, and nothing more.
//
// A semiring S is a set of values with
//     plus    associative, commutative, with identity zero();
//     times   associative, with identity one(), distributing over plus on both sides,
//             and annihilated by zero().
// S is a stateless struct of static functions over a plain value type, so that a chart is an
// ordinary array: two semirings may share one chart, and Python may view it without a copy.
// times need not commute; algorithms keep the order of an edge's tails.
//
// The compiler checks the syntax below. tests/semiring/laws_test.cc checks the laws; a semiring
// is not finished until it is listed there.
#pragma once

#include <concepts>
#include <span>

namespace coppice {

template <class S>
concept Semiring = std::regular<typename S::Value> &&
    requires(const typename S::Value& a, const typename S::Value& b) {
  { S::zero() } -> std::same_as<typename S::Value>;
  { S::one() } -> std::same_as<typename S::Value>;
  { S::plus(a, b) } -> std::same_as<typename S::Value>;
  { S::times(a, b) } -> std::same_as<typename S::Value>;
};

// plus(a, b) is always a or b, so a best derivation exists and back-pointers make sense.
template <class S>
concept SelectiveSemiring = Semiring<S> && S::is_selective;

// times(a, b) == times(b, a), which S declares: an outside weight is then one value and not a
// left and a right context.
template <class S>
concept CommutativeSemiring = Semiring<S> && S::is_commutative;

// sum(values) is plus over them all (zero() of none), cheaper or more exact than one by one.
template <class S>
concept SummableSemiring = Semiring<S> && requires(std::span<const typename S::Value> values) {
  { S::sum(values) } -> std::same_as<typename S::Value>;
};

// star(a) = one + a star(a) = one + a + a a + ...; throws InvalidArgument where the sum diverges.
template <class S>
concept ClosedSemiring = Semiring<S> && requires(const typename S::Value& a) {
  { S::star(a) } -> std::same_as<typename S::Value>;
};

// times(quotient(c, a), a) == c wherever c is a multiple of a other than zero().
template <class S>
concept DivisibleSemiring = Semiring<S> && requires(const typename S::Value& a) {
  { S::quotient(a, a) } -> std::same_as<typename S::Value>;
};

}  // namespace coppice
