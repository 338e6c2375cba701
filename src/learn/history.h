// The memory of L-BFGS: the last m steps s and gradient changes y, and their inner products.
//
// The next direction is -H g with g the (pseudo-)gradient, written in the basis of all s, y and g;
// its coefficients come from the inner products alone. It is stored where the oldest s lay, or in
// a fresh place while there is one, because that is the pair it will replace.
//
// With an l1 penalty the inner products are taken over the free coordinates alone: those that are
// not 0, or that the pseudo-gradient moves. The others stay where they are, so what the pairs say
// of them would only disturb the curvature of the rest.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/reduce.h"
#include "coppice/learn/checkpoint.h"
#include "coppice/learn/penalty.h"
#include "learn/gram.h"

namespace coppice::learn {

template <class T>
struct Point {
  std::vector<T> weights;
  std::vector<T> gradient;  // of the loss and the l2 penalty
};

inline double l1_at(const Penalty& penalty, std::size_t i) noexcept {
  return penalty.l1_scale.empty() ? penalty.l1
                                  : penalty.l1 * static_cast<double>(penalty.l1_scale[i]);
}

inline double l2_at(const Penalty& penalty, std::size_t i) noexcept {
  return penalty.l2_scale.empty() ? penalty.l2
                                  : penalty.l2 * static_cast<double>(penalty.l2_scale[i]);
}

// The steepest slope, with its sign turned, of  smooth + l1 |w|  at w.
inline double pseudo_gradient(double gradient, double weight, double l1) noexcept {
  if (weight > 0) return gradient + l1;
  if (weight < 0) return gradient - l1;
  if (gradient + l1 < 0) return gradient + l1;
  if (gradient - l1 > 0) return gradient - l1;
  return 0;
}

template <class T>
double pseudo_gradient_at(const Point<T>& point, const Penalty& penalty, std::size_t i) noexcept {
  const auto gradient = static_cast<double>(point.gradient[i]);
  if (penalty.l1 == 0) return gradient;
  return pseudo_gradient(gradient, static_cast<double>(point.weights[i]), l1_at(penalty, i));
}

template <class T, class H>
class History {
 public:
  explicit History(unsigned capacity)
      : s_(capacity),
        y_(capacity),
        products_(capacity, std::vector<Products>(capacity)),
        with_gradient_(capacity) {}

  bool empty() const noexcept { return live_.empty(); }
  void clear() noexcept { live_.clear(); }

  // Sets direction() for `point`, which append() saw last (or none is live), and forgets the pair
  // whose place it takes. Returns the slope: direction times pseudo-gradient. With l1 > 0 a
  // coordinate that is 0 only leaves it downhill, and stays there if it is not free.
  double make_direction(const Point<T>& point, const Penalty& penalty, const Threads& threads);

  std::span<const H> direction() const noexcept { return s_[next_]; }

  // Remembers the step between two points, unless its curvature is not positive (with l1 > 0 that
  // is seen when a direction is made). Overwrites direction().
  void append(const Point<T>& from, const Point<T>& to, const Penalty& penalty,
              const Threads& threads);

  void save(CheckpointWriter& out) const;
  void load(CheckpointReader& in, std::size_t weights);

 private:
  static constexpr std::size_t kBlock = 512;  // elements at a time: three blocks of double fit L1

  struct Products {
    double ss = 0;  // s_i s_j
    double sy = 0;  // s_i y_j
    double yy = 0;  // y_i y_j
  };
  struct WithGradient {
    double s = 0;
    double y = 0;
  };
  struct Coefficients {
    std::vector<double> s;  // in the order of the pairs
    std::vector<double> y;
    double gradient = 1;
  };
  // What the new pair and the new gradient give with one pair (that pair's s and y in turn).
  struct NewProducts {
    std::array<double, 3> s{};  // s times (new s, new y, new gradient)
    std::array<double, 3> y{};
  };
  struct NewProductsOfAll {
    std::vector<NewProducts> of;
    NewProductsOfAll& operator+=(const NewProductsOfAll& other);
  };
  struct Block {
    std::array<double, kBlock> s;
    std::array<double, kBlock> y;
    std::array<double, kBlock> gradient;
  };

