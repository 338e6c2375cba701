// Time of one evaluation of each objective on a corpus, relative to the likelihood, at the weights
// of a trained model, with the constraints of the labels' scheme as `coppice train tag` has them.
//
//     objective_bench NAME=FILE:WORD_COLUMNS:LABEL_COLUMN ...
//
// The first 2000 sentences of each; of the last also 1000, 4000 and 8000, to see how a loss of the
// corpus grows, and how the likelihood does. Rounds take turns
// between an objective and the likelihood, so that a busy spell of the machine strikes both; the
// table has the median of the rounds' ratios. The last line has the worst corpus of each ratio.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chain/corpus_objective.h"
#include "coppice/chain/constraints.h"
#include "coppice/learn/trainer.h"
#include "coppice/learn/training_objective.h"
#include "coppice/tag/encode.h"
#include "coppice/text/extractor.h"
#include "coppice/text/reader.h"
#include "coppice/text/spans.h"
#include "coppice/text/template_defaults.h"
#include "tag/dataset_builder.h"

namespace coppice::chain {
namespace {

using learn::LossName;
using learn::TrainingObjective;
using enum learn::ObjectiveKind;

constexpr int kRounds = 31;
constexpr int kGrowthRounds = 7;
constexpr double kSeconds = 4;  // no further round after that
constexpr std::size_t kSentences = 2000;

double processor_seconds() {
  std::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Encoded {
  Dataset data;
  std::vector<std::string> labels;
  text::Scheme scheme;
};

Encoded read(const std::string& path, std::size_t inputs, std::size_t label_column,
             std::size_t sentences) {
  std::vector<std::string> names{"w", "pos"};
  names.resize(inputs);
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < inputs; ++c) columns.push_back(c);
  tag::DatasetBuilder builder(text::Extractor(text::default_templates(names)),
                              {.feature_columns = columns, .label_column = label_column});
  const auto reader = text::open_sentences(path, {.fallback = text::Format::kColumns});
  text::Sentence sentence;
  for (std::size_t i = 0; i < sentences && reader->next(sentence); ++i) builder.add(sentence);
  auto built = std::move(builder).build();
  Encoded encoded{std::move(built.data), {}, text::Scheme::kRaw};
  for (const SymbolId id : built.labels.ids()) encoded.labels.emplace_back(built.labels[id]);
  const std::vector<std::string_view> views(encoded.labels.begin(), encoded.labels.end());
  encoded.scheme = text::detect_scheme(views);
  return encoded;
}

std::vector<std::pair<std::string, TrainingObjective>> contestants() {
  return {{"softmax-margin, Hamming", {.goal = kSoftmaxMargin}},
          {"softmax-margin, dec-f1", {.goal = kSoftmaxMargin, .loss = LossName::kDecF1}},
          {"softmax-margin, f1", {.goal = kSoftmaxMargin, .loss = LossName::kF}},
          {"softmax-margin, corpus f1",
           {.goal = kSoftmaxMargin, .loss = LossName::kF, .of_corpus = true}},
          {"risk, dec-f1", {.goal = kRisk, .loss = LossName::kDecF1}},
          {"risk, f1", {.goal = kRisk, .loss = LossName::kF}}};
}

// Evaluates objectives of a corpus at the weights of a trained model.
class Timer {
 public:
  explicit Timer(const Encoded& encoded)
      : encoded_(encoded), constraints_(scheme_constraints(encoded.labels, encoded.scheme)) {
    learn::Trainer trainer(objective({}), {.l2 = 0.5, .stopping = {.max_iterations = 20}});
    while (trainer.iterate(threads_)) {
    }
    point_.assign(trainer.weights().begin(), trainer.weights().end());
    gradient_.resize(point_.size());
  }
  // In the first stage of its own: past the likelihood that risks begin with.
  std::unique_ptr<CorpusObjective> objective(const TrainingObjective& options) const {
    auto made =
        std::make_unique<CorpusObjective>(encoded_.data, constraints_, ChainOptions{}, options,
                                          LossTables(options, encoded_.labels, encoded_.scheme));
    if (options.is_risk()) made->objective().advance();
    return made;
  }
  double seconds(CorpusObjective& objective) {
    const double begin = processor_seconds();
    objective.evaluate(point_, gradient_, threads_);
    return processor_seconds() - begin;
  }

