// Classifiers: from examples to a model file and back, in memory and mapped.
#include "coppice/classify/classifier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/classify/classifier_training.h"
#include "coppice/trees/example_file.h"
#include "support/temporary_directory.h"

namespace coppice::classify {

namespace {

struct Named {
  std::string name;
  double value = 1;
};

struct Line {
  std::vector<Named> features;
  std::uint16_t label = 0;
};

// The class is 1 with "money" and not "friend", or when "caps" is high; 2 with "list".
std::vector<Line> random_lines(std::uint64_t seed, std::size_t size, bool three_classes) {
  Random random(seed);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < size; ++i) {
    Line line;
    const bool money = random.below(2) == 0, known = random.below(2) == 0;
    const double caps = random.uniform();
    if (money) line.features.push_back({"money"});
    if (known) line.features.push_back({"friend"});
    if (random.below(10) != 0) line.features.push_back({"caps", caps});
    line.features.push_back({"w" + std::to_string(random.below(20))});
    line.label = (money && !known) || caps > 0.8 ? 1 : 0;
    if (three_classes && random.below(3) == 0) {
      line.features.push_back({"list"});
      line.label = 2;
    }
    lines.push_back(line);
  }
  return lines;
}

struct Data {
  trees::FeatureTable features;
  trees::ExampleTable examples;
  std::vector<Line> lines;

  Data(std::uint64_t seed, std::size_t size, bool three_classes = false)
      : lines(random_lines(seed, size, three_classes)) {
    trees::FeatureCounter counter;
    for (const Line& line : lines) {
      for (const Named& feature : line.features) counter.observe(feature.name, feature.value);
    }
    features = counter.table({});
    std::vector<std::uint32_t> bins;
    for (const Line& line : lines) {
      features.encode(line.features, bins);
      examples.add(bins, line.label);
    }
  }
};

const std::vector<std::string> kTwo{"ham", "spam"}, kThree{"ham", "spam", "list"};

ModelWriter trained(const trees::FeatureTable& features, const std::vector<std::string>& labels,
                    const trees::ExampleView& view, const trees::L1Options& options,
                    unsigned n = 1) {
  const Threads threads(n);
  ClassifierTraining training(features, labels, view, {}, options);
  while (training.step(threads)) {
  }
  return training.model("{}");
}

Classifier loaded(const ModelWriter& writer) {
  std::ostringstream out;
  writer.write(out);
  const std::string bytes = out.str();
  return Classifier(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
}

double accuracy(const Classifier& classifier, const std::vector<Line>& lines) {
  std::vector<std::uint32_t> bins;
  std::vector<double> p(classifier.labels().size());
  trees::Predictor::Scratch scratch;
  double correct = 0;
  for (const Line& line : lines) {
    classifier.features().encode(line.features, bins);
    classifier.probabilities(bins, p, scratch);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-9);
    correct += std::max_element(p.begin(), p.end()) - p.begin() == line.label;
  }
  return correct / static_cast<double>(lines.size());
}

TEST(Classifier, LearnsTwoClasses) {
  const Data data(1, 1500);
  const Classifier classifier = loaded(trained(data.features, kTwo, data.examples.view(), {}));
  EXPECT_GT(accuracy(classifier, random_lines(2, 500, false)), 0.95);
}

TEST(Classifier, LearnsThreeClassesOneAgainstTheRest) {
  const Data data(3, 1500, true);
  const Classifier classifier = loaded(trained(data.features, kThree, data.examples.view(), {}));
  EXPECT_EQ(classifier.paths().size(), 3u);
  EXPECT_GT(accuracy(classifier, random_lines(4, 500, true)), 0.95);
}

TEST(Classifier, ReadsItsConjunctionsOut) {
  const Data data(5, 1500);
  const Classifier classifier = loaded(
      trained(data.features, kTwo, data.examples.view(), {.question_cost = 0.5, .min_lambda = 20}));
  const auto features = classifier.compound_features();
  ASSERT_FALSE(features.empty());
  bool found = false;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (i > 0) {
      EXPECT_LE(std::fabs(features[i].weight), std::fabs(features[i - 1].weight));
    }
    std::string text;
    for (const Condition& condition : features[i].conditions) text += condition.text + "; ";
    const bool is_spam = text.find("money; ") != std::string::npos &&
                         text.find("not money; ") == std::string::npos &&
                         text.find("not friend; ") != std::string::npos;
    found = found || (is_spam && features[i].weight > 0);
  }
  EXPECT_TRUE(found);
  EXPECT_LT(features.size(), 200u);
}

