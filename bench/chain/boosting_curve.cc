// Accuracy by round of a boosted chain, on its training data and on other data.
//
//     boosting_curve TRAIN TEST ROUNDS [key=value ...]
//
// TRAIN and TEST are column files whose last column is the label; the others are inputs.
// Keys: window (tokens on each side), order, leaves, shrinkage, newton, ridge, rows, features,
// pseudo, trim, surrogates, per_round (trees of a label), categories (largest number of values that
// one question may divide), seed, threads; templates (a file, in place of the window); every (a row
// for every so many rounds). Prints a header and a row a round: objective, CPU seconds so far, the
// accuracy (%) of Viterbi and of forward-backward decoding on both files, and the mean of
// -ln p(label | x) over the tokens of TEST.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <numeric>
#include <string>

#include "chain/boosted_chain.h"
#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/learn/booster.h"
#include "coppice/tag/encode.h"
#include "coppice/text/reader.h"
#include "tag/dataset_builder.h"

namespace {

using namespace coppice;         // NOLINT(google-build-using-namespace)
using namespace coppice::chain;  // NOLINT(google-build-using-namespace)

std::vector<text::Sentence> read(const std::string& path) {
  const auto reader = text::open_sentences(path, {.format = text::Format::kColumns});
  std::vector<text::Sentence> sentences;
  for (text::Sentence sentence; reader->next(sentence);) sentences.push_back(sentence);
  return sentences;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Accuracy {
  double viterbi = 0, marginal = 0;  // %
  double loss = 0;                   // of labels by their posteriors, mean
};

// `scores(i)` are those of sentence i.
template <class Scores>
Accuracy accuracy(const EdgeShape& shape, const std::vector<std::vector<std::uint16_t>>& gold,
                  const Scores& scores) {
  Accuracy right;
  double tokens = 0, loss = 0;
  EdgeWorkspace workspace;
  std::vector<std::uint16_t> best;
  std::vector<float> p, posterior(shape.labels);
  for (std::size_t i = 0; i < gold.size(); ++i) {
    edge_best_labels(shape, scores(i), best);
    p.resize(scores(i).size());
    edge_marginals(shape, scores(i), p, workspace);
    for (std::size_t t = 0; t < gold[i].size(); ++t, ++tokens) {
      edge_posterior(shape, p, t, posterior);
      const auto likely = std::max_element(posterior.begin(), posterior.end()) - posterior.begin();
      right.viterbi += best[t] == gold[i][t];
      right.marginal += likely == gold[i][t];
      if (gold[i][t] != kNoLabel) loss -= std::log(std::max(1e-9, double{posterior[gold[i][t]]}));
    }
  }
  return {100 * right.viterbi / tokens, 100 * right.marginal / tokens, loss / tokens};
}

learn::BoostingOptions boosting_options(std::map<std::string, double>& keys) {
  learn::BoostingOptions options;
  const auto take = [&](const char* key, double value) {
    return keys.contains(key) ? keys[key] : value;
  };
  options.max_leaves = static_cast<std::size_t>(take("leaves", 16));
  options.shrinkage = take("shrinkage", 1);
  options.newton = take("newton", 0) != 0;
  options.ridge = take("ridge", 1);
  options.row_fraction = take("rows", 1);
  options.feature_fraction = take("features", 1);
  options.pseudo_rounds = static_cast<unsigned>(take("pseudo", 3));
  options.trim = take("trim", 0);
  options.max_surrogates = static_cast<unsigned>(take("surrogates", 0));
  options.trees_per_round = static_cast<std::size_t>(take("per_round", 1));
  options.seed = static_cast<std::uint64_t>(take("seed", 1));
  return options;
}

int run(int argc, char** argv) {
  std::map<std::string, double> keys{
      {"window", 5}, {"order", 1}, {"threads", 1}, {"categories", 64}, {"every", 1}};
  std::string template_text;
  for (int i = 4; i < argc; ++i) {
    const std::string text = argv[i];
    if (text.starts_with("templates=")) template_text = read_file(text.substr(10));
    keys[text.substr(0, text.find('='))] = std::atof(text.c_str() + text.find('=') + 1);
  }
  const auto train = read(argv[1]), test = read(argv[2]);
  const int window = static_cast<int>(keys["window"]);
  if (template_text.empty()) {
    template_text = "w[" + std::to_string(-window) + ".." + std::to_string(window) + "]\n";
  }
  const auto templates = text::parse_templates(template_text, {});
  const text::Extractor extractor(templates);
  std::vector<std::size_t> columns(train.at(0).num_columns() - 1);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  const tag::EncoderOptions encoder{.feature_columns = columns, .label_column = columns.size()};
  tag::DatasetBuilder builder(extractor, encoder), test_builder(extractor, encoder);
  for (const text::Sentence& sentence : train) builder.add(sentence);
  for (const text::Sentence& sentence : test) test_builder.add(sentence);
  auto data = std::move(builder).build(), other = std::move(test_builder).build();
  const TreeInputs inputs(data.data.design, data.keys, data.groups,
                          {.max_categories = static_cast<std::size_t>(keys["categories"])});
  const auto rows = inputs.encode(data.data.design, data.keys);
  const auto test_rows = inputs.encode(other.data.design, other.keys);
  std::vector<std::vector<std::uint16_t>> gold, test_gold;
  const auto labels_of = [&](const text::Sentence& sentence) {
    std::vector<std::uint16_t> labels;
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      const auto found = data.labels.find(sentence.cell(t, encoder.label_column));
      labels.push_back(found ? static_cast<std::uint16_t>(index(*found)) : kNoLabel);
    }
    return labels;
  };
  for (const text::Sentence& sentence : train) gold.push_back(labels_of(sentence));
  for (const text::Sentence& sentence : test) test_gold.push_back(labels_of(sentence));
  const Constraints none;
  const Threads threads(static_cast<unsigned>(keys["threads"]));
  const std::vector<std::string> labels(data.labels.size());
  BoostedChain chain(inputs.schema(), {rows.view().rows, data.data.sentence_begin}, data.data, none,
                     {.order = static_cast<unsigned>(keys["order"])}, {},
                     LossTables({}, labels, text::Scheme::kRaw));
  chain.follow({test_rows.view().rows, other.data.sentence_begin});
  learn::Booster booster(chain, boosting_options(keys));
  std::printf("round\tobjective\tcpu\ttrain_viterbi\ttrain_fb\ttest_viterbi\ttest_fb\ttest_loss\n");
  double cpu = 0;
  for (int round = 1; round <= std::atoi(argv[3]); ++round) {
    const double begin = cpu_seconds();
    const double objective = booster.round(threads);
    cpu += cpu_seconds() - begin;
    if (round % static_cast<int>(keys["every"]) != 0) continue;
    const Accuracy seen =
        accuracy(chain.shape(), gold, [&](std::size_t i) { return chain.scores(i); });
    const Accuracy unseen =
        accuracy(chain.shape(), test_gold, [&](std::size_t i) { return chain.scores(0, i); });
    std::printf("%d\t%.2f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.4f\n", round, objective, cpu,
                seen.viterbi, seen.marginal, unseen.viterbi, unseen.marginal, unseen.loss);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: boosting_curve TRAIN TEST ROUNDS [key=value ...]\n";
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::cerr << "boosting_curve: " << error.what() << '\n';
    return 1;
  }
}
