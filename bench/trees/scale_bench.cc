// The l1-boosted learner on generated examples in a mapped file.
//
//     scale_bench write FILE EXAMPLES      1.1 million binary features, 30 on in each example
//     scale_bench train FILE TREES DEPTH   prints seconds, CPU seconds and leaves, a row a tree
//
// Few features are frequent and most are rare, as words are: feature number 1.1e6 u^3, u uniform.
// The label depends on hidden weights of the 20,000 most frequent ones and on pairs of them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/trees/example_file.h"
#include "coppice/trees/l1_boosting.h"

namespace {

using namespace coppice;         // NOLINT(google-build-using-namespace)
using namespace coppice::trees;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t kFeatures = 1'100'000, kWeighted = 20'000;
constexpr std::size_t kOn = 30;

// A hidden weight in [-1, 1] of a feature or of a pair.
double hidden_weight(std::uint64_t a, std::uint64_t b = 0) {
  return 2 * Random(a * 0x9e3779b97f4a7c15u + b).uniform() - 1;
}

void draw(Random& random, std::vector<std::uint32_t>& bins) {
  bins.clear();
  while (bins.size() < kOn) {
    while (bins.size() < kOn) {
      const double u = random.uniform();
      bins.push_back(static_cast<std::uint32_t>(kFeatures * (u * u * u)));
    }
    std::sort(bins.begin(), bins.end());
    bins.erase(std::unique(bins.begin(), bins.end()), bins.end());
  }
}

double score(const std::vector<std::uint32_t>& bins) {
  double sum = 0;
  for (std::size_t i = 0; i < bins.size() && bins[i] < kWeighted; ++i) {
    sum += hidden_weight(bins[i]);
    if (i > 0) sum += 2 * hidden_weight(bins[i - 1] / 100, bins[i] / 100 + 1);
  }
  return sum;
}

void write(const std::string& path, std::size_t examples) {
  std::vector<std::string> names;
  names.reserve(kFeatures);
  for (std::uint32_t i = 0; i < kFeatures; ++i) names.push_back(std::to_string(i));
  ExampleFileWriter writer(path, Overwrite::kAllow);
  Random random(1);
  std::vector<std::uint32_t> bins;
  for (std::size_t i = 0; i < examples; ++i) {
    draw(random, bins);
    const double p = 1 / (1 + std::exp(-score(bins)));
    writer.add(bins, random.uniform() < p ? 1 : 0, 1.0f);
  }
  writer.commit(FeatureTable(names, {}), {"no", "yes"});
}

void train(const std::string& path, std::size_t trees, std::size_t depth) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto opening = now();
  const ExampleFile file(path);
  std::printf("opened\t%.2f\n", std::chrono::duration<double>(now() - opening).count());
  L1Options options;
  options.fit = Fit::kTree;
  options.question_cost = 0;
  options.grow.max_depth = depth;
  options.lambda_factor = 0.02;  // a tree is small until lambda is
  options.max_trees = trees;
  L1Booster booster(file.features().schema(), file.view(), {}, 1, options);
  const Threads threads(1);
  std::printf("tree\tseconds\tcpu\tleaves\tobjective\n");
  for (bool more = true; more;) {
    const std::size_t before = booster.trees().num_trees();
    const auto begin = now();
    const std::clock_t cpu = std::clock();
    more = booster.step(threads);
    if (booster.trees().num_trees() == before) continue;
    const auto leaves = (booster.trees().view().tree(before).size() + 1) / 2;
    std::printf("%zu\t%.3f\t%.3f\t%zu\t%.0f\n", before + 1,
                std::chrono::duration<double>(now() - begin).count(),
                static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC, leaves,
                booster.objective());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  try {
    if (verb == "write" && argc == 4) {
      write(argv[2], static_cast<std::size_t>(std::atoll(argv[3])));
    } else if (verb == "train" && argc == 5) {
      train(argv[2], static_cast<std::size_t>(std::atoi(argv[3])),
            static_cast<std::size_t>(std::atoi(argv[4])));
    } else {
      std::cerr << "usage: scale_bench write FILE EXAMPLES | train FILE TREES DEPTH\n";
      return 2;
    }
    return 0;
  } catch (const Error& error) {
    std::cerr << "scale_bench: " << error.what() << '\n';
    return 1;
  }
}
