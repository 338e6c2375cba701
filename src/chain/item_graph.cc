#include "chain/item_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace coppice::chain {

namespace {

// A node of the last token or of this one.
struct GraphNode {
  std::uint32_t id;
  std::uint16_t label;  // the boundary, for the source and the root
  bool matching;
};

class Building {
 public:
  Building(const ItemGraphInput& input, const ItemRules& rules, const GoldItems* gold, double least)
      : input_(input), rules_(rules), gold_(gold), least_(least) {
    graph_.paths.num_nodes = 1;
    before_.push_back({0, static_cast<std::uint16_t>(rules.boundary()), false});
  }

  ItemGraph build() && {
    for (std::size_t t = 0; t < input_.length; ++t) {
      add_token(t);
      graph_.token_begin.push_back(static_cast<std::uint32_t>(graph_.steps.size()));
      std::swap(before_, here_);
    }
    const auto root = static_cast<std::uint32_t>(graph_.paths.num_nodes++);
    for (const GraphNode& last : before_) {
      const ItemStep step = step_to(input_.length, last, rules_.boundary());
      add_edge(last, root, {}, step, 1);
    }
    graph_.token_begin.push_back(static_cast<std::uint32_t>(graph_.steps.size()));
    return std::move(graph_);
  }

 private:
  void add_token(std::size_t t) {
    const std::size_t stride = input_.transitions.stride();
    const float* scores = input_.edges.empty() ? input_.scores + t * stride : nullptr;
    const float* posteriors = input_.posteriors + t * stride;
    const std::size_t labels = input_.transitions.labels();
    const auto best =
        static_cast<std::size_t>(std::max_element(posteriors, posteriors + labels) - posteriors);
    double left_out = 0;
    here_.clear();
    if (scores == nullptr) find_shift(t);
    for (std::size_t y = 0; y < labels; ++y) {
      if (posteriors[y] < least_ && y != best) {
        left_out += posteriors[y];
        continue;
      }
      add_label(t, y,
                scores == nullptr ? 1 : std::exp(static_cast<double>(scores[y]) - scores[best]));
    }
    graph_.cut = std::max(graph_.cut, left_out);
  }

  double edge_score(std::size_t t, std::size_t previous, std::size_t next) const {
    const EdgeShape& shape = input_.edge_shape;
    return static_cast<double>(input_.edges[shape.place(t, shape.state_after(t, previous), next)]);
  }

  // The largest score of a pair that can be, so that none is too large for its exponential.
  void find_shift(std::size_t t) {
    shift_ = -std::numeric_limits<double>::infinity();
    for (const GraphNode& from : before_) {
      for (std::size_t y = 0; y < input_.transitions.labels(); ++y) {
        shift_ = std::max(shift_, edge_score(t, from.label, y));
      }
    }
  }

  // The nodes of a label: without the bit, and with it where a step can set it.
  void add_label(std::size_t t, std::size_t y, double emission) {
    for (const bool matching : {false, true}) {
      if (matching && !may_match(t, y)) continue;
      const auto id = static_cast<std::uint32_t>(graph_.paths.num_nodes);
      const std::size_t edges = graph_.steps.size();
      for (const GraphNode& from : before_) {
        const ItemStep step = step_to(t, from, y);
        if (step.matching != matching) continue;
        const double weight = emission * transition(t, from.label, y);
        if (weight > 0)
          add_edge(from, id,
                   {static_cast<std::uint32_t>(t), static_cast<std::uint16_t>(y),
                    t == 0 ? kNoLabel : from.label},
                   step, weight);
      }
      if (graph_.steps.size() == edges) continue;
      ++graph_.paths.num_nodes;
      here_.push_back({id, static_cast<std::uint16_t>(y), matching});
    }
  }

  bool may_match(std::size_t t, std::size_t y) const {
    return gold_ != nullptr && rules_.has_item(y) && rules_.has_item(gold_->labels[t]) &&
           rules_.type(y) == rules_.type(gold_->labels[t]);
  }

  ItemStep step_to(std::size_t t, const GraphNode& from, std::size_t next) const {
    if (gold_ == nullptr) return {};
    return item_step(rules_, *gold_, t, from.label, from.matching, next);
  }

  // e^{score - shift}, also where that is too small for a float.
  double transition(std::size_t t, std::size_t previous, std::size_t next) const {
    const Transitions& table = input_.transitions;
    if (!input_.edges.empty()) return std::exp(edge_score(t, previous, next) - shift_);
    if (t == 0 || table.none()) return 1;
    const float weight = table.weights()[previous * table.stride() + next];
    if (weight > 1e-30f) return weight;
    return std::exp(static_cast<double>(table.score(previous, next)) - table.shift());
  }

