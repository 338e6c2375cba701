#include "coppice/trees/grow.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "trees/partition.h"
#include "trees/row_index.h"
#include "trees/split.h"
#include "trees/surrogates.h"

namespace coppice::trees {

namespace {

constexpr double kLargest = 1 << 30;

// A leaf that may still be split.
struct Open {
  std::uint32_t node = 0;
  std::size_t depth = 0;
  std::size_t begin = 0, end = 0;
  std::vector<std::uint16_t> states;
  std::shared_ptr<const std::vector<Sums>> row_sums;  // by row, over the states; null: one state
  Sums total;
  std::vector<BinSums> bins;     // empty when the leaf is not to be split
  std::vector<Sums> state_sums;  // by place in `states`
  Question question;
  double gain = -1;  // by which the question raises the worth

  std::size_t cases() const noexcept { return (end - begin) * states.size(); }
};

// What goes_right() says of the rows at a node that asks for a column and has no surrogates, for a
// table of its bins.
class ColumnAnswers {
 public:
  ColumnAnswers(const Schema& schema, const EnsembleView& trees, const Node& node)
      : column_(node.feature), bins_(schema.bins(node.feature)), missing_(node.default_right != 0) {
    for (std::uint32_t bin = bins_.begin; bin < bins_.end; ++bin) {
      right_.push_back(goes_right(schema, trees, node, std::span(&bin, 1)) ? 1 : 0);
    }
  }

  bool right(std::span<const std::uint32_t> row) const {
    // Bins ascend and columns come first: where a row lacks none, a column's bin stands at its
    // place.
    std::uint32_t bin = column_ < row.size() ? row[column_] : kNoBin;
    if (bin < bins_.begin || bin >= bins_.end) bin = find_bin(row, bins_);
    return bin == kNoBin ? missing_ : right_[bin - bins_.begin] != 0;
  }

 private:
  std::uint32_t column_;
  BinRange bins_;
  bool missing_;
  std::vector<unsigned char> right_;  // by bin
};

std::vector<unsigned char> draw_features(const Schema& schema, const GrowOptions& options) {
  if (options.feature_fraction >= 1) return {};
  std::vector<unsigned char> drawn(schema.num_features());
  Random random(options.seed);
  for (unsigned char& one : drawn) one = random.uniform() < options.feature_fraction;
  return drawn;
}

}  // namespace

double quantise(const Threads& threads, std::span<const float> values,
                std::span<std::int32_t> quantised) {
  require(values.size() == quantised.size(), "quantise: ", values.size(), " values into ",
          quantised.size());
  std::vector<float> largest(num_chunks(values.size()));
  for_elements(threads, values.size(), [&](std::size_t begin, std::size_t end) {
    float most = 0;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, std::fabs(values[i]));
    largest[begin / kChunkElements] = most;
  });
  const float most = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
  const double unit = most > 0 ? static_cast<double>(most) / kLargest : 1;
  for_elements(threads, values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double number = static_cast<double>(values[i]) / unit;
      quantised[i] = static_cast<std::int32_t>(number + std::copysign(0.5, number));
    }
  });
  return unit;
}

// What a tree leaves to the next: memory, and which rows have a feature.
struct GrowthMemory {
  GrowthMemory(const BinMatrix& matrix, std::size_t num_bins, std::shared_ptr<const RowIndex> rows)
      : index(std::move(rows)),
        histogram(matrix, num_bins),
        has_feature(index ? matrix.size() : 0) {}

  std::shared_ptr<const RowIndex> index;  // may be null
  Histogram histogram;
  std::vector<std::uint32_t> buffer;       // for partition
  std::vector<unsigned char> has_feature;  // likewise, by row; 0 between splits
  std::vector<std::int32_t> directions;    // for surrogates, by row
};

struct TreeGrower::State {
  State(const Schema& s, const BinMatrix& m, States st, std::shared_ptr<const RowIndex> index)
      : schema(s),
        matrix(m),
        states(std::move(st)),
        memory(matrix, schema.num_bins(), std::move(index)) {}

  const Schema& schema;
  BinMatrix matrix;
  States states;
  GrowthMemory memory;
};

