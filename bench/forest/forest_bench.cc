// How fast inside, outside and second-order inside-outside are, against plain loops and against
// each other. Run without arguments for tables and one line of results; --quick runs small sizes,
// which keeps the checks of answers alive in the tests. Every answer is checked before it is timed;
// a wrong one ends the program with status 1.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/base/signed_log.h"
#include "coppice/base/wide_float.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/inside_outside.h"
#include "coppice/forest/outside.h"
#include "coppice/forest/risk.h"
#include "coppice/semiring/expectation.h"
#include "coppice/semiring/log.h"
#include "coppice/semiring/real.h"
#include "forest/kbest_bench.h"

namespace coppice {
namespace {

constexpr int kRepeats = 5;
constexpr std::uint32_t kEdgesPerNode = 8;

struct Options {
  bool quick = false;
};

// Mostly binary edges whose tails lie near their head, as in a chart. Weights at a node sum to one,
// so that plain doubles do not underflow, and its leaf has most, so that derivations stay small:
// else a rounding error doubles at every level.
struct Input {
  Forest forest;
  EdgeMap<double> weights;
  EdgeMap<double> scores;
};

Input random_input(std::size_t edges) {
  Random random(42);
  ForestBuilder builder;
  builder.reserve(edges / kEdgesPerNode + 2, edges, 2 * edges);
  Input input{{}, {edges, 0.0}, {edges, 0.0}};
  std::size_t edge = 0;
  for (std::uint32_t node = 0; edge < edges; ++node) {
    const NodeId head = builder.add_node();
    const std::size_t first = edge;
    double sum = 0;
    for (std::uint32_t i = 0; i < kEdgesPerNode && edge < edges; ++i, ++edge) {
      const std::uint64_t window = std::min<std::uint64_t>(node, 4096);
      const auto draw = [&] { return static_cast<NodeId>(node - 1 - random.below(window)); };
      if (node == 0 || i == 0) {
        builder.add_edge(head, {});
      } else if (random.below(8) == 0) {
        builder.add_edge(head, {draw()});
      } else {
        builder.add_edge(head, {draw(), draw()});
      }
      const double weight = (i == 0 ? 1.2 * kEdgesPerNode : 1.0) * (0.5 + random.uniform() / 4);
      input.weights[static_cast<EdgeId>(edge)] = weight;
      sum += weight;
    }
    for (std::size_t i = first; i < edge; ++i) {
      double& weight = input.weights[static_cast<EdgeId>(i)];
      weight /= sum;
      input.scores[static_cast<EdgeId>(i)] = std::log(weight);
    }
  }
  input.forest = std::move(builder).build();
  return input;
}

// Of the processor, not of the clock: other programs may be running.
double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Medians of runs that take turns, so that a noisy moment hits all alike.
std::vector<double> interleaved(const std::vector<std::function<void()>>& works) {
  std::vector<std::vector<double>> times(works.size());
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (std::size_t i = 0; i < works.size(); ++i) times[i].push_back(seconds(works[i]));
  }
  std::vector<double> medians;
  for (auto& series : times) medians.push_back(median(series));
  return medians;
}

void check(double found, double expected, const char* what) {
  if (!(std::fabs(found - expected) <= 1e-8 * std::max(1.0, std::fabs(expected)))) {
    throw std::runtime_error(std::string(what) + ": found " + std::to_string(found) +
                             ", expected " + std::to_string(expected));
  }
}

// The forest as the arrays that somebody would write by hand.
struct RawForest {
  std::vector<std::uint32_t> edges_begin{0}, tails_begin{0}, tails;
  explicit RawForest(const Forest& forest) {
    for (NodeId node : forest.nodes()) {
      for (EdgeId edge : forest.incoming(node)) {
        for (NodeId tail : forest.tails(edge)) {
          tails.push_back(static_cast<std::uint32_t>(index(tail)));
        }
        tails_begin.push_back(static_cast<std::uint32_t>(tails.size()));
      }
      edges_begin.push_back(static_cast<std::uint32_t>(tails_begin.size() - 1));
    }
  }
};

std::vector<double> real_loop(const RawForest& raw, const double* weights) {
  std::vector<double> chart(raw.edges_begin.size() - 1, 0.0);
  for (std::size_t v = 0; v < chart.size(); ++v) {
    double sum = 0;
    for (std::uint32_t e = raw.edges_begin[v]; e < raw.edges_begin[v + 1]; ++e) {
      double product = weights[e];
      for (std::uint32_t t = raw.tails_begin[e]; t < raw.tails_begin[e + 1]; ++t) {
        product *= chart[raw.tails[t]];
      }
      sum += product;
    }
    chart[v] = sum;
  }
  return chart;
}

// Two passes over a node's edges, as LogSemiring::sum: the largest, then one exp an edge.
std::vector<double> log_loop(const RawForest& raw, const double* scores) {
  std::vector<double> chart(raw.edges_begin.size() - 1, 0.0);
  std::vector<double> products;
  for (std::size_t v = 0; v < chart.size(); ++v) {
    const std::uint32_t first = raw.edges_begin[v], last = raw.edges_begin[v + 1];
    if (products.size() < last - first) products.resize(last - first);
    double high = -std::numeric_limits<double>::infinity();
    for (std::uint32_t e = first; e < last; ++e) {
      double product = scores[e];
      for (std::uint32_t t = raw.tails_begin[e]; t < raw.tails_begin[e + 1]; ++t) {
        product += chart[raw.tails[t]];
      }
      products[e - first] = product;
      high = std::max(high, product);
    }
    double sum = 0;
    for (std::uint32_t i = 0; i < last - first; ++i) sum += std::exp(products[i] - high);
    chart[v] = high == -std::numeric_limits<double>::infinity() ? high : high + std::log(sum);
  }
  return chart;
}

// (a) The generic algorithm against the loop that one would write by hand.
void bench_inside(const Options& options, std::string& result) {
  const Input input = random_input(options.quick ? 10'000 : 1'000'000);
  const RawForest raw(input.forest);
  const double* weights = input.weights.values().data();
  const double* scores = input.scores.values().data();
  const NodeId root = input.forest.root();
  check(inside<RealSemiring<>>(input.forest, input.weights)[root], real_loop(raw, weights).back(),
        "inside, real");
  check(inside<LogSemiring>(input.forest, input.scores)[root], log_loop(raw, scores).back(),
        "inside, log");
  volatile double sink = 0;
  const auto times =
      interleaved({[&] { sink = inside<RealSemiring<>>(input.forest, input.weights)[root]; },
                   [&] { sink = real_loop(raw, weights).back(); },
                   [&] { sink = inside<LogSemiring>(input.forest, input.scores)[root]; },
                   [&] { sink = log_loop(raw, scores).back(); }});
  const auto edges = static_cast<double>(input.forest.num_edges());
  std::printf("inside, %.0f edges      ours ns/edge   loop ns/edge   ratio\n", edges);
  std::printf("  real              %14.2f %14.2f %7.3f\n", times[0] / edges * 1e9,
              times[1] / edges * 1e9, times[0] / times[1]);
  std::printf("  log               %14.2f %14.2f %7.3f\n\n", times[2] / edges * 1e9,
              times[3] / edges * 1e9, times[2] / times[3]);
  char line[200];
  std::snprintf(line, sizeof line,
                " inside_log_vs_loop=%.3f inside_real_vs_loop=%.3f edges_per_s=%.4g",
                times[2] / times[3], times[0] / times[1], edges / times[0]);
  result += line;
}

// Ten features an edge, drawn from `count`.
struct Features {
  static constexpr std::size_t active = 10;
  std::vector<std::uint32_t> ids;
  std::vector<double> values;

  Features(std::size_t edges, std::size_t count) {
    Random random(7);
    for (std::size_t i = 0; i < edges * active; ++i) {
      ids.push_back(static_cast<std::uint32_t>(random.below(count)));
      values.push_back(random.uniform());
    }
  }
};

using Real = RealSemiring<>;
using Scalar = ScalarModule<>;
using FirstOrder = Expectation<Real, Scalar>;
using SparsePair = LiftedModule<Real, Scalar, SparseModule<>, SparseModule<>>;
using DirectOrder = SecondOrder<Real, Scalar, DenseModule<>, DenseModule<>>;

// (s, t) = (p_e phi_e, p_e L_e phi_e) with loss L_e = e mod 2: what the gradient of risk needs.
struct LiftedRows {
  const Features& features;
  const EdgeMap<double>& weights;

  struct Row {
    ScaledRow<double> s, t;
  };
  std::size_t size() const { return weights.size(); }
  static double loss(EdgeId edge) { return static_cast<double>(index(edge) % 2); }
  ScaledRow<double> scaled(EdgeId edge, double factor) const {
    const std::size_t begin = index(edge) * Features::active;
    return {factor,
            {features.ids.data() + begin, Features::active},
            {features.values.data() + begin, Features::active}};
  }
  Row operator[](EdgeId edge) const {
    return {scaled(edge, weights[edge]), scaled(edge, weights[edge] * loss(edge))};
  }
};

// Weights of the direct semiring, made on the way, so that only charts hold dense vectors.
struct DenseRows {
  const LiftedRows& rows;
  std::size_t dimension;

  std::size_t size() const { return rows.size(); }
  DirectOrder::Value operator[](EdgeId edge) const {
    const double p = rows.weights[edge];
    DirectOrder::Value value{p, p * LiftedRows::loss(edge), std::vector<double>(dimension, 0.0),
                             std::vector<double>(dimension, 0.0)};
    SparseModule<>::add_scaled(value.s, 1.0, rows[edge].s);
    SparseModule<>::add_scaled(value.t, 1.0, rows[edge].t);
    return value;
  }
};

EdgeMap<FirstOrder::Value> first_order_weights(const EdgeMap<double>& weights) {
  EdgeMap<FirstOrder::Value> pairs;
  for (EdgeId edge : IdRange<EdgeId>(weights.size())) {
    pairs.push_back({weights[edge], weights[edge] * LiftedRows::loss(edge)});
  }
  return pairs;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}

struct SecondOrderTimes {
  double sparse;  // seconds an edge
  double dense;
};

SecondOrderTimes time_second_order(std::size_t edges, std::size_t dimension) {
  const Input input = random_input(edges);
  const Features features(edges, dimension);
  const LiftedRows rows{features, input.weights};
  const DenseRows dense{rows, dimension};
  const auto pairs = first_order_weights(input.weights);
  const NodeId root = input.forest.root();
  const auto fast = inside_outside<FirstOrder, SparsePair>(input.forest, pairs, rows);
  const auto slow = inside<DirectOrder>(input.forest, dense)[root];
  check(sum_of(fast.gathered.t.values), sum_of(slow.t), "second order, t");
  check(sum_of(fast.gathered.s.values), sum_of(slow.s), "second order, s");
  volatile double sink = 0;
  const auto times = interleaved(
      {[&] { sink = inside_outside<FirstOrder, SparsePair>(input.forest, pairs, rows).total.p; },
       [&] { sink = inside<DirectOrder>(input.forest, dense)[root].p; }});
  return {times[0] / static_cast<double>(edges), times[1] / static_cast<double>(edges)};
}

// (b) Second order: sparse sums beside first-order charts, against dense vectors in the charts.
void bench_second_order(const Options& options, std::string& result) {
  std::printf(
      "second order, 10 features an edge   features  inside_outside ns/edge"
      "  direct ns/edge  speedup\n");
  const std::vector<std::pair<std::size_t, std::size_t>> sizes =
      options.quick ? std::vector<std::pair<std::size_t, std::size_t>>{{200, 100}, {200, 1000}}
                    : std::vector<std::pair<std::size_t, std::size_t>>{
                          {10'000, 100}, {10'000, 1000}, {2'000, 10'000}};
  double speedup = 0;
  for (const auto& [edges, dimension] : sizes) {
    const SecondOrderTimes times = time_second_order(edges, dimension);
    if (dimension == 1000) speedup = times.dense / times.sparse;
    std::printf("  %6zu edges %31zu %23.1f %15.1f %8.1f\n", edges, dimension, times.sparse * 1e9,
                times.dense * 1e9, times.dense / times.sparse);
  }
  const std::size_t edges = options.quick ? 2'000 : 200'000;
  const Input input = random_input(edges);
  const Features features(edges, 100'000);
  const LiftedRows rows{features, input.weights};
  const auto pairs = first_order_weights(input.weights);
  volatile double sink = 0;
  const double time = interleaved({[&] {
    sink = inside_outside<FirstOrder, SparsePair>(input.forest, pairs, rows).total.p;
  }})[0];
  std::printf("  %6zu edges %31d %23.1f\n\n", edges, 100'000,
              time / static_cast<double>(edges) * 1e9);
  char line[100];
  std::snprintf(line, sizeof line, " second_order_speedup_1000=%.1f", speedup);
  result += line;
}

template <Number T>
EdgeMap<T> numbers_of(const EdgeMap<double>& scores) {
  EdgeMap<T> weights;
  for (double score : scores.values()) weights.push_back(from_log<T>(score));
  return weights;
}

// (c) Number types that do not leave their range, against double.
void bench_numbers(const Options& options, std::string& result) {
  const Input input = random_input(options.quick ? 10'000 : 1'000'000);
  const auto wide = numbers_of<WideFloat>(input.scores);
  const auto logs = numbers_of<SignedLog>(input.scores);
  const NodeId root = input.forest.root();
  const auto run_double = [&] { return inside<Real>(input.forest, input.weights)[root]; };
  const auto run_wide = [&] { return inside<RealSemiring<WideFloat>>(input.forest, wide)[root]; };
  const auto run_logs = [&] { return inside<RealSemiring<SignedLog>>(input.forest, logs)[root]; };
  check(static_cast<double>(run_wide()), run_double(), "inside, WideFloat");
  check(static_cast<double>(run_logs()), run_double(), "inside, SignedLog");
  volatile double sink = 0;
  const auto times =
      interleaved({[&] { sink = run_double(); }, [&] { sink = static_cast<double>(run_wide()); },
                   [&] { sink = static_cast<double>(run_logs()); }});
  const auto edges = static_cast<double>(input.forest.num_edges());
  std::printf("inside in numbers   ns/edge  against double\n");
  const std::array<const char*, 3> names{"double", "WideFloat", "SignedLog"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::printf("  %-14s %10.2f %15.2f\n", names[i], times[i] / edges * 1e9, times[i] / times[0]);
  }
  std::printf("\n");
  char line[100];
  std::snprintf(line, sizeof line, " wide_vs_double=%.2f signedlog_vs_double=%.2f",
                times[1] / times[0], times[2] / times[0]);
  result += line;
}

// (d) Time and memory by size: inside and outside in double, and a whole gradient of risk.
void bench_growth(const Options& options, std::string& /*result*/) {
  std::printf(
      "growth       edges  inside ns/edge  outside ns/edge  risk gradient ns/edge"
      "  forest + charts MB\n");
  const std::size_t largest = options.quick ? 100'000 : 10'000'000;
  for (std::size_t edges = 10'000; edges <= largest; edges *= 10) {
    const Input input = random_input(edges);
    const Forest& forest = input.forest;
    NodeMap<double> inside_chart, outside_chart;
    const double up = seconds([&] { inside_chart = inside<Real>(forest, input.weights); });
    const double down =
        seconds([&] { outside_chart = outside<Real>(forest, input.weights, inside_chart); });
    check(inside_chart[forest.root()], 1, "inside of normalised weights");
    EdgeGradient gradient;
    EdgeMap<double> losses(edges, 1.0);
    const double risk = seconds([&] { gradient = risk_gradient(forest, input.scores, losses); });
    const double megabytes =
        (4.0 * static_cast<double>(forest.num_nodes() + edges + forest.num_tails()) +
         8.0 * static_cast<double>(inside_chart.size() + outside_chart.size())) /
        1e6;
    const double scale = 1e9 / static_cast<double>(edges);
    std::printf("  %16zu %15.2f %16.2f %22.2f %19.1f\n", edges, up * scale, down * scale,
                risk * scale, megabytes);
    if (megabytes > 400) throw std::runtime_error("forest and charts take over 400 MB");
  }
  std::printf("\n");
}

// (e) The k best derivations.
void bench_derivations(const Options& options, std::string& /*result*/) {
  std::ostringstream table;
  bench::bench_kbest(table, options.quick ? 20 : 84, options.quick ? 1 : 5);
  std::printf("(e) %s\n", table.str().c_str());
}

// Each prints a table, and may add "name=value" to the line of results. Add new ones here.
using Section = void (*)(const Options&, std::string& result);
constexpr std::array<Section, 5> kSections{bench_inside, bench_second_order, bench_numbers,
                                           bench_growth, bench_derivations};

}  // namespace
}  // namespace coppice

int main(int argc, char** argv) {
  try {
    const coppice::Options options{argc > 1 && std::strcmp(argv[1], "--quick") == 0};
    std::string result = "result:";
    for (const coppice::Section section : coppice::kSections) section(options, result);
    std::printf("%s\n", result.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forest_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
