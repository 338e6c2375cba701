// Trains a chain on a column file and prints the objective against processor time.
//
//     train_bench FILE TEMPLATES [--all-pairs] [--l1 X] [--l2 X] [--threads N] [--passes N]
//         [--step X] [--history N] [--target OBJECTIVE]
//
// FILE has word, tag and label columns; TEMPLATES is `crfsuite` or `default`. Ends when the
// objective is within 1e-4 of the target, or converged; then says what a pass costs, and what of
// that the machine's limits explain (pass_cost.h).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chain/corpus_objective.h"
#include "coppice/learn/trainer.h"
#include "coppice/tag/encode.h"
#include "coppice/text/extractor.h"
#include "coppice/text/reader.h"
#include "coppice/text/template_defaults.h"
#include "pass_cost.h"
#include "tag/dataset_builder.h"

namespace coppice::chain {
namespace {

double processor_seconds() {
  std::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int run(const std::string& path, const std::string& templates,
        const std::map<std::string, double>& options) {
  const auto option = [&](const char* name, double otherwise) {
    const auto found = options.find(name);
    return found == options.end() ? otherwise : found->second;
  };
  const double begin = processor_seconds();
  const text::TemplateSet set = templates == "crfsuite"
                                    ? text::crfsuite_chunking_templates()
                                    : text::default_templates(std::vector<std::string>{"w", "pos"});
  tag::DatasetBuilder builder(text::Extractor(set), {.feature_columns = {0, 1}, .label_column = 2});
  const auto reader = text::open_sentences(path, {.fallback = text::Format::kColumns});
  for (text::Sentence sentence; reader->next(sentence);) builder.add(sentence);
  auto encoded = std::move(builder).build();
  const double read = processor_seconds();
  const auto features =
      option("--all-pairs", 0) != 0 ? FeatureSet::kAllPairs : FeatureSet::kObserved;
  const std::vector<std::string> labels(encoded.labels.size());
  auto corpus = std::make_unique<CorpusObjective>(
      std::move(encoded.data), Constraints{}, ChainOptions{1, features}, learn::TrainingObjective{},
      LossTables({}, labels, text::Scheme::kRaw));
  const CorpusObjective& objective = *corpus;
  std::printf(
      "%zu labels, %zu attributes, %zu features, %zu parameters; read %.2f s, laid out %.2f s\n",
      objective.num_labels(), encoded.keys.size(), objective.num_features(),
      objective.num_parameters(), read - begin, processor_seconds() - read);

  const Threads threads(static_cast<unsigned>(option("--threads", 1)));
  learn::Trainer trainer(std::move(corpus),
                         {.l1 = option("--l1", 0),
                          .l2 = option("--l2", 1),
                          .stochastic_passes = static_cast<unsigned>(option("--passes", 4)),
                          .stochastic_step = option("--step", 0.4),
                          .history = static_cast<unsigned>(option("--history", 10))});
  const double target = option("--target", 0);
  while (trainer.iterate(threads)) {
    const learn::TrainingProgress& progress = trainer.progress();
    const double gap = target > 0 ? progress.objective / target - 1 : 0;
    const bool reached = target > 0 && !progress.stochastic && gap < 1e-4;
    if (progress.iteration % 10 == 0 || progress.stochastic || reached) {
      std::printf("%4zu %5zu evaluations  %12.3f  gap %9.2e  cpu %.2f s\n",
                  static_cast<std::size_t>(progress.iteration),
                  static_cast<std::size_t>(progress.evaluations), progress.objective, gap,
                  processor_seconds() - begin);
    }
    if (reached) break;
  }
  const learn::TrainingProgress& end = trainer.progress();
  std::printf("stopped: %s\n", std::string(end.stopped).c_str());
  const double seconds = processor_seconds() - begin;
  const double pass = print_pass_cost(objective, trainer, threads);
  std::printf("result: objective=%.3f evaluations=%zu cpu_seconds=%.3f ns_per_token=%.0f\n",
              trainer.value(threads), static_cast<std::size_t>(end.evaluations), seconds, pass);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace coppice::chain

int main(int argc, char** argv) {
  try {
    std::map<std::string, double> options;
    for (int i = 3; i < argc; ++i) {
      const std::string name = argv[i];
      options[name] = name == "--all-pairs" ? 1.0 : std::atof(i + 1 < argc ? argv[++i] : "0");
    }
    if (argc < 3) {
      std::fprintf(stderr, "usage: train_bench FILE crfsuite|default [--target OBJECTIVE] ...\n");
      return EXIT_FAILURE;
    }
    return coppice::chain::run(argv[1], argv[2], options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
