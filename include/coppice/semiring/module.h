// Modules: what can be summed and scaled by a semiring's values, such as a gradient.
//
// A P-module M is a set of values with plus (associative, commutative, identity zero()) and
// scale(p, x), which distributes over plus on both sides, with scale(p q, x) = scale(p, scale(q,
// x)), scale(one, x) = x and scale(zero, x) = zero(). As semirings are, M is a stateless struct of
// static functions over a plain value type.
//
// Here: scalars, dense vectors, sparse vectors, and the bilinear products between them that the
// second-order expectation semiring needs.
//
// A module may also have a Sum, which gathers many scaled values faster than plus would:
// add_scaled(sum, p, x) costs x's nonzeros, whatever the sum holds already.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/number.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

// clang-format off
template <class M, class P>
concept Module = Semiring<P> && std::regular<typename M::Value> &&
    requires(const typename P::Value& p, const typename M::Value& a) {
  { M::zero() } -> std::same_as<typename M::Value>;
  { M::plus(a, a) } -> std::same_as<typename M::Value>;
  { M::scale(p, a) } -> std::same_as<typename M::Value>;
};

// X is what add_scaled takes: M::Value, or a view that stands for one.
template <class M, class P, class X>
concept AccumulatingModule = Module<M, P> &&
    requires(typename M::Sum& sum, const typename P::Value& p, const X& x) {
  M::add_scaled(sum, p, x);
  { M::value(sum) } -> std::same_as<typename M::Value>;
};
// clang-format on

template <Number T = double>
struct ScalarModule {
  using Value = T;
  using Sum = T;

  static Value zero() noexcept { return T(0.0); }
  static Value plus(const Value& a, const Value& b) noexcept { return a + b; }
  static Value scale(const T& p, const Value& a) noexcept { return p * a; }

  static void add_scaled(Sum& sum, const T& p, const Value& x) noexcept { sum = sum + p * x; }
  static Value value(const Sum& sum) noexcept { return sum; }
};

// Vectors of one dimension; the empty vector is the zero of every dimension.
template <Number T = double>
struct DenseModule {
  using Value = std::vector<T>;
  using Sum = Value;

  static Value zero() { return {}; }
  // Throws InvalidArgument when the dimensions differ.
  static Value plus(const Value& a, const Value& b) {
    Value sum = a;
    add_scaled(sum, T(1.0), b);
    return sum;
  }
  static Value scale(const T& p, const Value& a) {
    Value scaled;
    if (p == T(0.0)) return scaled;
    scaled.reserve(a.size());
    for (const T& x : a) scaled.push_back(p * x);
    return scaled;
  }

  static void add_scaled(Sum& sum, const T& p, const Value& x) {
    if (x.empty()) return;
    if (sum.empty()) {
      sum = scale(p, x);
      return;
    }
    require(sum.size() == x.size(), "dense vectors: ", sum.size(), " plus ", x.size(),
            " components");
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] = sum[i] + p * x[i];
  }
  static Value value(Sum sum) { return sum; }
};

// Ids ascending without repetition, and the value of each; ids that are not listed have zero.
template <Number T = double>
struct SparseVector {
  std::vector<std::uint32_t> ids{};
  std::vector<T> values{};

  bool operator==(const SparseVector&) const = default;
};

// scale * (ids, values), not stored: the features of an edge times its probability, say. Ids may
// come in any order and repeat; what repeats is added.
template <Number T = double>
struct ScaledRow {
  T scale;
  std::span<const std::uint32_t> ids;
  std::span<const double> values;
};

template <Number T = double>
struct SparseModule {
  using Value = SparseVector<T>;
  using Sum = std::vector<T>;  // by id; as long as the largest id met asks for

  static Value zero() { return {}; }
  static Value scale(const T& p, Value a) {
    if (p == T(0.0)) return {};
    for (T& x : a.values) x = p * x;
    return a;
  }
  static Value plus(const Value& a, const Value& b) {  // merges
    Value sum;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.ids.size() || j < b.ids.size()) {
      const bool take_a = j == b.ids.size() || (i < a.ids.size() && a.ids[i] <= b.ids[j]);
      const bool take_b = i == a.ids.size() || (j < b.ids.size() && b.ids[j] <= a.ids[i]);
      sum.ids.push_back(take_a ? a.ids[i] : b.ids[j]);
      sum.values.push_back(take_a && take_b ? a.values[i] + b.values[j]
                           : take_a         ? a.values[i]
                                            : b.values[j]);
      i += take_a;
      j += take_b;
    }
    return sum;
  }

  static void add_scaled(Sum& sum, const T& p, const Value& x) {
    for (std::size_t i = 0; i < x.ids.size(); ++i) add_at(sum, x.ids[i], p * x.values[i]);
  }
  static void add_scaled(Sum& sum, const T& p, const ScaledRow<T>& x) {
    const T factor = p * x.scale;
    for (std::size_t i = 0; i < x.ids.size(); ++i) add_at(sum, x.ids[i], factor * T(x.values[i]));
  }
  // Drops what is zero.
  static Value value(const Sum& sum) {
    Value sparse;
    for (std::size_t id = 0; id < sum.size(); ++id) {
      if (sum[id] == T(0.0)) continue;
      sparse.ids.push_back(static_cast<std::uint32_t>(id));
      sparse.values.push_back(sum[id]);
    }
    return sparse;
  }

 private:
  static void add_at(Sum& sum, std::uint32_t id, const T& x) {
    if (id >= sum.size()) sum.resize(std::size_t{id} + 1);
    sum[id] = sum[id] + x;
  }
};

// Bilinear products: scalar by scalar, scalar by vector in either order, and the outer product of
// dense vectors, row by row (the zero vector's is the zero vector).
template <Number T>
T product(const T& a, const T& b) noexcept {
  return a * b;
}
template <Number T>
std::vector<T> product(const T& a, const std::vector<T>& b) {
  return DenseModule<T>::scale(a, b);
}
template <Number T>
std::vector<T> product(const std::vector<T>& a, const T& b) {
  return DenseModule<T>::scale(b, a);
}
template <Number T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> outer;
  outer.reserve(a.size() * b.size());
  for (const T& x : a) {
    for (const T& y : b) outer.push_back(x * y);
  }
  return outer;
}
template <Number T>
SparseVector<T> product(const T& a, const SparseVector<T>& b) {
  return SparseModule<T>::scale(a, b);
}
template <Number T>
SparseVector<T> product(const SparseVector<T>& a, const T& b) {
  return SparseModule<T>::scale(b, a);
}

}  // namespace coppice