namespace {

// The growth of one tree.
class Growth {
 public:
  Growth(const Schema& schema, const BinMatrix& matrix, const States& states,
         const Targets& targets, const Criterion& criterion, const GrowOptions& options,
         const Threads& threads, GrowthMemory& memory)
      : schema_(schema),
        matrix_(matrix),
        states_(states),
        targets_(targets),
        options_(options),
        threads_(threads),
        criterion_(criterion),
        finder_(schema, states,
                {criterion, targets.gradient_unit, targets.curvature_unit, options.min_curvature,
                 draw_features(schema, options)}),
        memory_(memory) {}

  GrownTree run(std::vector<std::uint32_t> rows) {
    grown_.rows = std::move(rows);
    grown_.tree.output.push_back(0);
    grown_.tree.nodes.emplace_back();
    begin_at_root();
    while (!open_.empty()) {
      Open next = pop();
      if (next.question.feature == kLeaf || is_full()) {
        close(std::move(next));
      } else {
        split(std::move(next));
      }
    }
    grown_.tree.begin.push_back(static_cast<std::uint32_t>(grown_.tree.nodes.size()));
    std::sort(grown_.leaves.begin(), grown_.leaves.end(),
              [](const GrownLeaf& a, const GrownLeaf& b) { return a.node < b.node; });
    return std::move(grown_);
  }

 private:
  NodeTargets targets_of(const Open& open) const {
    return {targets_, states_.count, open.states,
            open.row_sums ? std::span<const Sums>(*open.row_sums) : std::span<const Sums>()};
  }
  std::span<const std::uint32_t> rows_of(const Open& open) const {
    return std::span(grown_.rows).subspan(open.begin, open.end - open.begin);
  }
  bool is_full() const { return options_.max_leaves > 0 && num_leaves_ >= options_.max_leaves; }

  Sums total_of(const Open& open) const {
    const NodeTargets targets = targets_of(open);
    const auto rows = rows_of(open);
    return sum_elements<Sums>(threads_, rows.size(), [&](std::size_t first, std::size_t last) {
      Sums sums;
      for (std::size_t i = first; i < last; ++i) sums += targets.of(rows[i]);
      return sums;
    });
  }

