// All parses of a sentence by a context-free grammar, as a packed forest.
//
// Nodes are (symbol, begin, end); a node's edges are the ways to build it by one rule. A rule of
// more than two symbols is read from left to right through prefix nodes,
//
//     A -> B C D   gives   [B C](i,k) <- B(i,j) C(j,k)    and   A(i,l) <- [B C](i,k) D(k,l)
//
// which rules with the same beginning share: so the forest has O(n^2) nodes and O(n^3) edges for
// each symbol of the grammar, whatever the length of its rules, and derivations are one to one
// with parse trees. A word is a node with one edge, without tails. tree.h turns derivations into
// trees without prefix nodes. Only what takes part in a parse of the whole sentence is kept.
//
// Outcomes that are not errors: no parse, and a sentence without words, give an empty forest; so
// do words that the grammar does not have, which are listed in ParseResult::unknown.
//
// Unary rules are allowed, but where they form a cycle (A -> B, B -> A) that a parse of the
// sentence can enter, there are infinitely many parses: see UnaryCycles.
//
// How: a chart filled word by word. A new constituent meets exactly the prefixes that wait for
// its symbol where it begins, and is made only if one of those, or the start symbol, has it as a
// left corner, and if it can begin with the word that follows. Unary rules apply in one pass over
// each cell, in an order found beforehand. No recursion.
// Cost: time O(n^3 size of the grammar) in the worst case, in practice the number of steps that
// succeed; memory some 40 bytes a step, and one bit for each word of the sentence and symbol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coppice/forest/forest.h"
#include "coppice/span/grammar.h"

namespace coppice::span {

enum class NodeKind : unsigned char {
  kNonterminal,
  kWord,
  kPrefix,  // the first symbols, two or more, of rules that go on
};

struct NodeInfo {
  NodeKind kind = NodeKind::kWord;
  SymbolId symbol{};        // kPrefix: the left side of `rule`
  std::uint32_t begin = 0;  // the words [begin, end)
  std::uint32_t end = 0;
  RuleId rule = kNoRule;          // kPrefix: the first rule of the grammar that begins like this
  std::uint32_t num_symbols = 0;  // kPrefix: how many symbols of that rule have been read

  bool operator==(const NodeInfo&) const = default;
};

// What to do about infinitely many parses.
enum class UnaryCycles : unsigned char {
  kRefuse,     // throw; a cycle that no parse of the sentence can enter is harmless
  kVisitOnce,  // keep the parses in which no chain of unary rules has a symbol twice. A symbol on
               // a cycle may then have several nodes over one span, one for each set of symbols
               // already used above it
};

struct ParseOptions {
  UnaryCycles unary_cycles = UnaryCycles::kRefuse;
  std::size_t max_edges = 20'000'000;  // of the chart, and of the forest; some 40 bytes each
};

struct ParseResult {
  Forest forest;
  NodeMap<NodeInfo> nodes;
  EdgeMap<RuleId> rules;             // kNoRule for edges into words and prefixes
  EdgeMap<double> scores;            // the rule's score; 0 without a rule
  std::vector<std::size_t> unknown;  // positions of the words that the grammar does not have
};

// A grammar made ready; any number of threads may parse with it. Copies share what they hold.
class Parser {
 public:
  // O(size of the grammar).
  explicit Parser(Grammar grammar);

  const Grammar& grammar() const noexcept;

  // Throws Error: E331 when the sentence has infinitely many parses and these are refused, E332
  // when there are more than max_edges; InvalidArgument when max_edges is over 2^31, or when
  // kVisitOnce meets a cycle of more than 64 symbols.
  ParseResult parse(std::span<const std::string> words, const ParseOptions& options = {}) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// The same for a single sentence. Makes a Parser each time.
ParseResult parse(const Grammar& grammar, std::span<const std::string> words,
                  const ParseOptions& options = {});

}  // namespace coppice::span