  void add_edge(const GraphNode& from, std::uint32_t head, EdgeLabels labels, ItemStep step,
                double weight) {
    const auto number = static_cast<std::uint32_t>(graph_.steps.size());
    graph_.paths.edges.push_back({from.id, head, number, weight});
    graph_.steps.push_back({labels, step.n, step.d});
  }

  const ItemGraphInput& input_;
  const ItemRules& rules_;
  const GoldItems* gold_;
  double least_;
  ItemGraph graph_;
  std::vector<GraphNode> before_, here_;
  double shift_ = 0;  // of the token's pairs, where these have scores of their own
};

// How likely paths are to pass each node.
std::vector<double> node_uses(const Paths& paths, const Forward& swept) {
  std::vector<double> uses(paths.num_nodes, 0.0);
  uses.back() = 1;
  for (std::size_t e = paths.edges.size(); e-- > 0;) {
    const Paths::Edge& edge = paths.edges[e];
    uses[edge.from] += uses[edge.head] * swept.conditional[e];
  }
  return uses;
}

class Splitting {
 public:
  Splitting(const ItemGraph& graph, double least)
      : graph_(graph),
        swept_(forward(graph.paths)),
        uses_(node_uses(graph.paths, swept_)),
        least_(least),
        splits_(graph.paths.num_nodes) {}

  SplitPaths split() && {
    splits_[0].push_back({{}, 0, 1.0});
    result_.paths.num_nodes = 1;
    const auto& edges = graph_.paths.edges;
    for (std::size_t begin = 0; begin < edges.size();) {
      std::size_t end = begin;
      while (end < edges.size() && edges[end].head == edges[begin].head) ++end;
      split_node(begin, end);
      begin = end;
    }
    add_goal();
    return std::move(result_);
  }

 private:
  struct Split {
    Counts counts;
    std::uint32_t node;
    double alpha;
  };

  std::size_t key(Counts counts) const {
    return (counts.n - least_counts_.n) * columns_ + (counts.d - least_counts_.d);
  }

  // The window of counts that the edges [begin, end) can bring to their head: each adds 0 or 1.
  void set_window(std::size_t begin, std::size_t end) {
    Counts most;
    least_counts_ = {0xffffffff, 0xffffffff};
    for (std::size_t e = begin; e < end; ++e) {
      for (const Split& tail : splits_[graph_.paths.edges[e].from]) {
        least_counts_.n = std::min(least_counts_.n, tail.counts.n);
        least_counts_.d = std::min(least_counts_.d, tail.counts.d);
        most.n = std::max(most.n, tail.counts.n);
        most.d = std::max(most.d, tail.counts.d);
      }
    }
    columns_ = most.d - least_counts_.d + 2;
    const std::size_t size = (most.n - least_counts_.n + 2) * columns_;
    if (slot_.size() < size) slot_.resize(size, kNoStep);
  }

  // The edges [begin, end) have one head: gathers its counts, then drops what is unlikely.
  void split_node(std::size_t begin, std::size_t end) {
    const std::uint32_t head = graph_.paths.edges[begin].head;
    std::vector<Split>& splits = splits_[head];
    set_window(begin, end);
    for (std::size_t e = begin; e < end; ++e) {
      const auto& [from, to, number, weight] = graph_.paths.edges[e];
      const Counts step{graph_.steps[number].n, graph_.steps[number].d};
      for (const Split& tail : splits_[from]) {
        const Counts counts{tail.counts.n + step.n, tail.counts.d + step.d};
        std::uint32_t& slot = slot_[key(counts)];
        if (slot == kNoStep) {
          slot = static_cast<std::uint32_t>(splits.size());
          splits.push_back({counts, kNoStep, 0});
        }
        splits[slot].alpha += weight * tail.alpha;
      }
    }
    number_splits(splits, uses_[head] / swept_.alpha[head]);
    for (std::size_t e = begin; e < end; ++e) {
      const auto& [from, to, number, weight] = graph_.paths.edges[e];
      for (const Split& tail : splits_[from]) {
        const Counts counts{tail.counts.n + graph_.steps[number].n,
                            tail.counts.d + graph_.steps[number].d};
        const std::uint32_t node = splits[slot_[key(counts)]].node;
        if (node != kNoStep) result_.paths.edges.push_back({tail.node, node, number, weight});
      }
    }
    for (const Split& split : splits) slot_[key(split.counts)] = kNoStep;
    std::erase_if(splits, [](const Split& split) { return split.node == kNoStep; });
    result_.num_splits += splits.size();
    result_.largest_splits = std::max(result_.largest_splits, splits.size());
  }

  // `share` times alpha is the probability of a split; the likeliest always stays.
  void number_splits(std::vector<Split>& splits, double share) {
    const auto likeliest =
        std::max_element(splits.begin(), splits.end(),
                         [](const Split& a, const Split& b) { return a.alpha < b.alpha; });
    for (Split& split : splits) {
      if (split.alpha * share < least_ && &split != &*likeliest) {
        result_.cut += split.alpha * share;
      } else {
        split.node = static_cast<std::uint32_t>(result_.paths.num_nodes++);
      }
    }
  }

