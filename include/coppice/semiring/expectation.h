// Expectation semirings: sums over derivations of p(d) r(d), and of p(d) r(d) s(d), where r and s
// add over a derivation's edges (Eisner 2002; Li & Eisner 2009).
//
// First order, Expectation<P, R>, elements (p, r):
//     plus   (p1 + p2, r1 + r2)                     zero (0, 0)
//     times  (p1 p2, p1 r2 + p2 r1)                 one  (1, 0)
//     star   (p*, p* p* r)
// Edge weights (p_e, p_e r_e) give a forest (Z, sum of p(d) r(d)).
//
// Second order, SecondOrder<P, R, S, T>, elements (p, r, s, t):
//     plus   componentwise                          zero (0, 0, 0, 0)
//     times  (p1 p2, p1 r2 + p2 r1, p1 s2 + p2 s1,  one  (1, 0, 0, 0)
//             p1 t2 + p2 t1 + r1 s2 + r2 s1)
//     star   (p*, p* p* r, p* p* s, p* p* (p* r s + p* r s + t))
// Edge weights (p_e, p_e r_e, p_e s_e, p_e r_e s_e) give a forest (Z, sum of p r, sum of p s, sum
// of p r s). r s is product() of module.h: an outer product where both are vectors.
//
// The lifting trick: the second order is the first order Expectation<K, X> over K = Expectation<P,
// R> and pairs X = S x T, which K scales by (p, r) (s, t) = (p s, p t + r s). That is
// LiftedSecondOrder, and what inside_outside<K, X> uses to keep the vectors out of the charts.
//
// P must commute: with a module scaled from one side only, p2 r1 stands for r1 p2.
// Cost: that of the modules' operations; dense vectors allocate in each.
#pragma once

#include "coppice/semiring/module.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

template <CommutativeSemiring P, Module<P> R>
struct Expectation {
  struct Value {
    typename P::Value p{};
    typename R::Value r{};
    bool operator==(const Value&) const = default;
  };
  static constexpr bool is_selective = false;
  static constexpr bool is_commutative = true;

  static Value zero() { return {P::zero(), R::zero()}; }
  static Value one() { return {P::one(), R::zero()}; }
  static Value plus(const Value& a, const Value& b) {
    return {P::plus(a.p, b.p), R::plus(a.r, b.r)};
  }
  static Value times(const Value& a, const Value& b) {
    return {P::times(a.p, b.p), R::plus(R::scale(a.p, b.r), R::scale(b.p, a.r))};
  }
  // Throws InvalidArgument where P's star does.
  static Value star(const Value& a) requires ClosedSemiring<P> {
    const auto p = P::star(a.p);
    return {p, R::scale(P::times(p, p), a.r)};
  }
};

template <CommutativeSemiring P, Module<P> R, Module<P> S, Module<P> T>
struct SecondOrder {
  struct Value {
    typename P::Value p{};
    typename R::Value r{};
    typename S::Value s{};
    typename T::Value t{};
    bool operator==(const Value&) const = default;
  };
  static constexpr bool is_selective = false;
  static constexpr bool is_commutative = true;

  static Value zero() { return {P::zero(), R::zero(), S::zero(), T::zero()}; }
  static Value one() { return {P::one(), R::zero(), S::zero(), T::zero()}; }
  static Value plus(const Value& a, const Value& b) {
    return {P::plus(a.p, b.p), R::plus(a.r, b.r), S::plus(a.s, b.s), T::plus(a.t, b.t)};
  }
  static Value times(const Value& a, const Value& b) {
    return {P::times(a.p, b.p), R::plus(R::scale(a.p, b.r), R::scale(b.p, a.r)),
            S::plus(S::scale(a.p, b.s), S::scale(b.p, a.s)),
            T::plus(T::plus(T::scale(a.p, b.t), T::scale(b.p, a.t)),
                    T::plus(product(a.r, b.s), product(b.r, a.s)))};
  }
  static Value star(const Value& a) requires ClosedSemiring<P> {
    const auto p = P::star(a.p);
    const auto squared = P::times(p, p);
    const auto rs = T::scale(p, product(a.r, a.s));
    return {p, R::scale(squared, a.r), S::scale(squared, a.s),
            T::scale(squared, T::plus(T::plus(rs, rs), a.t))};
  }
};

// X = S x T as a module over Expectation<P, R>.
template <CommutativeSemiring P, Module<P> R, Module<P> S, Module<P> T>
struct LiftedModule {
  using Scalar = typename Expectation<P, R>::Value;
  struct Value {
    typename S::Value s{};
    typename T::Value t{};
    bool operator==(const Value&) const = default;
  };

  static Value zero() { return {S::zero(), T::zero()}; }
  static Value plus(const Value& a, const Value& b) {
    return {S::plus(a.s, b.s), T::plus(a.t, b.t)};
  }
  static Value scale(const Scalar& k, const Value& x) {
    return {S::scale(k.p, x.s), T::plus(T::scale(k.p, x.t), product(k.r, x.s))};
  }

  struct Sum {
    typename S::Sum s{};
    typename T::Sum t{};
  };
  // x: anything with members s and t that S and T can add. Where R is a scalar, r s is one more
  // scaled sum; else product(r, s) is formed.
  template <class X>
  static void add_scaled(Sum& sum, const Scalar& k, const X& x) {
    S::add_scaled(sum.s, k.p, x.s);
    T::add_scaled(sum.t, k.p, x.t);
    if constexpr (requires { T::add_scaled(sum.t, k.r, x.s); }) {
      T::add_scaled(sum.t, k.r, x.s);
    } else {
      T::add_scaled(sum.t, P::one(), product(k.r, x.s));
    }
  }
  static Value value(const Sum& sum) { return {S::value(sum.s), T::value(sum.t)}; }
};

template <CommutativeSemiring P, Module<P> R, Module<P> S, Module<P> T>
using LiftedSecondOrder = Expectation<Expectation<P, R>, LiftedModule<P, R, S, T>>;

}  // namespace coppice