  // The pairs to make a direction of, oldest first, their inner products being right for `point`.
  std::vector<unsigned> usable(const Point<T>& point, const Penalty& penalty,
                               const Threads& threads);
  Coefficients coefficients(const std::vector<unsigned>& pairs) const;
  void choose_place(std::size_t weights);
  double combine(const Coefficients& by, const std::vector<unsigned>& pairs, const Point<T>& point,
                 const Penalty& penalty, std::size_t begin, std::size_t end);
  static void add_products(const H* values, const Block& block, std::size_t size,
                           std::array<double, 3>& sums);
  void store(const NewProductsOfAll& found, const std::vector<unsigned>& pairs);
  void store(const Gram& gram);
  bool is_curved(unsigned pair) const noexcept;

  std::vector<std::vector<H>> s_;
  std::vector<std::vector<H>> y_;
  std::vector<std::vector<Products>> products_;
  std::vector<WithGradient> with_gradient_;  // of the point append() saw last
  std::vector<unsigned> live_;               // places of the pairs, oldest first
  unsigned next_ = 0;                        // the place of the direction and the next pair
};

// The two loops of L-BFGS on coefficients: q starts as the gradient.
template <class T, class H>
typename History<T, H>::Coefficients History<T, H>::coefficients(
    const std::vector<unsigned>& pairs) const {
  const std::size_t size = pairs.size();
  Coefficients q{std::vector<double>(size), std::vector<double>(size)};
  const auto s_times_q = [&](std::size_t i) {
    double sum = q.gradient * with_gradient_[pairs[i]].s;
    for (std::size_t j = 0; j < size; ++j) {
      const Products& with = products_[pairs[i]][pairs[j]];
      sum += q.s[j] * with.ss + q.y[j] * with.sy;
    }
    return sum;
  };
  const auto y_times_q = [&](std::size_t i) {
    double sum = q.gradient * with_gradient_[pairs[i]].y;
    for (std::size_t j = 0; j < size; ++j)
      sum += q.s[j] * products_[pairs[j]][pairs[i]].sy + q.y[j] * products_[pairs[i]][pairs[j]].yy;
    return sum;
  };
  const auto curvature = [&](std::size_t i) { return products_[pairs[i]][pairs[i]].sy; };

  std::vector<double> alpha(size);
  for (std::size_t i = size; i-- > 0;) {
    alpha[i] = s_times_q(i) / curvature(i);
    q.y[i] -= alpha[i];
  }
  if (size > 0) {
    const double gamma = curvature(size - 1) / products_[pairs.back()][pairs.back()].yy;
    for (double& y : q.y) y *= gamma;
    q.gradient *= gamma;
  }
  for (std::size_t i = 0; i < size; ++i) q.s[i] += alpha[i] - y_times_q(i) / curvature(i);
  return q;
}

// A place that no live pair has, or the oldest pair's.
template <class T, class H>
void History<T, H>::choose_place(std::size_t weights) {
  if (live_.size() == s_.size()) {
    next_ = live_.front();
    live_.erase(live_.begin());
  } else {
    next_ = 0;
    while (std::find(live_.begin(), live_.end(), next_) != live_.end()) ++next_;
  }
  s_[next_].resize(weights);
  y_[next_].resize(weights);
}

template <class T, class H>
std::vector<unsigned> History<T, H>::usable(const Point<T>& point, const Penalty& penalty,
                                            const Threads& threads) {
  if (penalty.l1 == 0 || live_.empty()) return live_;
  std::vector<std::span<const H>> vectors;
  for (const unsigned pair : live_) {
    vectors.push_back(s_[pair]);
    vectors.push_back(y_[pair]);
  }
  const auto gradient = [&](std::size_t i) { return pseudo_gradient_at(point, penalty, i); };
  const auto is_free = [&](std::size_t i) { return point.weights[i] != 0 || gradient(i) != 0; };
  store(gram_of<H>(vectors, gradient, is_free, threads));
  std::vector<unsigned> pairs;
  for (const unsigned pair : live_)
    if (is_curved(pair)) pairs.push_back(pair);
  return pairs;
}

template <class T, class H>
double History<T, H>::make_direction(const Point<T>& point, const Penalty& penalty,
                                     const Threads& threads) {
  const std::vector<unsigned> pairs = usable(point, penalty, threads);
  const Coefficients by = coefficients(pairs);
  const std::size_t weights = point.weights.size();
  choose_place(weights);
  return sum_elements(threads, weights, [&](std::size_t begin, std::size_t end) {
    double slope = 0;
    for (std::size_t i = begin; i < end; i += kBlock)
      slope += combine(by, pairs, point, penalty, i, std::min(end, i + kBlock));
    return slope;
  });
}

// One block of the direction. It may take the place of one of the pairs it is made of.
template <class T, class H>
double History<T, H>::combine(const Coefficients& by, const std::vector<unsigned>& pairs,
                              const Point<T>& point, const Penalty& penalty, std::size_t begin,
                              std::size_t end) {
  const std::size_t size = end - begin;
  std::array<double, kBlock> gradient;
  std::array<double, kBlock> sum;
  for (std::size_t i = 0; i < size; ++i) {
    gradient[i] = pseudo_gradient_at(point, penalty, begin + i);
    sum[i] = by.gradient * gradient[i];
  }
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const H* s = s_[pairs[pair]].data() + begin;
    const H* y = y_[pairs[pair]].data() + begin;
    for (std::size_t i = 0; i < size; ++i)
      sum[i] += by.s[pair] * static_cast<double>(s[i]) + by.y[pair] * static_cast<double>(y[i]);
  }
  H* direction = s_[next_].data() + begin;
  for (std::size_t i = 0; i < size; ++i) direction[i] = static_cast<H>(-sum[i]);
  if (penalty.l1 > 0)  // leave 0 on the side to which the pseudo-gradient points, or not at all
    for (std::size_t i = 0; i < size; ++i)
      if (point.weights[begin + i] == 0 && l1_at(penalty, begin + i) > 0 &&
          static_cast<double>(direction[i]) * gradient[i] >= 0)
        direction[i] = 0;
  return dot(std::span<const H>(direction, size), std::span<const double>(gradient.data(), size));
}

