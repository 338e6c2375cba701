#include "forest/draw_layout.h"

#include <algorithm>
#include <utility>

#include "base/svg.h"

namespace coppice::detail {

namespace {

constexpr double kNodeGap = 16, kLooseGap = 40, kColumnGap = 22, kDotRoom = 22;
constexpr double kMaxLabel = 150, kTokenBelow = 84;
constexpr std::size_t kMaxColumns = 300;
constexpr int kSweeps = 12;

class Layouter {
 public:
  Layouter(const ForestRecord& record, const Selection& selection,
           const EdgeMap<std::string>& notes)
      : record_(record), forest_(record.forest), selection_(selection), notes_(notes) {
    const std::size_t nodes = forest_.num_nodes();
    layout_.nodes = {nodes, Point{}};
    layout_.widths = {nodes, 0.0};
    layout_.dots = {forest_.num_edges(), Point{}};
    layout_.is_token = {nodes, 0};
    room_ = {nodes, 0.0};
    incoming_.resize(selection.nodes.size());
    if (record.tokens && can_use_spans()) find_tokens();
    group_edges();
    measure();
    make_rows();
  }

  ForestLayout run() {
    if (can_use_spans()) {
      stand_over_tokens();
    } else {
      sweep();
    }
    place_rows();
    place_dots();
    fit();
    return std::move(layout_);
  }

 private:
  // The drawn edges into each drawn node, in the order of selection_.nodes.
  void group_edges() {
    std::size_t at = 0;
    for (std::size_t i = 0; i < selection_.nodes.size(); ++i) {
      const IdRange<EdgeId> range = forest_.incoming(selection_.nodes[i]);
      while (at < selection_.edges.size() && !range.empty() &&
             selection_.edges[at] <= range[range.size() - 1]) {
        incoming_[i].push_back(selection_.edges[at++]);
      }
    }
  }

  void find_tokens() {
    for (NodeId node : selection_.nodes) layout_.is_token[node] = is_token(node) ? 1 : 0;
  }

  // Whether a box would say nothing that the token below it does not.
  bool is_token(NodeId node) const {
    const TokenSpan span = record_.spans[node];
    const IdRange<EdgeId> edges = forest_.incoming(node);
    if (node == forest_.root() || span.end - span.begin != 1 || edges.size() != 1) return false;
    const EdgeId edge = edges[0];
    return forest_.tails(edge).empty() && record_.label(edge).empty() &&
           record_.scores[edge] == 0 && record_.label(node) == (*record_.tokens)[span.begin];
  }

  double dot_room(EdgeId edge) const {
    return kDotRoom + (notes_[edge].empty() ? 0 : 4 + text_width(notes_[edge], kSmallFont));
  }

  void measure() {
    for (std::size_t i = 0; i < selection_.nodes.size(); ++i) {
      const NodeId node = selection_.nodes[i];
      if (layout_.is_token[node] != 0) continue;
      const double text = text_width(node_name(record_, node), kNodeFont);
      layout_.widths[node] = std::max(30.0, std::min(text, kMaxLabel) + 18);
      double dots = 0;
      for (EdgeId edge : incoming_[i]) dots += dot_room(edge);
      room_[node] = std::max(layout_.widths[node], dots);
    }
  }

  // A node's row is its height: one more than the highest of its tails. Tokens have their own row.
  void make_rows() {
    NodeMap<std::size_t> height(forest_.num_nodes(), 0);
    for (std::size_t i = 0; i < selection_.nodes.size(); ++i) {
      const NodeId node = selection_.nodes[i];
      if (layout_.is_token[node] != 0) continue;
      for (EdgeId edge : incoming_[i]) {
        for (NodeId tail : forest_.tails(edge)) {
          if (layout_.is_token[tail] != 0) continue;
          height[node] = std::max(height[node], height[tail] + 1);
        }
      }
      if (height[node] >= rows_.size()) rows_.resize(height[node] + 1);
      rows_[height[node]].push_back(node);
    }
  }

  std::size_t num_columns() const {
    if (record_.tokens) return record_.tokens->size();
    std::size_t end = 0;
    for (NodeId node : selection_.nodes) end = std::max<std::size_t>(end, record_.spans[node].end);
    return end;
  }

  bool can_use_spans() const {
    if (!record_.has_spans()) return false;
    const std::size_t columns = num_columns();
    return columns > 0 && columns <= kMaxColumns;
  }