  // A row's sum over the states is read again by the nodes below this one: it is kept, unless the
  // node is so small that an array over all rows costs more than it saves.
  void sum_rows(Open& open) const {
    if (states_.count == 1 || open.end - open.begin < matrix_.size() / 8) return;
    const NodeTargets targets{targets_, states_.count, open.states};
    const auto rows = rows_of(open);
    auto sums = std::make_shared<std::vector<Sums>>(matrix_.size());
    for_elements(threads_, rows.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) (*sums)[rows[i]] = targets.of(rows[i]);
    });
    open.row_sums = std::move(sums);
  }

  void sum_states(Open& open) const {
    if (states_.factors.empty()) return;
    open.state_sums.assign(open.states.size(), {});
    for (const std::uint32_t row : rows_of(open)) {
      for (std::size_t i = 0; i < open.states.size(); ++i) {
        const std::size_t at = row * states_.count + open.states[i];
        open.state_sums[i] +=
            {targets_.gradient[at], targets_.curvature.empty() ? 1 : targets_.curvature[at]};
      }
    }
  }

  void divide_state_sums(const Open& parent, Open& smaller, Open& larger) const {
    if (states_.factors.empty()) return;
    if (parent.question.feature != kStateFeature) {
      sum_states(smaller);
      for (std::size_t i = 0; i < parent.states.size(); ++i) {
        larger.state_sums.push_back(parent.state_sums[i] - smaller.state_sums[i]);
      }
      return;
    }
    for (std::size_t i = 0; i < parent.states.size(); ++i) {
      const bool is_left = !set_has(parent.question.set, parent.states[i]);
      Open& left = smaller.node < larger.node ? smaller : larger;
      Open& right = smaller.node < larger.node ? larger : smaller;
      (is_left ? left : right).state_sums.push_back(parent.state_sums[i]);
    }
  }

  void ask(Open& open) {
    finder_.ask_below(open.depth);
    open.question = finder_.best(open.bins, open.total, open.states, open.state_sums, threads_);
    if (open.question.feature == kLeaf) {
      open.bins = {};
    } else {
      open.gain = open.question.worth - finder_.worth(open.total);
    }
  }

  // Whether a question could raise the worth at all. Under an l1 penalty the sides cannot be worth
  // more than all positive and all negative targets apart.
  bool may_gain(const Open& open) {
    if (criterion_.kind != Criterion::Kind::kL1 || states_.count > 1) return true;
    Sums positive, negative;
    for (const std::uint32_t row : rows_of(open)) {
      const std::int32_t target = targets_.gradient[row];
      (target > 0 ? positive : negative).gradient += target;
    }
    finder_.ask_below(open.depth);
    return finder_.worth_as_side(positive) + finder_.worth_as_side(negative) >
           finder_.worth(open.total);
  }
  bool is_too_deep(std::size_t depth) const {
    return options_.max_depth > 0 && depth >= options_.max_depth;
  }

  void begin_at_root() {
    Open root;
    root.depth = options_.first_depth;
    root.end = grown_.rows.size();
    root.states.resize(states_.count);
    std::iota(root.states.begin(), root.states.end(), std::uint16_t{0});
    sum_rows(root);
    root.total = total_of(root);
    if (root.end > 0 && !is_full() && !is_too_deep(root.depth) && may_gain(root)) {
      memory_.histogram.add(rows_of(root), targets_of(root), threads_);
      root.bins = memory_.histogram.take(rows_of(root), threads_);
      sum_states(root);
      ask(root);
    }
    open_.push_back(std::move(root));
  }

  // The best split of all when there is a limit on leaves, the newest leaf otherwise, so that few
  // lists of bins are kept at a time.
  Open pop() {
    auto at = open_.end() - 1;
    if (options_.max_leaves > 0) {
      at = std::max_element(open_.begin(), open_.end(), [](const Open& a, const Open& b) {
        return a.gain != b.gain ? a.gain < b.gain : a.node > b.node;
      });
    }
    Open open = std::move(*at);
    open_.erase(at);
    return open;
  }

  void close(Open&& open) {
    grown_.leaves.push_back({open.node, open.begin, open.end, std::move(open.states),
                             static_cast<double>(open.total.gradient) * targets_.gradient_unit,
                             static_cast<double>(open.total.curvature) * targets_.curvature_unit});
  }

  void split(Open&& parent) {
    const std::uint32_t left_node = write_question(parent);
    Open left, right;
    left.node = left_node;
    right.node = left_node + 1;
    left.depth = right.depth = parent.depth + 1;
    right.total = parent.question.right;
    left.total = parent.total - right.total;
    if (parent.question.feature == kStateFeature) {
      divide_states(parent, left, right);
    } else {
      divide_rows(parent, left, right);
    }
    ++num_leaves_;
    const bool may_split = !is_full() && !is_too_deep(left.depth);
    if (may_split && (may_gain(left) || may_gain(right))) prepare(parent, left, right);
    open_.push_back(std::move(right));
    open_.push_back(std::move(left));
  }

  std::uint32_t write_question(const Open& parent) {
    Ensemble& tree = grown_.tree;
    const auto left = static_cast<std::uint32_t>(tree.nodes.size());
    const Question& question = parent.question;
    Node& node = tree.nodes[parent.node];
    node.feature = question.feature;
    node.split = question.split;
    node.left = left;
    node.default_right = question.default_right;
    node.has_set = question.has_set();
    if (question.has_set()) {
      node.split = static_cast<std::uint32_t>(tree.sets.size());
      tree.sets.insert(tree.sets.end(), question.set.begin(), question.set.end());
    }
    const bool may_lack = question.feature < schema_.num_columns();
    if (options_.max_surrogates > 0 && may_lack) {
      const SurrogateSearch search{schema_, matrix_, memory_.histogram, memory_.directions,
                                   threads_};
      add_surrogates(search, rows_of(parent), options_.max_surrogates, tree, parent.node);
    }
    tree.nodes.resize(tree.nodes.size() + 2);
    return left;
  }

  void divide_states(const Open& parent, Open& left, Open& right) {
    left.begin = parent.begin;
    left.end = parent.end;
    // Both have all rows; the right child gets its own, to be put in an order of its own.
    const std::vector<std::uint32_t> rows(rows_of(parent).begin(), rows_of(parent).end());
    right.begin = grown_.rows.size();
    grown_.rows.insert(grown_.rows.end(), rows.begin(), rows.end());
    right.end = grown_.rows.size();
    for (const std::uint16_t state : parent.states) {
      (set_has(parent.question.set, state) ? right : left).states.push_back(state);
    }
  }

  // Moves the rows of a node that go left to the front; returns how many do.
  std::size_t partition_rows(const Open& parent, const Node& node) {
    const auto rows = std::span(grown_.rows).subspan(parent.begin, parent.end - parent.begin);
    const EnsembleView view = grown_.tree.view();
    if (node.feature >= schema_.num_columns() && is_indexed(node, rows.size())) {
      return partition_by_index(rows, schema_.bins(node.feature).begin);
    }
    if (node.feature >= schema_.num_columns() || node.num_surrogates > 0) {
      return partition(rows, [&](std::uint32_t row) {
        return goes_right(schema_, view, node, matrix_.row(row));
      });
    }
    const ColumnAnswers answers(schema_, view, node);
    return partition(rows, [&](std::uint32_t row) { return answers.right(matrix_.row(row)); });
  }
  template <class GoesRight>
  std::size_t partition(std::span<std::uint32_t> rows, const GoesRight& goes_right) {
    return stable_partition(rows, memory_.buffer, goes_right, threads_);
  }

  // Whether looking up the rows that have the feature is worth it, of which few may be in the node.
  bool is_indexed(const Node& node, std::size_t rows) const {
    constexpr std::size_t lookups_per_search = 8;
    return memory_.index && memory_.index->rows(schema_.bins(node.feature).begin).size() <=
                                lookups_per_search * rows;
  }
  std::size_t partition_by_index(std::span<std::uint32_t> rows, std::uint32_t bin) {
    std::vector<unsigned char>& has_feature = memory_.has_feature;
    const auto on = memory_.index->rows(bin);
    for (const std::uint32_t row : on) has_feature[row] = 1;
    const std::size_t middle =
        partition(rows, [&](std::uint32_t row) { return has_feature[row] != 0; });
    for (const std::uint32_t row : on) has_feature[row] = 0;
    return middle;
  }

  void divide_rows(const Open& parent, Open& left, Open& right) {
    const Node& node = grown_.tree.nodes[parent.node];
    const std::size_t middle = partition_rows(parent, node);
    left.begin = parent.begin;
    left.end = right.begin = parent.begin + middle;
    right.end = parent.end;
    left.states = right.states = parent.states;
    left.row_sums = right.row_sums = parent.row_sums;
    if (node.num_surrogates > 0) {  // the missing did not go as the question's sums say
      right.total = total_of(right);
      left.total = parent.total - right.total;
    }
  }

  void prepare(Open& parent, Open& left, Open& right) {
    Open& smaller = left.cases() <= right.cases() ? left : right;
    Open& larger = left.cases() <= right.cases() ? right : left;
    if (parent.question.feature == kStateFeature) {
      sum_rows(left);
      sum_rows(right);
    }
    memory_.histogram.add(rows_of(smaller), targets_of(smaller), threads_);
    smaller.bins = memory_.histogram.take_from(parent.bins, threads_);
    larger.bins = std::move(parent.bins);
    divide_state_sums(parent, smaller, larger);
    ask(left);
    ask(right);
  }

  const Schema& schema_;
  const BinMatrix& matrix_;
  const States& states_;
  const Targets& targets_;
  const GrowOptions& options_;
  const Threads& threads_;
  Criterion criterion_;
  SplitFinder finder_;
  GrowthMemory& memory_;
  GrownTree grown_;
  std::vector<Open> open_;
  std::size_t num_leaves_ = 1;
};

}  // namespace

