#include "forest/draw_selection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::detail {

namespace {

constexpr double kUnknown = 0.6;

void check(const ForestRecord& record, const DrawOptions& options) {
  validate(record);
  const std::size_t edges = record.forest.num_edges();
  require(options.posteriors.size() == 0 || options.posteriors.size() == edges,
          "draw: ", options.posteriors.size(), " posteriors for a forest of ", edges, " edges");
  require(options.max_nodes > 0, "draw: max_nodes is 0, expected at least 1");
  for (EdgeId edge : options.highlighted) {
    require(index(edge) < edges, "draw: highlighted edge ", index(edge), " of ", edges, " edges");
  }
}

// Breadth first from the root, one distance at a time.
class Reach {
 public:
  Reach(const ForestRecord& record, const DrawOptions& options, Selection& selection)
      : forest_(record.forest),
        options_(options),
        selection_(selection),
        seen_(forest_.num_nodes(), 0) {}

  void run() {
    std::vector<NodeId> level{forest_.root()};
    seen_[forest_.root()] = 1;
    while (!level.empty()) {
      take(level);
      level = below(level);
    }
    std::ranges::sort(selection_.nodes);
  }

 private:
  void take(std::vector<NodeId>& level) {
    selection_.reached_nodes += level.size();
    const std::size_t room = options_.max_nodes - selection_.nodes.size();
    if (level.size() > room) {
      std::ranges::sort(level, {}, [&](NodeId node) { return std::pair(-importance(node), node); });
    }
    for (NodeId node : level) selection_.reached_edges += forest_.incoming(node).size();
    for (std::size_t i = 0; i < std::min(room, level.size()); ++i) {
      selection_.nodes.push_back(level[i]);
      selection_.is_drawn[level[i]] = 1;
    }
  }

  std::vector<NodeId> below(const std::vector<NodeId>& level) {
    std::vector<NodeId> next;
    for (NodeId node : level) {
      for (EdgeId edge : forest_.incoming(node)) {
        for (NodeId tail : forest_.tails(edge)) {
          if (seen_[tail] == 0) next.push_back(tail);
          seen_[tail] = 1;
        }
      }
    }
    return next;
  }

  double importance(NodeId node) const {
    double sum = 0;
    for (EdgeId edge : forest_.incoming(node)) {
      if (options_.posteriors.size() != 0) sum += options_.posteriors[edge];
      sum += selection_.is_highlighted[edge];
    }
    return sum;
  }

  const Forest& forest_;
  const DrawOptions& options_;
  Selection& selection_;
  NodeMap<unsigned char> seen_;
};

}  // namespace

Selection select(const ForestRecord& record, const DrawOptions& options) {
  check(record, options);
  Selection selection;
  selection.is_drawn = {record.forest.num_nodes(), 0};
  selection.is_highlighted = {record.forest.num_edges(), 0};
  for (EdgeId edge : options.highlighted) selection.is_highlighted[edge] = 1;
  if (record.forest.empty()) return selection;
  Reach(record, options, selection).run();
  for (NodeId node : selection.nodes) {
    for (EdgeId edge : record.forest.incoming(node)) {
      const bool is_whole = std::ranges::all_of(
          record.forest.tails(edge), [&](NodeId tail) { return selection.is_drawn[tail] != 0; });
      if (is_whole) selection.edges.push_back(edge);
    }
  }
  return selection;
}

std::string selection_note(const Selection& selection) {
  if (selection.nodes.size() == selection.reached_nodes &&
      selection.edges.size() == selection.reached_edges) {
    return "";
  }
  return concat(selection.nodes.size(), " of ", selection.reached_nodes, " nodes and ",
                selection.edges.size(), " of ", selection.reached_edges, " edges are drawn");
}

std::string title_of(const ForestRecord& record, const DrawOptions& options) {
  if (!options.title.empty()) return options.title;
  return record.id.empty() ? "packed forest" : record.id;
}

std::string node_name(const ForestRecord& record, NodeId node) {
  const std::string_view label = record.label(node);
  return label.empty() ? concat('#', index(node)) : std::string(label);
}

std::string edge_description(const ForestRecord& record, const DrawOptions& options, EdgeId edge) {
  std::string text(record.label(edge));
  text += concat(text.empty() ? "" : ", ", "score ", record.scores[edge]);
  if (options.posteriors.size() != 0) text += concat(", posterior ", options.posteriors[edge]);
  return text;
}

double strength(const DrawOptions& options, EdgeId edge) {
  if (options.posteriors.size() == 0) return kUnknown;
  const double posterior = options.posteriors[edge];
  return std::isnan(posterior) ? 0 : std::clamp(posterior, 0.0, 1.0);
}

std::string posterior_text(const DrawOptions& options, EdgeId edge) {
  if (options.posteriors.size() == 0) return "";
  const auto hundredths = static_cast<int>(std::lround(100 * strength(options, edge)));
  if (hundredths == 0) return "<.01";
  if (hundredths == 100) return "1";
  return concat('.', hundredths / 10, hundredths % 10);
}

}  // namespace coppice::detail