TEST(Classifier, EveryPointOfThePathIsThere) {
  const Data data(6, 800);
  Classifier classifier = loaded(trained(data.features, kTwo, data.examples.view(), {}));
  const std::vector<trees::PathPoint> points = classifier.paths()[0].points;
  ASSERT_GT(points.size(), 4u);
  std::vector<std::uint32_t> bins;
  std::vector<double> p(2);
  trees::Predictor::Scratch scratch;
  for (const trees::PathPoint& point : points) {
    classifier.choose_lambda(point.lambda);
    double loss = 0;
    for (const Line& line : data.lines) {
      classifier.features().encode(line.features, bins);
      classifier.probabilities(bins, p, scratch);
      loss -= std::log(p[line.label]);
    }
    EXPECT_NEAR(loss / static_cast<double>(data.lines.size()), point.loss, 1e-5);
    EXPECT_GE(classifier.compound_features().size(), point.features);
  }
}

TEST(Classifier, IsTheSameWithAnyNumberOfThreads) {
  const Data data(7, 900, true);
  const trees::ExampleView view = data.examples.view();
  EXPECT_EQ(trained(data.features, kThree, view, {}, 1).payload_digest(),
            trained(data.features, kThree, view, {}, 3).payload_digest());
}

TEST(ExampleFile, GivesTheSameModelAsMemory) {
  const testing::TemporaryDirectory directory;
  const Data data(8, 700, true);
  {
    trees::ExampleFileWriter writer(directory.file("e.cpx"), Overwrite::kRefuse);
    const trees::ExampleView view = data.examples.view();
    for (std::size_t i = 0; i < view.size(); ++i) writer.add(view.rows.row(i), view.classes[i], 1);
    writer.commit(data.features, kThree);
  }
  EXPECT_TRUE(trees::ExampleFile::is_one(directory.file("e.cpx")));
  EXPECT_FALSE(trees::ExampleFile::is_one(directory.write("t.txt", "a b\n")));
  EXPECT_FALSE(std::filesystem::exists(directory.file("e.cpx.bins")));
  const trees::ExampleFile file(directory.file("e.cpx"));
  EXPECT_EQ(file.labels(), kThree);
  EXPECT_EQ(trained(file.features(), file.labels(), file.view(), {}).payload_digest(),
            trained(data.features, kThree, data.examples.view(), {}).payload_digest());
}

TEST(ExampleFile, KeepsImportances) {
  const testing::TemporaryDirectory directory;
  const Data data(9, 5);
  const std::vector<float> importance{1, 1, 2.5f, 1, 0.5f};
  trees::ExampleFileWriter writer(directory.file("e.cpx"), Overwrite::kRefuse);
  for (std::size_t i = 0; i < 5; ++i) {
    writer.add(data.examples.view().rows.row(i), data.lines[i].label, importance[i]);
  }
  writer.commit(data.features, kTwo);
  const trees::ExampleFile file(directory.file("e.cpx"));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(file.view().importance_of(i), importance[i]);
}

TEST(ExampleFile, LeavesNothingBehindUnlessCommitted) {
  const testing::TemporaryDirectory directory;
  { trees::ExampleFileWriter writer(directory.file("e.cpx"), Overwrite::kRefuse); }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(ExampleFile, RefusesRowsOutOfRange) {
  const testing::TemporaryDirectory directory;
  const Data data(10, 3);
  const auto refused = [&](std::vector<std::uint32_t> bins, std::uint16_t label) {
    trees::ExampleFileWriter writer(directory.file("e.cpx"), Overwrite::kAllow);
    writer.add(bins, label, 1);
    writer.commit(data.features, kTwo);
    EXPECT_THROW(trees::ExampleFile(directory.file("e.cpx")), ModelError);
  };
  refused({1'000'000}, 0);
  refused({3, 2}, 0);
  refused({2, 2}, 0);
  refused({2}, 2);
}

TEST(FeatureCounter, TellsValuesFromSwitches) {
  trees::FeatureCounter counter;
  counter.observe("late", 1);
  counter.observe("switch", 1);
  counter.observe("switch", 0);
  counter.observe("rare", 1);
  counter.observe("late", 0);
  counter.observe("late", 3);
  const trees::FeatureTable table = counter.table({.min_count = 2});
  EXPECT_EQ(table.schema().num_features(), 2u);
  EXPECT_EQ(table.name(0), "late");
  EXPECT_EQ(table.schema().cuts(0).size(), 2u);  // 0 | 1 | 3
  EXPECT_EQ(table.bin_of("late", 0), 0u);
  EXPECT_EQ(table.bin_of("late", 2.5), 2u);
  EXPECT_EQ(table.bin_of("switch", 0), trees::kNoBin);
  EXPECT_EQ(table.bin_of("switch", 5), 3u);
  EXPECT_EQ(table.bin_of("rare", 1), trees::kNoBin);
}

}  // namespace

}  // namespace coppice::classify
