#include "coppice/span/parse.h"

#include <array>
#include <limits>
#include <map>
#include <utility>

#include "coppice/base/error.h"
#include "span/chart.h"
#include "span/rule_index.h"

namespace coppice::span {

namespace {

constexpr std::size_t kMaxEdges = std::size_t{1} << 31;  // an edge has up to two 32-bit tails
constexpr std::size_t kMaxCycle = 64;
constexpr NodeId kNoNode{std::numeric_limits<std::uint32_t>::max()};

// A node to be: an item, and which symbols of its cyclic component of unary rules have been used
// above it in its cell. Bit i stands for member i; 0 outside of cycles.
struct Vertex {
  ItemId item;
  std::uint64_t used = 0;

  auto operator<=>(const Vertex&) const = default;
};

// Turns what the goal needs of a chart into a forest: first top-down, to find it, then bottom-up.
class Extraction {
 public:
  Extraction(const Grammar& grammar, const RuleIndex& rules, const Chart& chart,
             const ParseOptions& options)
      : grammar_(grammar),
        rules_(rules),
        chart_(chart),
        options_(options),
        is_needed_(chart.num_items(), 0),
        node_of_(chart.num_items(), kNoNode) {}

  ParseResult run(ItemId goal) && {
    find_needed(goal);
    for (auto vertex = needed_.rbegin(); vertex != needed_.rend(); ++vertex) add_node(*vertex);
    result_.forest = std::move(builder_).build(node_of_[goal]);
    return std::move(result_);
  }

 private:
  SymbolId symbol(ItemId item) const { return static_cast<SymbolId>(chart_.item(item).state); }
  bool is_symbol(ItemId item) const { return rules_.is_symbol(chart_.item(item).state); }
  bool is_cyclic(ItemId item) const {
    return is_symbol(item) && rules_.unary_order().is_cyclic(symbol(item));
  }

  // Calls visit(rule, tails) for every way to build `vertex`.
  template <class Visit>
  void for_each_edge(const Vertex& vertex, Visit visit) const {
    const Item& item = chart_.item(vertex.item);
    if (!rules_.is_symbol(item.state)) return for_each_pair(item, kNoRule, visit);
    if (item.first_link == kNoLink) visit(kNoRule, std::span<const Vertex>());  // a word
    for (std::uint32_t at = item.first_link; at != kNoLink; at = chart_.link(at).next) {
      const Link& link = chart_.link(at);
      if (is_symbol(link.right)) {
        visit_unary(vertex, link, visit);
      } else {
        for_each_pair(chart_.item(link.right), link.rule(), visit);
      }
    }
  }

  template <class Visit>
  void for_each_pair(const Item& prefix, RuleId rule, Visit visit) const {
    for (std::uint32_t at = prefix.first_link; at != kNoLink; at = chart_.link(at).next) {
      const Link& link = chart_.link(at);
      const std::array tails{Vertex{link.left_item()}, Vertex{link.right}};
      visit(rule, std::span<const Vertex>(tails));
    }
  }

  // Inside a cycle, the child must not have been used, and knows what has been.
  template <class Visit>
  void visit_unary(const Vertex& vertex, const Link& link, Visit visit) const {
    const UnaryOrder& order = rules_.unary_order();
    const SymbolId parent = symbol(vertex.item);
    const SymbolId child = symbol(link.right);
    std::array tail{Vertex{link.right}};
    if (order.is_cyclic(parent) && order.component(parent) == order.component(child)) {
      tail[0].used = vertex.used | std::uint64_t{1} << order.member(parent);
      if ((tail[0].used >> order.member(child) & 1) != 0) return;
    }
    visit(link.rule(), std::span<const Vertex>(tail));
  }

  // Lists what the goal needs so that no vertex comes before one that uses it.
  void find_needed(ItemId goal) {
    is_needed_[goal] = 1;
    for (std::size_t i = std::size_t{index(goal)} + 1; i-- > 0;) {
      const auto item = static_cast<ItemId>(i);
      if (is_cyclic(item)) {
        i = find_needed_of_cycle(item);
      } else if (is_needed_[item] != 0) {
        needed_.push_back({item});
        mark_tails({item});
      }
    }
  }

  // The same for the items of a cyclic component in one cell, of which `last` is the last. In
  // breadth-first order, a vertex comes before those that have one more symbol used above them.
  // Returns the first of these items.
  std::size_t find_needed_of_cycle(ItemId last) {
    const std::size_t first = first_of_cycle(last);
    const std::size_t begin = needed_.size();
    for (std::size_t i = first; i <= index(last); ++i) {
      if (is_needed_[static_cast<ItemId>(i)] != 0) needed_.push_back({static_cast<ItemId>(i)});
    }
    if (needed_.size() > begin) check_cycle(needed_.back().item);
    for (std::size_t i = begin; i < needed_.size(); ++i) mark_tails(Vertex(needed_[i]));
    return first;
  }

  std::size_t first_of_cycle(ItemId last) const {
    const Item& item = chart_.item(last);
    std::size_t first = index(last);
    for (; first > 0; --first) {
      const auto other = static_cast<ItemId>(first - 1);
      const Item& before = chart_.item(other);
      const UnaryOrder& order = rules_.unary_order();
      if (before.begin != item.begin || before.end != item.end || !is_cyclic(other) ||
          order.component(symbol(other)) != order.component(symbol(last))) {
        break;
      }
    }
    return first;
  }

