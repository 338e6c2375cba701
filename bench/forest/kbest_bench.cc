#include "forest/kbest_bench.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <ostream>
#include <stdexcept>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/forest/best.h"
#include "coppice/forest/kbest.h"
#include "support/long_forests.h"

namespace coppice::bench {

namespace {

EdgeMap<double> uniform_scores(const Forest& forest) {
  Random random(1);
  EdgeMap<double> scores(forest.num_edges(), 0.0);
  for (double& score : scores.values()) score = random.uniform();
  return scores;
}

// Reads k derivations one by one and keeps none, as a reranker would; returns milliseconds.
double run(const Forest& forest, const EdgeMap<double>& scores, std::size_t k) {
  const auto start = std::chrono::steady_clock::now();
  KBest lazy(forest, scores);
  double last = best_derivation(forest, scores)->score;
  for (std::size_t i = 0; i < k; ++i) {
    const auto derivation = lazy.next();
    if (!derivation) throw std::runtime_error("kbest: the list is too short");
    if (i == 0 ? derivation->score != last : derivation->score > last) {
      throw std::runtime_error("kbest: the list is out of order");
    }
    last = derivation->score;
  }
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

}  // namespace

void bench_kbest(std::ostream& out, std::uint32_t words, int repeats) {
  const Forest forest = testing::bracketing_forest(words);
  const EdgeMap<double> scores = uniform_scores(forest);
  out << "k-best on " << forest.num_nodes() << " nodes, " << forest.num_edges() << " edges, "
      << 2 * words - 1 << " edges a derivation\n"
      << std::setw(8) << "k" << std::setw(14) << "ms" << std::setw(18) << "derivations/s" << '\n';
  for (std::size_t k : {1u, 10u, 1000u, 100'000u}) {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) times.push_back(run(forest, scores, k));
    std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
    const double median = times[static_cast<std::size_t>(repeats / 2)];
    out << std::fixed << std::setw(8) << k << std::setw(14) << std::setprecision(2) << median
        << std::setw(18) << std::setprecision(0) << 1000.0 * static_cast<double>(k) / median
        << '\n';
  }
}

}  // namespace coppice::bench
