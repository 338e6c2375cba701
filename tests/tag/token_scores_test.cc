// Scores of tokens, with words' rows and without, against the plain sum over all attributes.
#include "tag/token_scores.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/text/template_defaults.h"
#include "score/linear.h"

namespace coppice::tag {
namespace {

constexpr std::size_t kNumLabels = 11;

constexpr std::string_view kTemplates = R"(
columns w pos
w[-1..1]
lower(w[0])
suffix(w[0],1..2)
collapsed(w[-2])
w[-1]|w[0]
w[0]|pos[1]
pos[-1]|pos[0]|pos[1]
bias()
first()|w[0]
near: w[-1]
near: w[1]
value(pos[0])
)";

// The arrays of a model whose weights are drawn: a third of the keys of `sentences` are unknown, a
// third have rows, a third have short lists.
FrozenLinear::Arrays random_model(const text::Extractor& templates,
                                  const std::vector<text::Cells>& sentences, Random& random) {
  std::vector<std::uint64_t> keys{text::key_of_name("own")};
  text::Extractor extractor = templates;
  text::Attributes attributes;
  for (const text::Cells& cells : sentences) {
    extractor.extract(cells, attributes);
    keys.insert(keys.end(), attributes.states.keys.begin(), attributes.states.keys.end());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  FrozenLinear::Arrays arrays;
  arrays.slots.resize(std::bit_ceil(2 * keys.size() + 1));
  const auto weight = [&] { return static_cast<float>(random.uniform() - 0.5); };
  for (const std::uint64_t key : keys) {
    FrozenLinear::Slot slot{.key = key};
    const std::uint64_t kind = key == text::key_of_name("own") ? 1 : random.below(3);
    if (kind == 0) continue;
    if (kind == 1) {
      slot.begin = static_cast<std::uint32_t>(arrays.rows.size() / row_stride(kNumLabels));
      slot.size = FrozenLinear::dense_row;
      for (std::size_t y = 0; y < row_stride(kNumLabels); ++y) {
        arrays.rows.push_back(y < kNumLabels ? weight() : 0);
      }
    } else {
      slot.begin = static_cast<std::uint32_t>(arrays.lists.size());
      slot.size = static_cast<std::uint16_t>(1 + random.below(3));
      for (std::uint16_t i = 0; i < slot.size; ++i) {
        arrays.lists.push_back({weight(), static_cast<std::uint32_t>(random.below(kNumLabels))});
      }
    }
    std::size_t at = key & (arrays.slots.size() - 1);
    while (arrays.slots[at].size != 0) at = (at + 1) & (arrays.slots.size() - 1);
    arrays.slots[at] = slot;
  }
  return arrays;
}

// The sum over attributes, one by one, in double.
std::vector<double> plain_scores(const FrozenLinear& potential, text::Extractor extractor,
                                 const text::Cells& cells, const text::Sentence& sentence) {
  std::vector<double> scores(cells.rows() * potential.stride(), 0.0);
  std::vector<LinearPotential::Entry> weights;
  text::Attributes attributes;
  extractor.extract(cells, attributes);
  const auto add = [&](std::size_t t, std::uint64_t key, double value) {
    const FrozenLinear::Slot* slot = potential.find(key);
    if (slot == nullptr) return;
    std::vector<float> row(potential.stride(), 0.0f);
    potential.add(*slot, 1.0f, row.data());
    for (std::size_t y = 0; y < row.size(); ++y) {
      scores[t * potential.stride() + y] += value * double{row[y]};
    }
  };
  const text::AttributeList& states = attributes.states;
  for (std::size_t t = 0; t < cells.rows(); ++t) {
    for (std::size_t a = states.offsets[t]; a < states.offsets[t + 1]; ++a) {
      add(t, states.keys[a], states.values.empty() ? 1 : double{states.values[a]});
    }
    for (std::size_t i = 0; i < sentence.num_attributes(t); ++i) {
      add(t, text::key_of_name(sentence.attribute(t, i).name), sentence.attribute(t, i).value);
    }
  }
  return scores;
}

struct Sample {
  std::vector<std::vector<std::string_view>> words;
  std::vector<text::Cells> cells;
};

// Sentences of 0 to 7 tokens over few words, so that words repeat; the second column has numbers.
Sample random_sentences(Random& random) {
  constexpr std::string_view kWords[] = {"a", "A", "the", "The", "can", "Can", "x1", "", "y", "z"};
  constexpr std::string_view kTags[] = {"1", "2.5", "-3"};
  Sample sample;
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string_view>& words = sample.words.emplace_back();
    for (std::uint64_t n = random.below(8); n > 0; --n) {
      words.push_back(kWords[random.below(10)]);
      words.push_back(kTags[random.below(3)]);
    }
  }
  for (const auto& words : sample.words) sample.cells.push_back({.cells = words, .columns = 2});
  return sample;
}

// A sentence of so many tokens, of which every second has the attribute "own" twice.
text::Sentence with_attributes(std::size_t tokens) {
  text::Sentence sentence;
  sentence.start({});
  for (std::size_t t = 0; t < tokens; ++t) {
    sentence.add_cell(sentence.append("w"));
    sentence.end_token(t + 1);
    for (std::size_t i = 0; i < 2 * (t % 2); ++i) {
      sentence.add_attribute(sentence.append("own"), 0.5 + static_cast<double>(i));
    }
    sentence.end_attributes();
  }
  return sentence;
}

void expect_plain_sums(const text::TemplateSet& set, const TokenScoresOptions& options,
                       std::size_t cached_words) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const Sample sample = random_sentences(random);
    const text::Extractor extractor(set, {}, {.cached_words = cached_words});
    const FrozenLinear::Arrays arrays = random_model(extractor, sample.cells, random);
    const AlignedVector<float> rows(arrays.rows.begin(), arrays.rows.end());
    const FrozenLinear potential(kNumLabels, arrays.slots, rows, arrays.lists);
    TokenScores token_scores(potential, extractor, options);
    AlignedVector<float> scores, alone;
    for (const text::Cells& cells : sample.cells) {
      const text::Sentence sentence = with_attributes(cells.rows());
      token_scores.score(cells, sentence, scores);
      const auto expected = plain_scores(potential, extractor, cells, sentence);
      ASSERT_EQ(scores.size(), expected.size());
      for (std::size_t i = 0; i < scores.size(); ++i) ASSERT_NEAR(scores[i], expected[i], 1e-4);
      TokenScores(potential, extractor, options).score(cells, sentence, alone);
      EXPECT_EQ(scores, alone) << "what was read before must not matter";
    }
  }
}

TEST(TokenScores, AreThePlainSums) {
  expect_plain_sums(text::parse_templates(kTemplates), {}, 1000);
  expect_plain_sums(text::crfsuite_chunking_templates(), {}, 1000);
  expect_plain_sums(text::default_templates(std::vector<std::string>{"w", "pos"}), {}, 1000);
}

TEST(TokenScores, AreTheSameWhenWordsAreForgotten) {
  expect_plain_sums(text::parse_templates(kTemplates), {}, 4);
}

TEST(TokenScores, AreTheSameWithoutRoomForWords) {
  const std::size_t row = sizeof(float) * row_stride(kNumLabels);
  expect_plain_sums(text::parse_templates(kTemplates), {.word_bytes = 0}, 1000);
  expect_plain_sums(text::parse_templates(kTemplates), {.word_bytes = 40 * row}, 1000);
}

// Emptied again and again, or never filled.
TEST(TokenScores, AreTheSameWithoutRoomForPhrases) {
  const auto set = text::default_templates(std::vector<std::string>{"w", "pos"});
  for (const std::size_t bytes : {0u, 500u, 2000u}) {
    expect_plain_sums(set, {.phrase_bytes = bytes}, 1000);
  }
}

}  // namespace
}  // namespace coppice::tag
