#include "coppice/forest/named_semiring.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/wide_float.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/outside.h"
#include "coppice/semiring/boolean.h"
#include "coppice/semiring/counting.h"
#include "coppice/semiring/expectation.h"
#include "coppice/semiring/log.h"
#include "coppice/semiring/real.h"
#include "coppice/semiring/selective.h"
#include "coppice/semiring/top_k.h"

namespace coppice {

enum class NamedSemiring::Kind : unsigned char {
  kBoolean,
  kCounting,
  kSaturating,
  kReal,
  kLog,
  kViterbi,
  kMaxPlus,
  kTropical,
  kExpectation,
  kEntropy,
  kTop,
};

enum class NamedSemiring::Direction : unsigned char { kInside, kOutside };

namespace {

// In the order of the kinds.
constexpr std::array<std::string_view, 11> kNames = {
    "boolean",  "counting", "saturating",  "real",    "log",  "viterbi",
    "max-plus", "tropical", "expectation", "entropy", "top:K"};
constexpr std::string_view kTopPrefix = "top:";
constexpr std::size_t kMaxTop = 64;

using Wide = RealSemiring<WideFloat>;
using First = Expectation<Wide, ScalarModule<WideFloat>>;

// The weight of an edge, computed from its score where it is asked for.
template <class Weigh>
struct ScoreWeights {
  const EdgeMap<double>& scores;
  Weigh weigh;

  std::size_t size() const noexcept { return scores.size(); }
  auto operator[](EdgeId edge) const { return weigh(scores[edge]); }
};

struct FirstOrderWeights {
  const EdgeMap<double>& scores;
  const EdgeMap<double>& values;

  std::size_t size() const noexcept { return scores.size(); }
  First::Value operator[](EdgeId edge) const {
    const WideFloat p = WideFloat::exp(scores[edge]);
    if (p == WideFloat()) return First::zero();
    return {p, p * WideFloat(values[edge])};
  }
};

template <class Values, class Show>
NodeMap<SemiringValue> shown(const NodeMap<Values>& chart, Show show) {
  NodeMap<SemiringValue> values(chart.size(), SemiringValue());
  for (NodeId node : IdRange<NodeId>(chart.size())) values[node] = show(chart[node]);
  return values;
}

bool exists(double score) noexcept { return score > -std::numeric_limits<double>::infinity(); }

double ratio(const First::Value& value) {
  if (value.p == WideFloat()) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(value.r / value.p);
}

// inside or outside of S with the weights that `weigh` gives for scores.
template <CommutativeSemiring S, class Weigh, class Show>
NodeMap<SemiringValue> sweep(const Forest& forest, const EdgeMap<double>& scores, bool outwards,
                             Weigh weigh, Show show) {
  const ScoreWeights<Weigh> weights{scores, weigh};
  auto chart = inside<S>(forest, weights);
  if (outwards) chart = outside<S>(forest, weights, chart);
  return shown(chart, show);
}

}  // namespace

NamedSemiring::NamedSemiring(std::string name, Kind kind, std::size_t k)
    : name_(std::move(name)), kind_(kind), k_(k) {}

std::optional<NamedSemiring> NamedSemiring::find(std::string_view name) {
  for (std::size_t i = 0; i + 1 < kNames.size(); ++i) {
    if (kNames[i] == name) return NamedSemiring(std::string(name), static_cast<Kind>(i), 0);
  }
  if (!name.starts_with(kTopPrefix)) return std::nullopt;
  std::size_t k = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + kTopPrefix.size(), last, k);
  if (error != std::errc() || end != last || k == 0 || k > kMaxTop) return std::nullopt;
  return NamedSemiring(std::string(name), Kind::kTop, k);
}

bool NamedSemiring::needs_values() const noexcept { return kind_ == Kind::kExpectation; }

bool NamedSemiring::has_outside() const noexcept {
  return kind_ != Kind::kExpectation && kind_ != Kind::kEntropy && kind_ != Kind::kTop;
}

