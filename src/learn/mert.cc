#include "coppice/learn/mert.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::learn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where `steeper` overtakes `line`.
double crossing(const EnvelopePiece& line, const EnvelopePiece& steeper) {
  return (line.intercept - steeper.intercept) / (steeper.slope - line.slope);
}

// Keeps the lines that are best somewhere.
Envelope hull(std::vector<EnvelopePiece> lines) {
  std::sort(lines.begin(), lines.end(), [](const EnvelopePiece& a, const EnvelopePiece& b) {
    return std::tie(a.slope, a.intercept) < std::tie(b.slope, b.intercept);
  });
  Envelope best;
  for (EnvelopePiece line : lines) {
    if (!best.empty() && best.back().slope == line.slope) best.pop_back();  // lower, or equal
    while (!best.empty() && crossing(best.back(), line) <= best.back().from) best.pop_back();
    line.from = best.empty() ? -kInfinity : crossing(best.back(), line);
    best.push_back(line);
  }
  return best;
}

// The envelope of all sums of a line of each: its pieces begin where one of theirs does.
Envelope sum(const Envelope& first, const Envelope& second) {
  Envelope result;
  for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
    result.push_back({std::max(first[i].from, second[j].from),
                      first[i].intercept + second[j].intercept, first[i].slope + second[j].slope,
                      first[i].counts + second[j].counts});
    const double next_first = i + 1 < first.size() ? first[i + 1].from : kInfinity;
    const double next_second = j + 1 < second.size() ? second[j + 1].from : kInfinity;
    if (next_first <= next_second) ++i;
    if (next_second <= next_first) ++j;
  }
  return result;
}

// Counts that also go down.
struct Change {
  std::int64_t n = 0;
  std::int64_t d = 0;
};

struct Breakpoint {
  double x;
  Change change;
};

void add(Change& total, Counts counts, std::int64_t sign) {
  total.n += sign * counts.n;
  total.d += sign * counts.d;
}

// An interval of x between breakpoints.
double middle(double from, double to) {
  if (from <= 0 && 0 <= to) return 0;
  if (from == -kInfinity) return to - 1;
  if (to == kInfinity) return from + 1;
  return from + (to - from) / 2;
}

}  // namespace

Envelope upper_envelope(const Forest& forest, const EdgeMap<double>& scores,
                        const EdgeMap<double>& slopes, const EdgeMap<Counts>& counts) {
  const std::size_t edges = forest.num_edges();
  require(scores.size() == edges && slopes.size() == edges && counts.size() == edges,
          "upper_envelope: tables of ", scores.size(), ", ", slopes.size(), " and ", counts.size(),
          " entries for a forest of ", edges, " edges");
  if (forest.empty()) return {};
  NodeMap<Envelope> chart(forest.num_nodes(), {});
  for (NodeId node : forest.nodes()) {
    std::vector<EnvelopePiece> lines;
    for (EdgeId edge : forest.incoming(node)) {
      if (scores[edge] == -kInfinity) continue;
      require(std::isfinite(scores[edge]) && std::isfinite(slopes[edge]), "upper_envelope: edge ",
              index(edge), " has the score ", scores[edge], " and the slope ", slopes[edge]);
      Envelope product{{-kInfinity, scores[edge], slopes[edge], counts[edge]}};
      for (NodeId tail : forest.tails(edge)) product = sum(product, chart[tail]);
      lines.insert(lines.end(), product.begin(), product.end());
    }
    chart[node] = hull(std::move(lines));
  }
  return std::move(chart[forest.root()]);
}

LineStep best_step(std::span<const Envelope> envelopes, const std::function<double(Counts)>& loss) {
  std::vector<Breakpoint> breakpoints;
  Change total;
  for (const Envelope& envelope : envelopes) {
    for (std::size_t i = 0; i < envelope.size(); ++i) {
      if (i == 0) {
        add(total, envelope[0].counts, 1);
        continue;
      }
      Breakpoint point{envelope[i].from, {}};
      add(point.change, envelope[i].counts, 1);
      add(point.change, envelope[i - 1].counts, -1);
      breakpoints.push_back(point);
    }
  }
  std::stable_sort(breakpoints.begin(), breakpoints.end(),
                   [](const Breakpoint& a, const Breakpoint& b) { return a.x < b.x; });
  LineStep best{0, kInfinity};
  double from = -kInfinity;
  for (std::size_t i = 0; i <= breakpoints.size(); ++i) {
    const double to = i < breakpoints.size() ? breakpoints[i].x : kInfinity;
    if (from < to) {
      const double x = middle(from, to);
      const double here =
          loss({static_cast<std::uint32_t>(total.n), static_cast<std::uint32_t>(total.d)});
      if (std::pair(here, std::abs(x)) < std::pair(best.loss, std::abs(best.x))) best = {x, here};
      from = to;
    }
    if (i == breakpoints.size()) break;
    total.n += breakpoints[i].change.n;
    total.d += breakpoints[i].change.d;
  }
  return best;
}

}  // namespace coppice::learn
