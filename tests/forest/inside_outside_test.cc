// inside_outside agrees with inside in the expectation semirings, and both with enumeration.
#include "coppice/forest/inside_outside.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/signed_log.h"
#include "coppice/base/wide_float.h"
#include "coppice/semiring/expectation.h"
#include "coppice/semiring/real.h"
#include "support/distribution.h"
#include "support/shapes.h"

namespace coppice {
namespace {

using testing::EdgeList;

constexpr std::uint32_t kFeatures = 5;

// Two features an edge, the second sometimes the first again.
struct Rows {
  explicit Rows(const testing::Example& example, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t e = 0; e < example.forest.num_edges(); ++e) {
      ids.push_back({static_cast<std::uint32_t>(random.below(kFeatures)),
                     static_cast<std::uint32_t>(random.below(kFeatures))});
      values.push_back({random.uniform(), 2 * random.uniform() - 1});
    }
  }
  std::vector<std::array<std::uint32_t, 2>> ids;
  std::vector<std::array<double, 2>> values;

  std::vector<double> dense(EdgeId edge) const {
    std::vector<double> row(kFeatures, 0.0);
    for (int i = 0; i < 2; ++i) row[ids[index(edge)][i]] += values[index(edge)][i];
    return row;
  }
  template <class T>
  ScaledRow<T> scaled(const T& factor, EdgeId edge) const {
    return {factor, ids[index(edge)], values[index(edge)]};
  }
};

template <class T>
struct ScaledRows {  // (p_e phi_e, p_e r_e phi_e), as the paper's gradient of an expectation needs
  const Rows& rows;
  const EdgeMap<T>& p;
  const EdgeMap<double>& r;

  struct Lifted {
    ScaledRow<T> s, t;
  };
  std::size_t size() const { return p.size(); }
  Lifted operator[](EdgeId edge) const {
    return {rows.scaled(p[edge], edge), rows.scaled(p[edge] * T(r[edge]), edge)};
  }
};

template <class T>
EdgeMap<T> weights_of(const EdgeMap<double>& scores) {
  EdgeMap<T> weights;
  for (double score : scores.values()) weights.push_back(from_log<T>(score));
  return weights;
}

template <class T>
std::vector<double> spread(const SparseVector<T>& sparse) {
  std::vector<double> dense(kFeatures, 0.0);
  for (std::size_t i = 0; i < sparse.ids.size(); ++i) {
    dense[sparse.ids[i]] = static_cast<double>(sparse.values[i]);
  }
  return dense;
}

void expect_near(std::vector<double> found, const std::vector<double>& expected, double scale) {
  found.resize(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-9 * scale);
  }
}

// Order 1: (Z, sum of p(d) phi(d)), in sparse and in dense vectors.
template <class T>
void expect_first_order_agreement(const testing::Example& example, const Rows& rows) {
  using Real = RealSemiring<T>;
  const auto weights = weights_of<T>(example.scores);
  EdgeMap<SparseVector<T>> xs;
  for (EdgeId edge : example.forest.edges()) {
    std::vector<T> sum;
    SparseModule<T>::add_scaled(sum, T(1.0), rows.scaled(weights[edge], edge));
    xs.push_back(SparseModule<T>::value(sum));
  }
  const auto fast = inside_outside<Real, SparseModule<T>>(example.forest, weights, xs);
  using E = Expectation<Real, SparseModule<T>>;
  EdgeMap<typename E::Value> pairs;
  for (EdgeId edge : example.forest.edges()) pairs.push_back({weights[edge], xs[edge]});
  const auto direct = inside<E>(example.forest, pairs)[example.forest.root()];
  const double z = std::exp(example.listed.log_partition);
  ASSERT_NEAR(static_cast<double>(fast.total), z, 1e-9 * z);
  ASSERT_NEAR(static_cast<double>(direct.p), z, 1e-9 * z);
  std::vector<double> expected(kFeatures, 0.0);
  for (std::uint32_t i = 0; i < kFeatures; ++i) {
    expected[i] = z * example.listed.expected([&](const EdgeList& d) {
      double sum = 0;
      for (EdgeId edge : d) sum += rows.dense(edge)[i];
      return sum;
    });
  }
  expect_near(spread(fast.gathered), expected, z);
  expect_near(spread(direct.r), expected, z);
}

TEST(InsideOutside, AgreesWithTheFirstOrderSemiringAndEnumeration) {
  testing::for_each_example([](const testing::Example& example) {
    const Rows rows(example, 3);
    expect_first_order_agreement<double>(example, rows);
    expect_first_order_agreement<WideFloat>(example, rows);
    expect_first_order_agreement<SignedLog>(example, rows);
  });
}