NodeMap<SemiringValue> NamedSemiring::evaluate(const Forest& forest, const EdgeMap<double>& scores,
                                               Direction direction) const {
  const bool outwards = direction == Direction::kOutside;
  const auto as_is = [](double value) { return SemiringValue(value); };
  const auto exp = [](double score) { return std::exp(score); };
  const auto same = [](double score) { return score; };
  switch (kind_) {
    case Kind::kBoolean:
      return sweep<BooleanSemiring>(
          forest, scores, outwards,
          [](double score) { return static_cast<unsigned char>(exists(score)); },
          [](unsigned char value) { return SemiringValue(value != 0); });
    case Kind::kCounting:
      return sweep<CountingSemiring>(
          forest, scores, outwards, [](double score) { return BigCount(exists(score) ? 1 : 0); },
          [](const BigCount& count) { return SemiringValue(count); });
    case Kind::kSaturating:
      return sweep<SaturatingCountingSemiring>(
          forest, scores, outwards,
          [](double score) { return static_cast<std::uint64_t>(exists(score)); },
          [](std::uint64_t count) { return SemiringValue(BigCount(count)); });
    case Kind::kReal:
      return sweep<Wide>(
          forest, scores, outwards, [](double score) { return WideFloat::exp(score); },
          [](const WideFloat& sum) { return SemiringValue(static_cast<double>(sum)); });
    case Kind::kViterbi:
      return sweep<ViterbiSemiring>(forest, scores, outwards, exp, as_is);
    case Kind::kMaxPlus:
      return sweep<MaxPlusSemiring>(forest, scores, outwards, same, as_is);
    case Kind::kTropical:
      return sweep<TropicalSemiring>(
          forest, scores, outwards, [](double score) { return 0.0 - score; }, as_is);
    default:
      return sweep<LogSemiring>(forest, scores, outwards, same, as_is);
  }
}

// The next power of two stands for K, so that few are compiled.
template <std::size_t K>
NodeMap<SemiringValue> NamedSemiring::top(const Forest& forest,
                                          const EdgeMap<double>& scores) const {
  if constexpr (K < kMaxTop) {
    if (k_ > K) return top<2 * K>(forest, scores);
  }
  const auto weigh = [](double score) {
    auto value = TopK<K>::zero();
    value[0] = score;
    return value;
  };
  const ScoreWeights<decltype(weigh)> weights{scores, weigh};
  return shown(coppice::inside<TopK<K>>(forest, weights), [this](const auto& best) {
    std::vector<double> list;
    for (std::size_t i = 0; i < k_ && exists(best[i]); ++i) list.push_back(best[i]);
    return SemiringValue(std::move(list));
  });
}

NodeMap<SemiringValue> NamedSemiring::inside(const Forest& forest, const EdgeMap<double>& scores,
                                             const EdgeMap<double>& values) const {
  if (kind_ == Kind::kTop) return top<1>(forest, scores);
  if (kind_ == Kind::kExpectation) {
    require(values.size() == forest.num_edges(), "expectation: ", values.size(),
            " values for a forest of ", forest.num_edges(), " edges");
    return shown(coppice::inside<First>(forest, FirstOrderWeights{scores, values}),
                 [](const First::Value& value) { return SemiringValue(ratio(value)); });
  }
  if (kind_ == Kind::kEntropy) {
    return shown(
        coppice::inside<First>(forest, FirstOrderWeights{scores, scores}),
        [](const First::Value& value) { return SemiringValue(to_log(value.p) - ratio(value)); });
  }
  return evaluate(forest, scores, Direction::kInside);
}

NodeMap<SemiringValue> NamedSemiring::outside(const Forest& forest,
                                              const EdgeMap<double>& scores) const {
  require(has_outside(), "the semiring ", name_, " has no outside weights");
  return evaluate(forest, scores, Direction::kOutside);
}

std::vector<std::string> semiring_names() { return {kNames.begin(), kNames.end()}; }

}  // namespace coppice
