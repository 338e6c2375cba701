// From a grammar and a sentence to a packed forest, and from there to ranked parses, the entropy
// of the distribution over them, and the expected number of times a rule is used.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "coppice/forest/entropy.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/moments.h"
#include "coppice/semiring/counting.h"
#include "coppice/span/grammar.h"
#include "coppice/span/parse.h"
#include "coppice/span/tree.h"

namespace {

// Weights are probabilities: the rules of each left side add up to 1.
constexpr const char* kGrammar = R"(
S  -> NP VP
NP -> 'I' [0.3] | Det N [0.5] | NP PP [0.2]
VP -> V NP [0.7] | VP PP [0.3]
PP -> P NP
Det -> 'a' [0.4] | 'the' [0.6]
N -> 'man' [0.4] | 'hill' [0.3] | 'telescope' [0.3]
V -> 'saw'
P -> 'on' [0.5] | 'with' [0.5]
)";

}  // namespace

int main() {
  const coppice::span::Grammar grammar = coppice::span::parse_grammar(kGrammar);
  const std::vector<std::string> words{"I", "saw",  "the",  "man", "on",
                                       "a", "hill", "with", "a",   "telescope"};
  const auto parsed = coppice::span::parse(grammar, words);
  if (parsed.forest.empty()) {  // an ordinary outcome, not an error
    std::printf("no parse\n");
    return 1;
  }

  // The number of derivations is the forest's weight where every edge counts one.
  using Counting = coppice::CountingSemiring;
  const coppice::EdgeMap<Counting::Value> ones(parsed.forest.num_edges(), Counting::one());
  const auto count = coppice::inside<Counting>(parsed.forest, ones)[parsed.forest.root()];
  std::printf("%s parses in %zu edges\n\n", count.to_string().c_str(), parsed.forest.num_edges());

  const double log_z = coppice::log_partition(parsed.forest, parsed.scores);
  std::printf("probability  parse\n");
  for (const auto& derivation : coppice::k_best(parsed.forest, parsed.scores, 3)) {
    const auto tree = coppice::span::tree(grammar, parsed, derivation.edges);
    std::printf("%11.3f  %s\n", std::exp(derivation.score - log_z),
                coppice::span::brackets(grammar, tree).c_str());
  }

  std::printf("\nentropy      %.3f nats\n", coppice::entropy(parsed.forest, parsed.scores));

  // Anything that adds over a parse's rules has an expected value. Here: one for each NP -> NP PP,
  // which is how many phrases belong to a noun.
  coppice::EdgeMap<double> to_noun(parsed.forest.num_edges(), 0.0);
  for (const coppice::EdgeId edge : parsed.forest.edges()) {
    const coppice::span::RuleId rule = parsed.rules[edge];
    if (rule != coppice::span::kNoRule && to_string(grammar, rule) == "NP -> NP PP") {
      to_noun[edge] = 1;
    }
  }
  std::printf("phrases attached to a noun: %.3f expected\n",
              coppice::expectation(parsed.forest, parsed.scores, to_noun));
}