// Order 2: t = sum of p(d) r(d) phi(d), by inside_outside over sparse rows and by the direct
// semiring over dense vectors.
template <class T>
void expect_second_order_agreement(const testing::Example& example, const Rows& rows) {
  using Real = RealSemiring<T>;
  using Scalar = ScalarModule<T>;
  using K = Expectation<Real, Scalar>;
  using X = LiftedModule<Real, Scalar, SparseModule<T>, SparseModule<T>>;
  using Direct = SecondOrder<Real, Scalar, DenseModule<T>, DenseModule<T>>;
  const auto weights = weights_of<T>(example.scores);
  EdgeMap<typename K::Value> ks;
  EdgeMap<typename Direct::Value> quads;
  for (EdgeId edge : example.forest.edges()) {
    const T p = weights[edge], pr = p * T(example.values[edge]);
    std::vector<T> row;
    for (double value : rows.dense(edge)) row.push_back(T(value));
    ks.push_back({p, pr});
    quads.push_back({p, pr, product(p, row), product(pr, row)});
  }
  const auto fast =
      inside_outside<K, X>(example.forest, ks, ScaledRows<T>{rows, weights, example.values});
  const auto direct = inside<Direct>(example.forest, quads)[example.forest.root()];
  const double z = std::exp(example.listed.log_partition);
  std::vector<double> expected(kFeatures, 0.0), dense_s, dense_t;
  for (std::uint32_t i = 0; i < kFeatures; ++i) {
    expected[i] = z * example.listed.expected([&](const EdgeList& d) {
      double sum = 0;
      for (EdgeId edge : d) sum += rows.dense(edge)[i];
      return sum * testing::total(d, example.values);
    });
  }
  for (const T& x : direct.s) dense_s.push_back(static_cast<double>(x));
  for (const T& x : direct.t) dense_t.push_back(static_cast<double>(x));
  dense_s.resize(kFeatures);
  expect_near(spread(fast.gathered.t), expected, 100 * z);
  expect_near(dense_t, expected, 100 * z);
  expect_near(spread(fast.gathered.s), dense_s, 100 * z);
  ASSERT_NEAR(static_cast<double>(fast.total.r), static_cast<double>(direct.r), 1e-7 * z);
}

TEST(InsideOutside, AgreesWithTheSecondOrderSemiringAndEnumeration) {
  testing::for_each_example([](const testing::Example& example) {
    const Rows rows(example, 4);
    expect_second_order_agreement<double>(example, rows);
    expect_second_order_agreement<WideFloat>(example, rows);
  });
}

TEST(InsideOutside, OfVectorsByVectorsGivesTheMatrixOfSecondMoments) {
  using Dense = DenseModule<double>;
  using K = Expectation<RealSemiring<>, Dense>;
  using X = LiftedModule<RealSemiring<>, Dense, Dense, Dense>;
  testing::for_each_example([](const testing::Example& example) {
    const auto weights = weights_of<double>(example.scores);
    EdgeMap<K::Value> ks;
    EdgeMap<X::Value> xs;
    for (EdgeId edge : example.forest.edges()) {
      const std::vector<double> row{example.values[edge], example.other_values[edge]};
      ks.push_back({weights[edge], product(weights[edge], row)});
      xs.push_back({product(weights[edge], row), product(weights[edge], product(row, row))});
    }
    const auto found = inside_outside<K, X>(example.forest, ks, xs);
    const double z = std::exp(example.listed.log_partition);
    const auto moment = [&](const EdgeMap<double>& a, const EdgeMap<double>& b) {
      return z * example.listed.expected([&](const EdgeList& d) {
        return testing::total(d, a) * testing::total(d, b);
      });
    };
    const auto &a = example.values, &b = example.other_values;
    expect_near(found.gathered.t, {moment(a, a), moment(a, b), moment(b, a), moment(b, b)},
                1000 * z);
  });
}

TEST(InsideOutside, OfTheEmptyForestIsZero) {
  const auto found = inside_outside<RealSemiring<>, ScalarModule<>>(Forest(), EdgeMap<double>(),
                                                                    EdgeMap<double>());
  EXPECT_EQ(found.total, 0.0);
  EXPECT_EQ(found.gathered, 0.0);
}

TEST(InsideOutside, OfNoDerivationIsZero) {
  const EdgeMap<double> ones(2, 1.0);
  const auto found =
      inside_outside<RealSemiring<>, ScalarModule<>>(testing::no_derivation(), ones, ones);
  EXPECT_EQ(found.total, 0.0);
  EXPECT_EQ(found.gathered, 0.0);
}

TEST(InsideOutside, NamesBothSizesWhenTheyDiffer) {
  try {
    inside_outside<RealSemiring<>, ScalarModule<>>(Forest(), EdgeMap<double>(),
                                                   EdgeMap<double>(1, 0.0));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "inside_outside: 1 module values for a forest of 0 edges");
  }
}

}  // namespace
}  // namespace coppice
