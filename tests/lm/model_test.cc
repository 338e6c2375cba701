// Queries of both storages against an ARPA file looked up as its definition says.
#include "coppice/lm/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "lm/small_text.h"
#include "support/expect_error.h"

namespace coppice::lm {
namespace {

using namespace testing;
using coppice::testing::error_of;

// log10 p by the formula of ngrams.h.
class SlowBackoff {
 public:
  explicit SlowBackoff(const std::string& arpa) {
    std::istringstream lines(arpa);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      if (line.empty() || line[0] == '\\' || line.starts_with("ngram")) {
        if (line.ends_with("-grams:")) length_ = std::stoul(line.substr(1));
        continue;
      }
      double prob = 0;
      double backoff = 0;
      Words ngram(length_);
      fields >> prob;
      for (std::string& word : ngram) fields >> word;
      if (!(fields >> backoff)) backoff = 0;
      ngrams_[ngram] = {prob, backoff};
    }
  }

  double log10_p(const Words& context, const std::string& word) const {
    Words ngram = context;
    ngram.push_back(word);
    if (const auto found = ngrams_.find(ngram); found != ngrams_.end()) return found->second.first;
    const auto backoff = ngrams_.find(context);
    return (backoff == ngrams_.end() ? 0 : backoff->second.second) +
           log10_p(Words(context.begin() + 1, context.end()), word);
  }

 private:
  std::size_t length_ = 0;
  std::map<Words, std::pair<double, double>> ngrams_;
};

TEST(LmModel, HashAndTrieAndArpaAgree) {
  for (std::uint64_t seed = 1000; seed < 1060; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Text text = random_text(random);
    const Words words = words_to_predict(text);
    const auto order = static_cast<unsigned>(1 + random.below(4));
    const std::vector<std::uint64_t> prune =
        order == 1 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{0, random.below(2)};
    const Ngrams ngrams = estimate_of(text, {.order = order, .prune = prune}).ngrams;
    const SlowBackoff slow(arpa_of(ngrams));
    const Model hash = model_of(ngrams, Storage::kHash);
    const Model trie = model_of(ngrams, Storage::kTrie);
    for (const Words& context : contexts_of(words, 3)) {
      const State in_hash = state_after(hash, context);
      const State in_trie = state_after(trie, context);
      EXPECT_EQ(in_hash, in_trie);
      for (const std::string& word : words) {
        State out;
        const Score a = hash.score(in_hash, hash.vocabulary().find(word), out);
        const Score b = trie.score(in_trie, trie.vocabulary().find(word), out);
        EXPECT_EQ(a.log10_prob, b.log10_prob);
        EXPECT_EQ(a.length, b.length);
        EXPECT_EQ(a.extends_left, b.extends_left);
        EXPECT_NEAR(static_cast<double>(a.log10_prob), slow.log10_p(context, word), 1e-5);
      }
    }
  }
}

// Scores of all continuations of two words.
std::vector<float> continuations(const Model& model, const State& state, const Words& words) {
  std::vector<float> scores;
  for (const std::string& first : words) {
    State middle;
    scores.push_back(model.score(state, model.vocabulary().find(first), middle).log10_prob);
    for (const std::string& second : words) {
      State end;
      scores.push_back(model.score(middle, model.vocabulary().find(second), end).log10_prob);
    }
  }
  return scores;
}

TEST(LmModel, EqualStatesHaveEqualFutures) {
  Random random(5);
  const Text text = random_text(random);
  const Model model = model_of(estimate_of(text, {.order = 4}).ngrams, Storage::kTrie);
  const Words words = words_to_predict(text);
  std::vector<std::pair<State, std::vector<float>>> seen;
  std::size_t recombined = 0;
  for (const Words& context : contexts_of(words, 4)) {
    const State state = state_after(model, context);
    const std::vector<float> future = continuations(model, state, words);
    bool is_new = true;
    for (const auto& [other, other_future] : seen) {
      if (!(other == state)) continue;
      is_new = false;
      EXPECT_EQ(hash_of(other), hash_of(state));
      EXPECT_EQ(other_future, future);
    }
    if (is_new)
      seen.emplace_back(state, future);
    else
      ++recombined;
  }
  EXPECT_GT(recombined, seen.size()) << "most contexts are cut to a shorter one";
}

TEST(LmModel, AFinalScoreDoesNotChangeWithMoreContext) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Text text = random_text(random);
    const Model model = model_of(estimate_of(text, {.order = 3}).ngrams, Storage::kHash);
    const Words words = words_to_predict(text);
    for (const Words& context : contexts_of(words, 2)) {
      if (!context.empty() && context[0] == "<s>") continue;
      const State state = state_after(model, context);
      for (const std::string& word : words) {
        State out;
        const Score score = model.score(state, model.vocabulary().find(word), out);
        // A backoff of more context may still come where the context was not cut.
        if (score.extends_left || state.length == context.size()) continue;
        for (const std::string& before : words) {
          if (before == "</s>") continue;
          Words longer = context;
          longer.insert(longer.begin(), before);
          EXPECT_EQ(model.score(state_after(model, longer), model.vocabulary().find(word), out)
                        .log10_prob,
                    score.log10_prob);
        }
      }
    }
  }
}

TEST(LmModel, ListsItsNgramsAgain) {
  Random random(3);
  const Ngrams ngrams = estimate_of(random_text(random), {.order = 3}).ngrams;
  const std::string arpa = arpa_of(ngrams);
  for (const Storage storage : {Storage::kHash, Storage::kTrie}) {
    const Model model = model_of(ngrams, storage);
    EXPECT_EQ(arpa_of(model.ngrams()), arpa);
    EXPECT_EQ(bytes_of(binary_model(model.ngrams({.memory = 1}), Storage::kHash)),
              bytes_of(binary_model(ngrams, Storage::kHash)));
  }
}

TEST(LmModel, KnowsItsWords) {
  const Ngrams ngrams = estimate_of({{"b", "a", "\xc3\xa9"}}, {.order = 2}).ngrams;
  const Model model = model_of(ngrams, Storage::kHash);
  const Vocabulary& vocabulary = model.vocabulary();
  EXPECT_EQ(vocabulary.size(), 6U);
  EXPECT_EQ(vocabulary.find("</s>"), kSentenceEnd);
  EXPECT_EQ(vocabulary.find("b"), WordId{3});
  EXPECT_EQ(vocabulary.find("c"), kUnknownWord);
  EXPECT_EQ(vocabulary.find(""), kUnknownWord);
  EXPECT_EQ(vocabulary[WordId{5}], "\xc3\xa9");
}

TEST(LmModel, RefusesOtherModels) {
  const BinaryModel other{ModelWriter("tag")};
  EXPECT_EQ(error_of([&] { opened(bytes_of(other)); }).substr(0, 4), "E406");
  EXPECT_THROW(parse_storage("tree"), InvalidArgument);
}

}  // namespace
}  // namespace coppice::lm
