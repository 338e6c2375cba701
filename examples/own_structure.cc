// A structure that the library does not have: a semi-Markov segmenter, whose derivations cut a
// sentence into labelled segments of up to kLongest tokens. What it says of itself is lay_out();
// objectives, potentials, the training loop and decoders are the library's.
//
//     example_own_structure data/recipes
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "coppice/forest/kbest.h"
#include "coppice/forest/marginals.h"
#include "coppice/learn/part_training.h"
#include "coppice/text/extractor.h"
#include "coppice/text/reader.h"
#include "coppice/text/spans.h"

using namespace coppice;

constexpr std::array<std::string_view, 8> kLabels{"O",    "BRAND", "FOOD", "NOTE",
                                                  "PREP", "QTY",   "SIZE", "UNIT"};
constexpr std::uint32_t labels = kLabels.size(), kLongest = 5, kNone = 0xffffffff;

struct Text {
  std::vector<std::string> words;
  std::vector<std::uint32_t> begin, label;  // of the right segment that ends at a place, or kNone
};

class Segmenter final : public learn::Structure {
 public:
  std::vector<Text> texts;

  std::size_t num_examples() const noexcept override { return texts.size(); }
  std::size_t num_outputs() const noexcept override { return labels + labels * labels; }

  // A node is a label that ends at a place; an edge is a segment after another.
  void lay_out(std::size_t example, learn::PartExample& out) const override {
    const Text& text = texts[example];
    learn::ExampleBuilder forest(out);
    const auto node = [&](std::uint32_t end, std::uint32_t label) {
      return NodeId(end == 0 ? 0 : 1 + (end - 1) * labels + label);
    };
    forest.add_edge(forest.add_node(), {}, {});  // before the first token, as if outside
    const PartId pair = out.features.add_parts(out.features.add_row(), labels, labels * labels);
    out.features.add(text::key_of_name("pair"));
    const auto length = std::uint32_t(text.words.size());
    for (std::uint32_t end = 1; end <= length; ++end) {
      std::map<std::uint32_t, PartId> parts;  // of label 0, by the segment's beginning
      for (std::uint32_t begin = end - std::min(end, kLongest); begin < end; ++begin) {
        parts[begin] = out.features.add_parts(add_row(text, begin, end, out), 0, labels);
      }
      for (std::uint32_t label = 0; label < labels; ++label) {
        const NodeId head = forest.add_node();
        for (const auto& [begin, part] : parts) {
          if (label == 0 && begin + 1 < end) continue;  // what is outside has one token
          const bool right = text.begin[end] == begin && text.label[end] == label;
          const bool counts = label != 0;
          learn::EdgeTarget target{right, {right && counts, counts}, num_ends(text, begin, end)};
          for (std::uint32_t before = 0; before < (begin == 0 ? 1 : labels); ++before) {
            target.is_gold = right && text.label[begin] == before;
            forest.add_edge(head, {node(begin, before)},
                            {part + label, pair + (before * labels + label)}, target);
          }
        }
      }
    }
    const NodeId root = forest.add_node();
    for (std::uint32_t y = 0; y < labels; ++y) forest.add_edge(root, {node(length, y)}, {});
    forest.finish(num_ends(text, 0, length));
  }

 private:
  // Of right segments in (begin, end].
  static std::uint32_t num_ends(const Text& text, std::uint32_t begin, std::uint32_t end) {
    const auto first = text.label.begin();
    return end - begin - std::uint32_t(std::count(first + begin + 1, first + end + 1, 0u));
  }

  static std::uint32_t add_row(const Text& text, std::uint32_t begin, std::uint32_t end,
                               learn::PartExample& out) {
    const std::uint32_t row = out.features.add_row();
    const auto add = [&](const std::string& name) { out.features.add(text::key_of_name(name)); };
    const auto word = [&](std::uint32_t t) { return t < text.words.size() ? text.words[t] : "#"; };
    add("length=" + std::to_string(end - begin));
    add("before=" + word(begin - 1));
    add("after=" + word(end));
    for (std::uint32_t t = begin; t < end; ++t) add("in=" + word(t));
    return row;
  }
};

std::vector<Text> read(const std::string& path, std::size_t most) {
  const auto reader = text::open_sentences(path);
  text::Sentence sentence;
  std::vector<Text> texts;
  while (texts.size() < most && reader->next(sentence)) {
    const std::size_t length = sentence.num_tokens();
    Text text{{}, std::vector(length + 1, kNone), std::vector(length + 1, 0u)};
    std::vector<std::string_view> tags;
    for (std::uint32_t t = 0; t < length; ++t) {
      text.words.emplace_back(sentence.cell(t, 0));
      tags.push_back(sentence.cell(t, 2));
      if (tags[t] == "O") text.begin[t + 1] = t;
    }
    for (const auto& [begin, end, type] : text::spans_of(tags, text::Scheme::kIob2)) {
      text.begin[end] = std::uint32_t(begin);
      text.label[end] = std::uint32_t(std::ranges::find(kLabels, type) - kLabels.begin());
      if (end - begin > kLongest) text.words.clear();
    }
    if (!text.words.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

// The three best answers, and how probable each of their segments is.
void show(const Segmenter& segmenter, const learn::PartModel& model) {
  learn::PartExample example;
  segmenter.lay_out(0, example);
  const auto& [forest, parts] = example.forest;
  const EdgeMap<double> scores = model.edge_scores(example);
  const auto p = part_marginals(example.forest, scores, example.features.num_parts());
  for (const Derivation& one : k_best(forest, scores, 3)) {
    std::printf("  %.3f ", std::exp(one.score - log_partition(forest, scores)));
    for (auto edge = one.edges.rbegin() + 1; edge + 1 != one.edges.rend(); ++edge) {
      const std::size_t label = (index(forest.head(*edge)) - 1) % labels;
      if (label > 0) std::printf(" %s:%.2f", kLabels[label].data(), p[index(parts[*edge][0])]);
    }
    std::printf("\n");
  }
}

int main(int argc, char** argv) {
  const std::string data = argc > 1 ? argv[1] : "data/recipes";
  Segmenter train, development;
  train.texts = read(data + "/train.conll", 100);
  development.texts = read(data + "/dev.conll", 40);
  using enum learn::ObjectiveKind;
  for (const auto& [name, goal, potential] :
       {std::tuple{"likelihood", kLikelihood, learn::Potential::kLinear},
        std::tuple{"exact F1 of segments", kSoftmaxMargin, learn::Potential::kLinear},
        std::tuple{"likelihood, trees", kLikelihood, learn::Potential::kTrees}}) {
    learn::PartTraining training(train, &development,
                                 {potential, {goal, learn::LossName::kF}, {.rounds = 12}});
    while (training.iterate(Threads(1))) continue;
    std::printf("%-22s dev F1 %.1f\n", name, 100 * training.loop().kept_score());
    show(development, training.model());
  }
  return 0;
}
