#include "pass_cost.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace coppice::chain {

namespace {

constexpr int kTries = 5;

// The shortest processor time of a few calls, in seconds.
template <class Work>
double least_seconds(const Work& work) {
  double least = 1e30;
  for (int i = 0; i < kTries; ++i) {
    const std::clock_t begin = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

// Eight running sums, each a vector of eight floats: the compiler keeps them in registers.
float sum_of(const std::vector<float>& table) {
  constexpr std::size_t lanes = 64;
  float sums[lanes] = {};
  for (std::size_t i = 0; i + lanes <= table.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += table[i + lane];
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace

PassCost pass_cost(const CorpusObjective& objective) {
  const LinearPotential& potential = objective.potential();
  const MergedColumns& columns = potential.columns();
  const std::vector<float> ones(potential.num_parameters(), 1.0F);
  std::vector<LinearPotential::Entry> row;
  PassCost cost;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    potential.read_row(ones, c, row);
    std::size_t labels = 0;
    for (const LinearPotential::Entry& entry : row) labels += entry.weight != 0 ? 1 : 0;
    const auto count = static_cast<double>(columns.count[c]);
    cost.entries += count;
    cost.additions += 2 * count * static_cast<double>(labels);
  }
  const auto tokens = static_cast<double>(potential.num_tokens());
  const auto labels = static_cast<double>(potential.num_labels());
  cost.entries /= tokens;
  cost.additions /= tokens;
  cost.products = 3 * labels * labels;
  cost.bytes = 8 * cost.entries + 4 * cost.additions + 9 * 4 * labels;
  return cost;
}

MachineSpeed machine_speed(std::size_t table_floats) {
  constexpr std::size_t near_floats = 4096;
  constexpr int near_rounds = 2000;
  const std::vector<float> near(near_floats, 1.0F);
  const std::vector<float> far(table_floats, 1.0F);
  volatile float sink = 0;
  const double near_seconds = least_seconds([&] {
    for (int i = 0; i < near_rounds; ++i) sink = sink + sum_of(near);
  });
  const double far_seconds = least_seconds([&] { sink = sink + sum_of(far); });
  return {static_cast<double>(near_floats) * near_rounds / near_seconds,
          4 * static_cast<double>(table_floats) / far_seconds};
}

double print_pass_cost(const CorpusObjective& objective, learn::Trainer& trainer,
                       const Threads& threads) {
  const LinearPotential& potential = objective.potential();
  const PassCost cost = pass_cost(objective);
  const MachineSpeed machine = machine_speed(potential.num_tokens() * potential.stride());
  const double seconds = least_seconds([&] { trainer.value(threads); });
  const double nanoseconds = 1e9 * seconds / static_cast<double>(potential.num_tokens());
  const double arithmetic = 1e9 * (cost.additions + cost.products) / machine.additions;
  const double memory = 1e9 * cost.bytes / machine.bytes;
  std::printf("\na pass, by token: %.1f entries, %.0f additions, %.0f products, %.0f bytes\n",
              cost.entries, cost.additions, cost.products, cost.bytes);
  std::printf("machine: %.1f additions/ns, %.1f bytes/ns streamed\n", 1e-9 * machine.additions,
              1e-9 * machine.bytes);
  std::printf("least by arithmetic %.0f ns, by streaming %.0f ns; measured %.0f ns\n", arithmetic,
              memory, nanoseconds);
  return nanoseconds;
}

}  // namespace coppice::chain