std::shared_ptr<const RowIndex> index_rows(const BinMatrix& matrix, std::size_t num_bins) {
  return std::make_shared<const RowIndex>(matrix, num_bins);
}

TreeGrower::TreeGrower(const Schema& schema, const BinMatrix& matrix, States states,
                       std::shared_ptr<const RowIndex> index)
    : state_(std::make_unique<State>(schema, matrix, std::move(states), std::move(index))) {
  require(state_->states.count >= 1 && state_->states.count <= 0xffff,
          "trees: ", state_->states.count, " states");
}
TreeGrower::~TreeGrower() = default;
TreeGrower::TreeGrower(TreeGrower&&) noexcept = default;
TreeGrower& TreeGrower::operator=(TreeGrower&&) noexcept = default;

GrownTree TreeGrower::grow(std::vector<std::uint32_t> rows, const Targets& targets,
                           const Criterion& criterion, const GrowOptions& options,
                           const Threads& threads) {
  State& s = *state_;
  require(targets.gradient.size() == s.matrix.size() * s.states.count,
          "trees: ", targets.gradient.size(), " targets for ", s.matrix.size(), " rows of ",
          s.states.count, " states");
  Growth growth(s.schema, s.matrix, s.states, targets, criterion, options, threads, s.memory);
  return growth.run(std::move(rows));
}