template <class T, class H>
typename History<T, H>::NewProductsOfAll& History<T, H>::NewProductsOfAll::operator+=(
    const NewProductsOfAll& other) {
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      of[i].s[k] += other.of[i].s[k];
      of[i].y[k] += other.of[i].y[k];
    }
  return *this;
}

// Three inner products for one reading of `values`. Four running sums each: any vector width up
// to four gives the same bits.
template <class T, class H>
void History<T, H>::add_products(const H* values, const Block& block, std::size_t size,
                                 std::array<double, 3>& sums) {
  constexpr std::size_t num_lanes = 4;
  std::array<double, num_lanes> s{};
  std::array<double, num_lanes> y{};
  std::array<double, num_lanes> gradient{};
  std::size_t i = 0;
  for (; i + num_lanes <= size; i += num_lanes)
    for (std::size_t lane = 0; lane < num_lanes; ++lane) {
      const auto value = static_cast<double>(values[i + lane]);
      s[lane] += value * block.s[i + lane];
      y[lane] += value * block.y[i + lane];
      gradient[lane] += value * block.gradient[i + lane];
    }
  for (; i < size; ++i) {
    const auto value = static_cast<double>(values[i]);
    s[0] += value * block.s[i];
    y[0] += value * block.y[i];
    gradient[0] += value * block.gradient[i];
  }
  sums[0] += (s[0] + s[2]) + (s[1] + s[3]);
  sums[1] += (y[0] + y[2]) + (y[1] + y[3]);
  sums[2] += (gradient[0] + gradient[2]) + (gradient[1] + gradient[3]);
}

