// The semirings of numbers and expectations obey the laws of semiring.h.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "coppice/base/signed_log.h"
#include "coppice/base/wide_float.h"
#include "coppice/semiring/expectation.h"
#include "coppice/semiring/log.h"
#include "coppice/semiring/real.h"
#include "support/seeds.h"
#include "support/semiring_laws.h"

namespace coppice {
namespace {

bool near(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-9 * std::fmax(1, std::fmax(std::fabs(a), std::fabs(b)));
}
template <class T>
requires(!std::same_as<T, double>) bool near(const T& a, const T& b) {
  return near(static_cast<double>(a), static_cast<double>(b));
}
// The empty vector is the zero vector of any dimension.
bool near(const std::vector<double>& a, const std::vector<double>& b) {
  bool all = true;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    all = all && near(i < a.size() ? a[i] : 0.0, i < b.size() ? b[i] : 0.0);
  }
  return all;
}
bool near(const SparseVector<double>& a, const SparseVector<double>& b) {
  std::vector<double> x, y;
  SparseModule<double>::add_scaled(x, 1.0, a);
  SparseModule<double>::add_scaled(y, 1.0, b);
  return near(x, y);
}

double draw_double(Random& random) { return random.below(8) == 0 ? 0.0 : 4 * random.uniform() - 2; }
template <Number T>
T draw_number(Random& random) {
  return T(draw_double(random));
}
std::vector<double> draw_dense(Random& random) {
  if (random.below(8) == 0) return {};
  return {draw_double(random), draw_double(random), draw_double(random)};
}
SparseVector<double> draw_sparse(Random& random) {
  SparseVector<double> drawn;
  for (std::uint32_t id = 0; id < 6; ++id) {
    if (random.below(2) == 0) continue;
    drawn.ids.push_back(id);
    drawn.values.push_back(draw_double(random));
  }
  return drawn;
}

template <Number T>
void expect_real_laws() {
  using S = RealSemiring<T>;
  const auto compare = [](const T& a, const T& b) { return near(a, b); };
  testing::expect_semiring_laws<S>(draw_number<T>, compare);
  testing::expect_star_law<S>([](Random& random) { return T(1.9 * random.uniform() - 0.95); },
                              compare);
}

TEST(Laws, HoldForRealNumbers) {
  expect_real_laws<double>();
  expect_real_laws<WideFloat>();
  expect_real_laws<SignedLog>();
}

TEST(Laws, HoldForLogProbabilities) {
  const auto draw = [](Random& random) {
    return random.below(8) == 0 ? LogSemiring::zero() : 20 * random.uniform() - 10;
  };
  const auto compare = [](double a, double b) { return near(a, b); };
  testing::expect_semiring_laws<LogSemiring>(draw, compare);
  testing::expect_star_law<LogSemiring>([](Random& random) { return -5 * random.uniform() - 0.01; },
                                        compare);
}

using Real = RealSemiring<double>;
using Scalar = ScalarModule<double>;
using Dense = DenseModule<double>;
using Sparse = SparseModule<double>;

template <class R, class DrawR>
void expect_first_order_laws(DrawR draw_r) {
  using E = Expectation<Real, R>;
  using Value = typename E::Value;
  const auto compare = [](const Value& a, const Value& b) {
    return near(a.p, b.p) && near(a.r, b.r);
  };
  testing::expect_semiring_laws<E>(
      [&](Random& random) {
        return random.below(8) == 0 ? E::zero() : Value{draw_double(random), draw_r(random)};
      },
      compare);
  testing::expect_star_law<E>(
      [&](Random& random) {
        const double p = 1.8 * random.uniform() - 0.9;
        return Value{p, draw_r(random)};
      },
      compare);
}

TEST(Laws, HoldForFirstOrderExpectations) {
  expect_first_order_laws<Scalar>(draw_double);
  expect_first_order_laws<Dense>(draw_dense);
  expect_first_order_laws<Sparse>(draw_sparse);
}

// Draws of SecondOrder<Real, R, S, T>; `lift` takes them to the lifted semiring.
template <class R, class S, class T, class DrawR, class DrawS, class DrawT>
void expect_second_order_laws(DrawR draw_r, DrawS draw_s, DrawT draw_t) {
  using Direct = SecondOrder<Real, R, S, T>;
  using Lifted = LiftedSecondOrder<Real, R, S, T>;
  const auto lift = [](const typename Direct::Value& a) {
    return typename Lifted::Value{{a.p, a.r}, {a.s, a.t}};
  };
  const auto compare = [](const auto& a, const auto& b) {
    return near(a.p, b.p) && near(a.r, b.r) && near(a.s, b.s) && near(a.t, b.t);
  };
  const auto compare_lifted = [](const auto& a, const auto& b) {
    return near(a.p.p, b.p.p) && near(a.p.r, b.p.r) && near(a.r.s, b.r.s) && near(a.r.t, b.r.t);
  };
  const auto draw_with = [&](Random& random, double p) {
    return typename Direct::Value{p, draw_r(random), draw_s(random), draw_t(random)};
  };
  const auto draw = [&](Random& random) {
    return random.below(8) == 0 ? Direct::zero() : draw_with(random, draw_double(random));
  };
  const auto draw_small = [&](Random& random) {
    return draw_with(random, 1.8 * random.uniform() - 0.9);
  };
  testing::expect_semiring_laws<Direct>(draw, compare);
  testing::expect_star_law<Direct>(draw_small, compare);
  testing::expect_semiring_laws<Lifted>([&](Random& random) { return lift(draw(random)); },
                                        compare_lifted);
  for (std::uint64_t seed = 0; seed < testing::seeds(500); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const auto a = draw(random), b = draw(random), c = draw_small(random);
    ASSERT_TRUE(compare_lifted(lift(Direct::plus(a, b)), Lifted::plus(lift(a), lift(b))));
    ASSERT_TRUE(compare_lifted(lift(Direct::times(a, b)), Lifted::times(lift(a), lift(b))));
    ASSERT_TRUE(compare_lifted(lift(Direct::star(c)), Lifted::star(lift(c))));
  }
}

TEST(Laws, HoldForSecondOrderExpectationsDirectAndLifted) {
  expect_second_order_laws<Scalar, Scalar, Scalar>(draw_double, draw_double, draw_double);
  expect_second_order_laws<Scalar, Dense, Dense>(draw_double, draw_dense, draw_dense);
  expect_second_order_laws<Dense, Scalar, Dense>(draw_dense, draw_double, draw_dense);
  expect_second_order_laws<Scalar, Sparse, Sparse>(draw_double, draw_sparse, draw_sparse);
  const auto draw_matrix = [](Random& random) {
    return product(std::vector{draw_double(random), 1.0, 0.5}, std::vector{1.0, 2.0, 3.0});
  };
  expect_second_order_laws<Dense, Dense, Dense>(draw_dense, draw_dense, draw_matrix);
}

template <class S>
std::string star_error(const typename S::Value& a) {
  try {
    S::star(a);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Star, SaysWhereItDiverges) {
  EXPECT_EQ(star_error<Real>(1.0),
            "star: the sum of the powers of 1 diverges; expected a number between -1 and 1");
  EXPECT_EQ(star_error<Real>(-1.5),
            "star: the sum of the powers of -1.5 diverges; expected a number between -1 and 1");
  EXPECT_EQ(star_error<LogSemiring>(0.0),
            "star: the sum of the powers of e^0 diverges; expected a number below 1");
  EXPECT_NE(star_error<RealSemiring<WideFloat>>(WideFloat::exp(1e4)), "no error");
  EXPECT_NE(star_error<Real>(std::nan("")), "no error");
}

TEST(LogSemiring, SumsASpanAsPlusDoes) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    Random random(seed);
    std::vector<double> values;
    double expected = LogSemiring::zero();
    for (auto n = random.below(6); n > 0; --n) {
      values.push_back(random.below(4) == 0 ? LogSemiring::zero() : 2e4 * random.uniform() - 1e4);
      expected = LogSemiring::plus(expected, values.back());
    }
    EXPECT_TRUE(near(LogSemiring::sum(values), expected)) << "seed " << seed;
  }
}

TEST(DenseModule, RefusesVectorsOfDifferentDimensions) {
  EXPECT_THROW(Dense::plus({1.0, 2.0}, {1.0}), InvalidArgument);
}

}  // namespace
}  // namespace coppice