  void check_cycle(ItemId item) const {
    const UnaryOrder& order = rules_.unary_order();
    if (options_.unary_cycles == UnaryCycles::kRefuse) {
      const Item& at = chart_.item(item);
      throw Error(concat("infinitely many parses: the rules ",
                         describe_cycle(grammar_, order, symbol(item)),
                         " are a cycle, which words ", at.begin + 1, " to ", at.end, " can enter"),
                  {.code = "E331",
                   .help = "remove a rule of the cycle, or allow every symbol once in a chain"});
    }
    const std::size_t size = order.component_size(symbol(item));
    require(size <= kMaxCycle, "parse: a cycle of unary rules through ",
            grammar_.name(symbol(item)), " has ", size, " symbols; at most ", kMaxCycle,
            " can be visited once each");
  }

  // A vertex within a cycle goes on the list, anything else is met further down.
  void mark_tails(const Vertex& vertex) {
    for_each_edge(vertex, [this](RuleId, std::span<const Vertex> tails) {
      for (const Vertex& tail : tails) {
        if (tail.used == 0) {
          is_needed_[tail.item] = 1;
        } else if (node_within_cycle_.emplace(tail, kNoNode).second) {
          check_size(node_within_cycle_.size());
          needed_.push_back(tail);
        }
      }
    });
  }

  // A vertex within a cycle may turn out to derive nothing; then it gets no node.
  void add_node(const Vertex& vertex) {
    NodeId node = kNoNode;
    for_each_edge(vertex, [&](RuleId rule, std::span<const Vertex> tails) {
      std::array<NodeId, 2> nodes{};
      for (std::size_t i = 0; i < tails.size(); ++i) {
        nodes[i] = node_of(tails[i]);
        if (nodes[i] == kNoNode) return;
      }
      if (node == kNoNode) {
        node = builder_.add_node();
        result_.nodes.push_back(describe(chart_.item(vertex.item)));
      }
      check_size(builder_.num_edges());
      builder_.add_edge(node, std::span<const NodeId>(nodes.data(), tails.size()));
      result_.rules.push_back(rule);
      result_.scores.push_back(rule == kNoRule ? 0.0 : grammar_.score(rule));
    });
    (vertex.used == 0 ? node_of_[vertex.item] : node_within_cycle_[vertex]) = node;
  }

  NodeId node_of(const Vertex& vertex) const {
    return vertex.used == 0 ? node_of_[vertex.item] : node_within_cycle_.at(vertex);
  }

  NodeInfo describe(const Item& item) const {
    if (!rules_.is_symbol(item.state)) {
      const RuleIndex::Example& example = rules_.example(item.state);
      return {NodeKind::kPrefix, grammar_.left(example.rule), item.begin, item.end,
              example.rule,      example.num_symbols};
    }
    const auto symbol = static_cast<SymbolId>(item.state);
    const bool is_word = grammar_.is_word(symbol);
    return {is_word ? NodeKind::kWord : NodeKind::kNonterminal, symbol, item.begin, item.end};
  }

  void check_size(std::size_t size) const {
    if (size < options_.max_edges) return;
    throw Error(
        concat("the forest of this sentence needs more than ", options_.max_edges, " edges"),
        {.code = "E332", .help = "raise the limit on edges, or split the sentence"});
  }

  const Grammar& grammar_;
  const RuleIndex& rules_;
  const Chart& chart_;
  const ParseOptions& options_;
  IdMap<ItemId, unsigned char> is_needed_;
  std::vector<Vertex> needed_;
  IdMap<ItemId, NodeId> node_of_;
  std::map<Vertex, NodeId> node_within_cycle_;
  ForestBuilder builder_;
  ParseResult result_;
};

}  // namespace

struct Parser::State {
  explicit State(Grammar given) : grammar(std::move(given)), rules(grammar) {}
  Grammar grammar;
  RuleIndex rules;
};

Parser::Parser(Grammar grammar) : state_(std::make_shared<const State>(std::move(grammar))) {}

const Grammar& Parser::grammar() const noexcept { return state_->grammar; }

ParseResult Parser::parse(std::span<const std::string> words, const ParseOptions& options) const {
  require(options.max_edges <= kMaxEdges, "parse: max_edges is ", options.max_edges, ", at most ",
          kMaxEdges, " can be numbered");
  ParseResult result;
  std::vector<SymbolId> symbols;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto symbol = grammar().find(SymbolKind::kWord, words[i])) {
      symbols.push_back(*symbol);
    } else {
      result.unknown.push_back(i);
    }
  }
  const auto start = grammar().start();
  if (words.empty() || !result.unknown.empty() || !start) return result;
  const Chart chart(grammar(), state_->rules, *start, symbols, options.max_edges);
  const auto goal = chart.goal();
  if (!goal) return result;
  return Extraction(grammar(), state_->rules, chart, options).run(*goal);
}

ParseResult parse(const Grammar& grammar, std::span<const std::string> words,
                  const ParseOptions& options) {
  return Parser(grammar).parse(words, options);
}

}  // namespace coppice::span
