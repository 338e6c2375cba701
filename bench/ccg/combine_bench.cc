// combine_bench FILE.auto: pairs of items looked up and steps made per second of CPU time.
//
// Each sentence is derived; then every two neighbouring items of its derivation are looked up in a
// combiner with the normal form, and every step that it permits is made, as a chart would. The
// first pass fills the tables and is not timed; of five more the median counts. Every pass must
// make the same number of steps and realise the same number of dependencies.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/ccg/derivation.h"

namespace {

using namespace coppice::ccg;  // NOLINT(google-build-using-namespace)

struct Pass {
  std::size_t pairs = 0;
  std::size_t steps = 0;
  std::size_t dependencies = 0;
  double seconds = 0;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// All steps between neighbouring items of one derivation.
void combine_neighbours(const Derivation& derivation, Combiner& combiner, Items& items,
                        Pass& pass) {
  std::vector<std::vector<const Item*>> starting(derivation.supertags.size() + 1);
  for (const Derivation::Node& node : derivation.nodes) starting[node.begin].push_back(&node.item);
  std::vector<coppice::ccg::Dependency> realised;
  const double start = cpu_seconds();
  for (const Derivation::Node& node : derivation.nodes) {
    for (const Item* right : starting[node.end]) {
      ++pass.pairs;
      for (const Combination& each : combiner.combine(node.item.form, right->form)) {
        if (!combiner.permits(each, node.item.marks, right->marks)) continue;
        ++pass.steps;
        items.combine(each, node.item, *right, realised);
      }
    }
  }
  pass.seconds += cpu_seconds() - start;
  pass.dependencies += realised.size();
}

int run(const std::string& path) {
  Forms forms;
  Deriver deriver(forms, default_rules(forms.categories()));
  const Rules rules = default_rules(forms.categories());
  Combiner combiner(forms, rules);
  std::vector<Pass> passes(6);
  for (Pass& pass : passes) {
    coppice::text::CcgbankReader reader(path);
    for (coppice::text::Sentence sentence; reader.next(sentence);) {
      const Derivation derivation = deriver.derive(sentence, reader.derivation());
      combine_neighbours(derivation, combiner, deriver.items(), pass);
    }
    coppice::require(pass.steps == passes[0].steps && pass.dependencies == passes[0].dependencies,
                     "two passes differ");
  }
  std::ranges::sort(passes.begin() + 1, passes.end(), {}, &Pass::seconds);
  const Pass& median = passes[3];
  std::printf("%zu pairs, %zu steps, %zu dependencies, %zu forms\n", median.pairs, median.steps,
              median.dependencies, forms.size());
  std::printf("result: pairs_per_second=%.0f steps_per_second=%.0f first_pass=%.3f pass=%.3f\n",
              static_cast<double>(median.pairs) / median.seconds,
              static_cast<double>(median.steps) / median.seconds, passes[0].seconds,
              median.seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: combine_bench FILE.auto\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "combine_bench: %s\n", error.what());
    return 1;
  }
}
