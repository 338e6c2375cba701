// The cost of a (feature, part) pair in the sparse potential (score/sparse_linear.h).
//
//     sparse_bench
//
// Examples are like those of a pruned parser: rows of spans with 10 features each out of a large
// dictionary, and some of 60 labels at each. Times are processor time of one thread, the fastest
// of some rounds: looking an example up, adding scores, and taking derivatives back.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/score/sparse_linear.h"

namespace coppice {
namespace {

constexpr int kRounds = 7;
constexpr std::size_t kExamples = 2000, kRows = 60, kFeatures = 10, kOutputs = 60;
constexpr std::uint64_t kKeys = 200'000;

double processor_seconds() {
  std::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Few features are frequent, most are rare, as words are.
std::uint64_t random_key(Random& random) {
  const double u = random.uniform();
  return static_cast<std::uint64_t>(u * u * u * kKeys) * 0x9e3779b97f4a7c15ULL;
}

PartFeatures random_example(std::uint64_t seed) {
  Random random(seed);
  PartFeatures features;
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::uint32_t at = features.add_row();
    for (std::size_t k = 0; k < kFeatures; ++k) features.add(random_key(random));
    for (std::uint32_t y = 0; y < kOutputs; ++y) {
      if (random.below(8) == 0) features.add_part(at, y);
    }
  }
  return features;
}

// The fastest round of run(example), in seconds for all examples.
template <class Run>
double fastest(const Run& run) {
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = processor_seconds();
    for (std::size_t i = 0; i < kExamples; ++i) run(i);
    least = std::min(least, processor_seconds() - begin);
  }
  return least;
}

void run() {
  std::vector<PartFeatures> examples;
  SparseLinear::Builder builder;
  for (std::size_t i = 0; i < kExamples; ++i) {
    examples.push_back(random_example(i));
    builder.observe(examples.back());
  }
  const SparseLinear linear = std::move(builder).build();
  std::vector<std::vector<SparseLinear::Hit>> hits(kExamples);
  std::vector<float> weights(linear.num_parameters(), 0.5f), gradient(weights.size(), 0.0f);
  std::vector<std::vector<float>> scores(kExamples);
  for (std::size_t i = 0; i < kExamples; ++i) scores[i].assign(examples[i].num_parts(), 0.0f);

  const double find = fastest([&](std::size_t i) { linear.find(examples[i], hits[i]); });
  const double add = fastest([&](std::size_t i) { add_scores(hits[i], weights, scores[i]); });
  const double back = fastest([&](std::size_t i) {
    for (const SparseLinear::Hit& hit : hits[i]) {
      gradient[hit.parameter] += hit.value * scores[i][hit.part];
    }
  });
  std::size_t pairs = 0;
  for (const auto& of_example : hits) pairs += of_example.size();
  const double nanoseconds = 1e9 / static_cast<double>(pairs);
  std::printf("%zu weights, %zu (feature, part) pairs in %zu examples; nanoseconds per pair\n",
              weights.size(), pairs, kExamples);
  std::printf("  look-up      %6.2f\n  scores       %6.2f\n  derivatives  %6.2f\n",
              find * nanoseconds, add * nanoseconds, back * nanoseconds);
  std::printf("result: find_ns=%.2f score_ns=%.2f gradient_ns=%.2f\n", find * nanoseconds,
              add * nanoseconds, back * nanoseconds);
}

}  // namespace
}  // namespace coppice

int main() {
  coppice::run();
  return 0;
}