 private:
  const Encoded& encoded_;
  Constraints constraints_;
  Threads threads_{1};
  AlignedVector<float> point_, gradient_;
};

// Ratios to the likelihood, in the order of contestants().
std::vector<double> compare(const std::string& name, const Encoded& encoded) {
  Timer timer(encoded);
  std::printf("%s: %zu sentences, %zu tokens, %zu labels\n", name.c_str(),
              encoded.data.num_sentences(), encoded.data.num_tokens(), encoded.labels.size());
  const auto likelihood = timer.objective({});
  std::vector<double> ratios;
  for (const auto& [contestant, options] : contestants()) {
    const auto objective = timer.objective(options);
    std::vector<double> own, of_rounds;
    double spent = 0;
    for (int round = 0; round < kRounds && spent < kSeconds; ++round) {
      const double base = timer.seconds(*likelihood);
      own.push_back(timer.seconds(*objective));
      of_rounds.push_back(own.back() / base);
      spent += own.back();
    }
    ratios.push_back(median(of_rounds));
    std::printf("  %-28s %8.4f s  %6.2f  %s\n", contestant.c_str(), median(own), ratios.back(),
                objective->objective().remarks().c_str());
    std::fflush(stdout);
  }
  return ratios;
}

// NAME=FILE:WORD_COLUMNS:LABEL_COLUMN
struct Source {
  explicit Source(const std::string& argument) {
    const std::size_t equals = argument.find('='), last = argument.rfind(':');
    const std::size_t before = argument.rfind(':', last - 1);
    name = argument.substr(0, equals);
    path = argument.substr(equals + 1, before - equals - 1);
    inputs = std::stoul(argument.substr(before + 1));
    label_column = std::stoul(argument.substr(last + 1));
  }
  Encoded first(std::size_t sentences) const { return read(path, inputs, label_column, sentences); }

  std::string name, path;
  std::size_t inputs = 0, label_column = 0;
};

// Exponents by which the time of a pass grows with the sentences.
struct Growth {
  double of_corpus_loss;
  double of_likelihood;
};

Growth corpus_growth(const Source& source) {
  std::printf("%s: a pass with softmax-margin, corpus f1\n", source.name.c_str());
  std::vector<double> sizes, times, likelihood_times;
  for (const std::size_t sentences : {1000, 2000, 4000, 8000}) {
    const Encoded encoded = source.first(sentences);
    Timer timer(encoded);
    const auto likelihood = timer.objective({});
    const auto objective =
        timer.objective({.goal = kSoftmaxMargin, .loss = LossName::kF, .of_corpus = true});
    std::vector<double> seconds, base;
    for (int round = 0; round < kGrowthRounds; ++round) {
      base.push_back(timer.seconds(*likelihood));
      seconds.push_back(timer.seconds(*objective));
    }
    sizes.push_back(static_cast<double>(encoded.data.num_sentences()));
    times.push_back(median(seconds));
    likelihood_times.push_back(median(base));
    std::printf("  %5.0f sentences  %8.4f s  %7.1f us a sentence, the likelihood's pass %5.1f us\n",
                sizes.back(), times.back(), 1e6 * times.back() / sizes.back(),
                1e6 * likelihood_times.back() / sizes.back());
    std::fflush(stdout);
  }
  const auto exponent = [&](const std::vector<double>& of) {
    return std::log(of.back() / of.front()) / std::log(sizes.back() / sizes.front());
  };
  return {exponent(times), exponent(likelihood_times)};
}

void run(const std::vector<std::string>& arguments) {
  std::vector<double> worst(contestants().size(), 0.0);
  for (const std::string& argument : arguments) {
    const Source source(argument);
    const auto ratios = compare(source.name, source.first(kSentences));
    for (std::size_t i = 0; i < ratios.size(); ++i) worst[i] = std::max(worst[i], ratios[i]);
  }
  const Growth growth = corpus_growth(Source(arguments.back()));
  std::printf(
      "result: softmax_margin_ratio=%.3f dec_f1_ratio=%.3f exact_f_ratio=%.3f "
      "corpus_f_ratio=%.3f risk_ratio=%.3f exact_risk_ratio=%.3f corpus_f_growth=%.2f "
      "likelihood_growth=%.2f\n",
      worst[0], worst[1], worst[2], worst[3], worst[4], worst[5], growth.of_corpus_loss,
      growth.of_likelihood);
}

}  // namespace
}  // namespace coppice::chain

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty()) {
      std::fprintf(stderr, "usage: objective_bench NAME=FILE:WORD_COLUMNS:LABEL_COLUMN ...\n");
      return EXIT_FAILURE;
    }
    coppice::chain::run(arguments);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "objective_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