template <class T, class H>
void History<T, H>::append(const Point<T>& from, const Point<T>& to, const Penalty& penalty,
                           const Threads& threads) {
  if (penalty.l1 > 0) {
    for_elements(threads, to.weights.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        s_[next_][i] = static_cast<H>(to.weights[i] - from.weights[i]);
        y_[next_][i] = static_cast<H>(to.gradient[i] - from.gradient[i]);
      }
    });
    live_.push_back(next_);
    return;
  }
  std::vector<unsigned> pairs = live_;
  pairs.push_back(next_);
  const auto products_of_chunk = [&](std::size_t chunk_begin, std::size_t chunk_end) {
    NewProductsOfAll found{std::vector<NewProducts>(pairs.size())};
    Block block;
    for (std::size_t begin = chunk_begin; begin < chunk_end; begin += kBlock) {
      const std::size_t size = std::min(kBlock, chunk_end - begin);
      H* s = s_[next_].data() + begin;
      H* y = y_[next_].data() + begin;
      for (std::size_t i = 0; i < size; ++i) {
        s[i] = static_cast<H>(to.weights[begin + i] - from.weights[begin + i]);
        y[i] = static_cast<H>(to.gradient[begin + i] - from.gradient[begin + i]);
        block.s[i] = static_cast<double>(s[i]);  // as stored: products and vectors must agree
        block.y[i] = static_cast<double>(y[i]);
        block.gradient[i] = pseudo_gradient_at(to, penalty, begin + i);
      }
      for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        add_products(s_[pairs[pair]].data() + begin, block, size, found.of[pair].s);
        add_products(y_[pairs[pair]].data() + begin, block, size, found.of[pair].y);
      }
    }
    return found;
  };
  store(sum_elements<NewProductsOfAll>(threads, to.weights.size(), products_of_chunk), pairs);
}

template <class T, class H>
void History<T, H>::store(const NewProductsOfAll& found, const std::vector<unsigned>& pairs) {
  for (std::size_t i = 0; i < found.of.size(); ++i) {
    const unsigned pair = pairs[i];
    const NewProducts& with = found.of[i];
    products_[pair][next_] = {with.s[0], with.s[1], with.y[1]};
    products_[next_][pair] = {with.s[0], with.y[0], with.y[1]};
    with_gradient_[pair] = {with.s[2], with.y[2]};
  }
  if (is_curved(next_)) live_.push_back(next_);
}

// The products of all live pairs, from a matrix over s, y, s, y, ... and the gradient.
template <class T, class H>
void History<T, H>::store(const Gram& gram) {
  const std::size_t gradient = 2 * live_.size();
  for (std::size_t i = 0; i < live_.size(); ++i) {
    with_gradient_[live_[i]] = {gram.at(2 * i, gradient), gram.at(2 * i + 1, gradient)};
    for (std::size_t j = 0; j < live_.size(); ++j)
      products_[live_[i]][live_[j]] = {gram.at(2 * i, 2 * j), gram.at(2 * i, 2 * j + 1),
                                       gram.at(2 * i + 1, 2 * j + 1)};
  }
}

// Less curvature than this and the pair says more of rounding than of the function.
template <class T, class H>
bool History<T, H>::is_curved(unsigned pair) const noexcept {
  constexpr double least_curvature = 1e-12;
  const Products& own = products_[pair][pair];
  return own.sy > least_curvature * std::sqrt(own.ss * own.yy);
}

template <class T, class H>
void History<T, H>::save(CheckpointWriter& out) const {
  out.vector(live_);
  out.vector(with_gradient_);
  for (const auto& row : products_) out.vector(row);
  for (unsigned pair : live_) {
    out.vector(s_[pair]);
    out.vector(y_[pair]);
  }
}

template <class T, class H>
void History<T, H>::load(CheckpointReader& in, std::size_t weights) {
  const std::size_t capacity = s_.size();
  live_ = in.vector<unsigned>();
  with_gradient_ = in.vector<WithGradient>();
  in.check(live_.size() <= capacity && with_gradient_.size() == capacity);
  for (auto& row : products_) {
    row = in.vector<Products>();
    in.check(row.size() == capacity);
  }
  for (unsigned pair : live_) {
    in.check(pair < capacity);
    s_[pair] = in.vector<H>();
    y_[pair] = in.vector<H>();
    in.check(s_[pair].size() == weights && y_[pair].size() == weights);
  }
}

}  // namespace coppice::learn