  double token_width(std::size_t i) const {
    return record_.tokens ? text_width((*record_.tokens)[i], kTokenFont) : 0;
  }

  // A column is as wide as its token and as the nodes that stand over it alone, side by side.
  std::vector<double> column_widths(std::size_t columns) const {
    std::vector<double> widths(columns, 40.0);
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], token_width(i));
    for (const auto& row : rows_) {
      std::vector<double> sums(columns, 0.0);
      for (NodeId node : row) {
        const TokenSpan span = record_.spans[node];
        if (span.end - span.begin == 1) sums[span.begin] += room_[node] + kNodeGap;
      }
      for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], sums[i] - kNodeGap);
    }
    return widths;
  }

  void stand_over_tokens() {
    const std::size_t columns = num_columns();
    const std::vector<double> widths = column_widths(columns);
    std::vector<double> left(columns + 1, 0.0);
    for (std::size_t i = 0; i < columns; ++i) left[i + 1] = left[i] + widths[i] + kColumnGap;
    for (std::size_t i = 0; i < columns; ++i) {
      layout_.tokens.push_back({(left[i] + left[i + 1]) / 2, 0});
    }
    for (NodeId node : selection_.nodes) {
      const TokenSpan span = record_.spans[node];
      layout_.nodes[node].x = (left[span.begin] + left[span.end]) / 2;
    }
    for (auto& row : rows_) arrange(row);
  }

  // Orders a row by where its nodes want to stand, and moves them apart.
  void arrange(std::vector<NodeId>& row) {
    const auto x = [&](NodeId node) { return layout_.nodes[node].x; };
    std::ranges::sort(row, {}, [&](NodeId node) { return std::pair(x(node), node); });
    std::vector<double> wanted, widths;
    for (NodeId node : row) {
      wanted.push_back(x(node));
      widths.push_back(room_[node]);
    }
    const std::vector<double> placed =
        spread(wanted, widths, layout_.tokens.empty() ? kLooseGap : kNodeGap);
    for (std::size_t i = 0; i < row.size(); ++i) layout_.nodes[row[i]].x = placed[i];
  }

  // Barycentres, down by heads and up by tails, beginning from the order of a walk down the edges.
  void sweep() {
    double at = 0;
    for (NodeId node : depth_first()) {
      layout_.nodes[node].x = at;
      at += room_[node] + kNodeGap;
    }
    for (auto& row : rows_) arrange(row);
    for (int round = 0; round < kSweeps; ++round) {
      want_means();
      for (std::size_t row = rows_.size(); row-- > 0;) pull(rows_[row], from_heads_);
      want_means();
      for (auto& row : rows_) pull(row, from_tails_);
    }
  }

  std::vector<NodeId> depth_first() const {
    std::vector<NodeId> order, stack;
    if (!selection_.nodes.empty()) stack.push_back(forest_.root());
    NodeMap<unsigned char> seen(forest_.num_nodes(), 0);
    while (!stack.empty()) {
      const NodeId node = stack.back();
      stack.pop_back();
      if (seen[node] != 0 || selection_.is_drawn[node] == 0) continue;
      seen[node] = 1;
      order.push_back(node);
      const IdRange<EdgeId> edges = forest_.incoming(node);
      for (std::size_t i = edges.size(); i-- > 0;) {
        const auto tails = forest_.tails(edges[i]);
        stack.insert(stack.end(), tails.rbegin(), tails.rend());
      }
    }
    return order;
  }

  struct Mean {
    double sum = 0;
    double count = 0;
  };

  void want_means() {
    from_heads_ = {forest_.num_nodes(), Mean{}};
    from_tails_ = {forest_.num_nodes(), Mean{}};
    for (std::size_t i = 0; i < selection_.nodes.size(); ++i) {
      const NodeId head = selection_.nodes[i];
      for (EdgeId edge : incoming_[i]) {
        for (NodeId tail : forest_.tails(edge)) {
          from_heads_[tail].sum += layout_.nodes[head].x;
          from_heads_[tail].count += 1;
          from_tails_[head].sum += layout_.nodes[tail].x;
          from_tails_[head].count += 1;
        }
      }
    }
  }

  void pull(std::vector<NodeId>& row, const NodeMap<Mean>& means) {
    for (NodeId node : row) {
      if (means[node].count > 0) layout_.nodes[node].x = means[node].sum / means[node].count;
    }
    arrange(row);
  }

  void place_rows() {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const double y = static_cast<double>(rows_.size() - 1 - row) * kRowGap;
      for (NodeId node : rows_[row]) layout_.nodes[node].y = kHeader + kNodeHeight / 2 + y;
    }
    const double bottom = kHeader + static_cast<double>(rows_.size()) * kRowGap - kRowGap;
    for (Point& token : layout_.tokens) token.y = bottom + kTokenBelow + kTokenFont;
    for (NodeId node : selection_.nodes) {
      if (layout_.is_token[node] != 0)
        layout_.nodes[node].y = bottom + kTokenBelow - kAboveToken + kNodeHeight / 2;
    }
  }

  // Dots stand below their head, in the order of the middles of their tails.
  void place_dots() {
    for (std::size_t i = 0; i < selection_.nodes.size(); ++i) {
      const NodeId head = selection_.nodes[i];
      auto edges = incoming_[i];
      std::ranges::sort(edges, {},
                        [&](EdgeId edge) { return std::pair(middle(edge, head), edge); });
      double total = 0;
      for (EdgeId edge : edges) total += dot_room(edge);
      double at = layout_.nodes[head].x - total / 2;
      for (EdgeId edge : edges) {
        const double lean = edges.size() == 1 ? dot_room(edge) / 2 : kDotRoom / 2;
        layout_.dots[edge] = {at + lean, layout_.nodes[head].y + kDotBelow};
        at += dot_room(edge);
      }
    }
  }

  double middle(EdgeId edge, NodeId head) const {
    const auto tails = forest_.tails(edge);
    if (tails.empty()) return layout_.nodes[head].x;
    double sum = 0;
    for (NodeId tail : tails) sum += layout_.nodes[tail].x;
    return sum / static_cast<double>(tails.size());
  }

  // Moves everything to the right of the margin, and sets the size of the picture.
  void fit() {
    double left = 0, right = 0;
    bool first = true;
    const auto include = [&](double from, double to) {
      left = first ? from : std::min(left, from);
      right = first ? to : std::max(right, to);
      first = false;
    };
    for (NodeId node : selection_.nodes) {
      const double half = room_[node] / 2, x = layout_.nodes[node].x;
      include(x - half, x + half);
    }
    for (std::size_t i = 0; i < layout_.tokens.size(); ++i) {
      const double half = std::max(30.0, token_width(i) / 2), x = layout_.tokens[i].x;
      include(x - half, x + half);
    }
    const double shift = kMargin - left;
    for (NodeId node : selection_.nodes) layout_.nodes[node].x += shift;
    for (EdgeId edge : selection_.edges) layout_.dots[edge].x += shift;
    for (Point& token : layout_.tokens) token.x += shift;
    layout_.width = right - left + 2 * kMargin;
    const double rows = static_cast<double>(std::max<std::size_t>(rows_.size(), 1)) * kRowGap;
    layout_.height = kHeader + rows + (layout_.tokens.empty() ? 0 : kTokenBelow - kRowGap + 40);
  }

  const ForestRecord& record_;
  const Forest& forest_;
  const Selection& selection_;
  const EdgeMap<std::string>& notes_;
  ForestLayout layout_;
  NodeMap<double> room_;                       // widths with the dots below
  std::vector<std::vector<EdgeId>> incoming_;  // drawn edges, per drawn node
  std::vector<std::vector<NodeId>> rows_;      // by height
  NodeMap<Mean> from_heads_, from_tails_;
};

}  // namespace

std::vector<double> spread(const std::vector<double>& wanted, const std::vector<double>& widths,
                           double gap) {
  struct Block {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<double> offset(wanted.size(), 0.0);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i > 0) offset[i] = offset[i - 1] + (widths[i - 1] + widths[i]) / 2 + gap;
    blocks.push_back({wanted[i] - offset[i], 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  std::vector<double> placed;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.count; ++i) {
      placed.push_back(block.mean() + offset[placed.size()]);
    }
  }
  return placed;
}

ForestLayout lay_out(const ForestRecord& record, const Selection& selection,
                     const EdgeMap<std::string>& notes) {
  return Layouter(record, selection, notes).run();
}

}  // namespace coppice::detail