  void add_goal() {
    const auto goal = static_cast<std::uint32_t>(result_.paths.num_nodes++);
    std::vector<Split>& root = splits_.back();
    std::sort(root.begin(), root.end(),
              [](const Split& a, const Split& b) { return a.counts < b.counts; });
    for (const Split& split : root) {
      result_.paths.edges.push_back({split.node, goal, kNoStep, 1.0});
      result_.goal_counts.push_back(split.counts);
    }
  }

  const ItemGraph& graph_;
  Forward swept_;
  std::vector<double> uses_;
  double least_;
  std::vector<std::vector<Split>> splits_;
  Counts least_counts_;
  std::size_t columns_ = 0;
  std::vector<std::uint32_t> slot_;  // by counts in the window: place in a node's splits
  SplitPaths result_;
};

}  // namespace

ItemGraph build_item_graph(const ItemGraphInput& input, const ItemRules& rules,
                           const GoldItems* gold, double least_posterior) {
  return Building(input, rules, gold, least_posterior).build();
}

double normalise(ItemGraph& graph) {
  std::vector<double> alpha(graph.paths.num_nodes, 0.0);
  alpha[0] = 1;
  double log_scale = 0;
  for (std::size_t t = 0; t + 1 < graph.token_begin.size(); ++t) {
    const auto edges =
        std::span(graph.paths.edges)
            .subspan(graph.token_begin[t], graph.token_begin[t + 1] - graph.token_begin[t]);
    double sum = 0;
    for (const Paths::Edge& edge : edges) sum += alpha[edge.from] * edge.weight;
    if (!(sum > 0)) return -std::numeric_limits<double>::infinity();
    log_scale += std::log(sum);
    for (Paths::Edge& edge : edges) {
      edge.weight /= sum;
      alpha[edge.head] += alpha[edge.from] * edge.weight;
    }
  }
  return log_scale;
}

Forward forward(const Paths& paths) {
  Forward result;
  result.alpha.assign(paths.num_nodes, 0.0);
  result.conditional.resize(paths.edges.size());
  result.alpha[0] = 1;
  for (std::size_t e = 0; e < paths.edges.size(); ++e) {
    const Paths::Edge& edge = paths.edges[e];
    result.conditional[e] = result.alpha[edge.from] * edge.weight;
    result.alpha[edge.head] += result.conditional[e];
  }
  for (std::size_t e = 0; e < paths.edges.size(); ++e) {
    const double alpha = result.alpha[paths.edges[e].head];
    result.conditional[e] = alpha > 0 ? result.conditional[e] / alpha : 0;
  }
  result.total = result.alpha.back();
  return result;
}

std::vector<double> step_marginals(const Paths& paths, const Forward& swept,
                                   std::size_t num_steps) {
  std::vector<double> uses(paths.num_nodes, 0.0), gradient(num_steps, 0.0);
  uses.back() = 1;
  for (std::size_t e = paths.edges.size(); e-- > 0;) {
    const Paths::Edge& edge = paths.edges[e];
    const double marginal = uses[edge.head] * swept.conditional[e];
    uses[edge.from] += marginal;
    if (edge.step != kNoStep) gradient[edge.step] += marginal;
  }
  return gradient;
}

// As forest/conditional_sweep.h does: centred at each node, so that nothing large cancels.
StepGradient step_expectation(const Paths& paths, const Forward& swept,
                              std::span<const double> values, std::size_t num_steps) {
  std::vector<double> mean(paths.num_nodes, 0.0);
  for (std::size_t e = 0; e < paths.edges.size(); ++e) {
    const Paths::Edge& edge = paths.edges[e];
    mean[edge.head] += swept.conditional[e] * (values[e] + mean[edge.from]);
  }
  struct Above {
    double uses = 0;
    double pull = 0;
  };
  std::vector<Above> above(paths.num_nodes);
  above.back().uses = 1;
  StepGradient result{mean.back(), std::vector<double>(num_steps, 0.0)};
  for (std::size_t e = paths.edges.size(); e-- > 0;) {
    const Paths::Edge& edge = paths.edges[e];
    const double conditional = swept.conditional[e];
    const Above& head = above[edge.head];
    const double centred = values[e] + mean[edge.from] - mean[edge.head];
    const double pull = conditional * (head.pull + head.uses * centred);
    above[edge.from].uses += conditional * head.uses;
    above[edge.from].pull += pull;
    if (edge.step != kNoStep) result.gradient[edge.step] += pull;
  }
  return result;
}

SplitPaths split_paths(const ItemGraph& graph, double least_probability) {
  return Splitting(graph, least_probability).split();
}

}  // namespace coppice::chain