namespace {

// Calls take(question, sums of the rest) for the best question of each feature without a penalty.
template <class Take>
void for_each_first_question(const Schema& schema, const States& states,
                             std::span<const BinSums> bins, const Sums& total, const Take& take) {
  const SplitFinder finder(schema, states, {{Criterion::Kind::kL1, 0}, 1, 1, 0, {}});
  for (std::size_t at = 0; at < bins.size();) {
    const std::uint32_t feature = schema.feature_of(bins[at].bin);
    std::size_t end = at;
    while (end < bins.size() && bins[end].bin < schema.bins(feature).end) ++end;
    const Question question = finder.of_feature(feature, bins.subspan(at, end - at), total);
    take(question, total - question.right);
    at = end;
  }
}

}  // namespace

std::vector<TreeGrower::FirstQuestion> TreeGrower::first_questions(const Targets& targets,
                                                                   double least,
                                                                   const Threads& threads) {
  State& s = *state_;
  require(s.states.count == 1, "trees: first questions of ", s.states.count, " states");
  std::vector<std::uint32_t> rows(s.matrix.size());
  std::iota(rows.begin(), rows.end(), 0u);
  const NodeTargets node{targets, 1, {}};
  Sums total;
  for (const std::uint32_t row : rows) total += node.of(row);
  s.memory.histogram.add(rows, node, threads);
  std::vector<FirstQuestion> found;
  for_each_first_question(
      s.schema, s.states, s.memory.histogram.take(threads), total,
      [&](const Question& question, const Sums& left) {
        if (question.feature == kLeaf || question.has_set()) return;
        const bool right_is_smaller = question.right.curvature <= left.curvature;
        const Sums& smaller = right_is_smaller ? question.right : left;
        const auto sum = static_cast<double>(std::abs(smaller.gradient)) * targets.gradient_unit;
        if (sum < least) return;
        Node asked;
        asked.feature = question.feature;
        asked.split = question.split;
        asked.default_right = question.default_right;
        found.push_back({asked, right_is_smaller});
      });
  return found;
}

double TreeGrower::largest_first_sum(std::span<const std::uint32_t> rows, const Targets& targets,
                                     const Threads& threads) {
  State& s = *state_;
  std::vector<std::uint16_t> all(s.states.count);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  const NodeTargets node{targets, s.states.count, all};
  Sums total;
  for (const std::uint32_t row : rows) total += node.of(row);
  s.memory.histogram.add(rows, node, threads);
  std::int64_t largest = std::abs(total.gradient);
  for_each_first_question(
      s.schema, s.states, s.memory.histogram.take(threads), total,
      [&](const Question& question, const Sums& left) {
        largest = std::max({largest, std::abs(question.right.gradient), std::abs(left.gradient)});
      });
  return static_cast<double>(largest) * targets.gradient_unit;
}

}  // namespace coppice::trees
