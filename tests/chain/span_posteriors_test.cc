// The probability of a span against the list of all label sequences, in every scheme.
#include "chain/span_posteriors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chain/enumerate_chain.h"

namespace coppice::chain {
namespace {

using testing::Chain;

struct SchemeCase {
  text::Scheme scheme;
  std::vector<std::string> labels;
};

const std::vector<SchemeCase>& cases() {
  static const std::vector<SchemeCase> all = {
      {text::Scheme::kIob2, {"O", "B-X", "I-X", "B-Y", "I-Y"}},
      {text::Scheme::kIob1, {"I-X", "B-X", "O", "I-Y"}},
      {text::Scheme::kBioes, {"O", "B-X", "I-X", "E-X", "S-X"}},
      {text::Scheme::kBilou, {"U-X", "B-X", "L-X", "O"}},
      {text::Scheme::kIob2, {"B", "I", "O"}},
  };
  return all;
}

enum class Allowed { kEverything, kScheme };

// A random chain over the scheme's labels, held to it or not.
Chain chain_of(const SchemeCase& one, std::uint64_t seed, Allowed allowed) {
  const std::size_t labels = one.labels.size();
  Chain chain = testing::random_chain(seed, {.length = 4, .labels = labels, .spread = 4});
  if (allowed == Allowed::kEverything) return chain;
  std::vector<float> pairs(labels * chain.stride, testing::kForbidden);
  for (std::size_t u = 0; u < labels; ++u) {
    if (!text::allowed_at_start(one.scheme, one.labels[u])) chain.scores[u] = testing::kForbidden;
    if (!text::allowed_at_end(one.scheme, one.labels[u])) {
      chain.scores[3 * chain.stride + u] = testing::kForbidden;
    }
    for (std::size_t y = 0; y < labels; ++y) {
      if (!text::allowed(one.scheme, one.labels[u], one.labels[y])) continue;
      pairs[u * chain.stride + y] = chain.transitions.score(u, y);
    }
  }
  chain.transitions = Transitions(labels, pairs);
  return chain;
}

double enumerated(const Chain& chain, const SchemeCase& one, const text::LabelledSpan& span,
                  text::Reading reading) {
  double all = 0, some = 0;
  testing::each_sequence(chain.length, chain.labels, [&](const auto& labels) {
    std::vector<std::string_view> names;
    for (const std::uint16_t label : labels) names.emplace_back(one.labels[label]);
    const double weight = std::exp(testing::score_of(chain, labels));
    const auto spans = text::spans_of(names, one.scheme, reading);
    all += weight;
    if (std::find(spans.begin(), spans.end(), span) != spans.end()) some += weight;
  });
  return some / all;
}

void expect_exact(const SchemeCase& one, std::uint64_t seed, Allowed allowed,
                  text::Reading reading) {
  const Chain chain = chain_of(one, seed, allowed);
  Messages messages;
  messages.compute(chain.scores.data(), chain.length, chain.transitions);
  const SpanPosteriors posteriors(one.labels);
  for (std::size_t begin = 0; begin < chain.length; ++begin) {
    for (std::size_t end = begin + 1; end <= chain.length; ++end) {
      for (const std::string_view type : {"X", "Y", ""}) {
        const text::LabelledSpan span{begin, end, type};
        EXPECT_NEAR(posteriors.probability(span, chain.scores.data(), chain.transitions, messages),
                    enumerated(chain, one, span, reading), 1e-6)
            << text::to_string(one.scheme) << ' ' << begin << ' ' << end << ' ' << type;
      }
    }
  }
}

TEST(SpanPosteriors, AgreeWithEnumerationOverAllSequences) {
  for (const SchemeCase& one : cases()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      expect_exact(one, seed, Allowed::kEverything, text::Reading::kLenient);
    }
  }
}

TEST(SpanPosteriors, AgreeWithTheStrictReadingWhereTheSchemeHolds) {
  for (const SchemeCase& one : cases()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      expect_exact(one, seed, Allowed::kScheme, text::Reading::kStrict);
    }
  }
}

TEST(SpanPosteriors, AreProductsOfTokensWithoutTransitions) {
  const SchemeCase& one = cases()[0];
  Chain chain = testing::random_chain(5, {.length = 2, .labels = one.labels.size()});
  const Transitions none(one.labels.size());
  Messages messages;
  messages.compute(chain.scores.data(), chain.length, none);
  const auto p = [&](std::size_t t, std::size_t y) {
    return std::exp(messages.forward(t)[y] + messages.backward(t)[y] - messages.log_partition());
  };
  const double begins = p(0, 1) + p(0, 2), continues = p(1, 2);
  const SpanPosteriors posteriors(one.labels);
  EXPECT_NEAR(posteriors.probability({0, 2, "X"}, chain.scores.data(), none, messages),
              begins * continues, 1e-9);
  EXPECT_NEAR(posteriors.probability({0, 1, "X"}, chain.scores.data(), none, messages),
              begins * (1 - continues), 1e-9);
}

}  // namespace
}  // namespace coppice::chain
