#include "chain/label_lattice.h"

#include "chain/forbidden.h"
#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

constexpr std::size_t kMaxEdges = std::size_t{1} << 26;  // a gigabyte, with what inference needs

// The parts of an edge of `order` that puts `label` after `history`.
void add_parts(LabelKey history, std::uint16_t label, unsigned order, const LabelModel& model,
               std::vector<std::uint32_t>& parts) {
  for (unsigned length = 2; length <= order + 1; ++length) {
    const LabelKey key = extended(history, label, length);
    std::uint32_t part = LabelLattice::kNoPart;
    if (key_length(key) == length) {
      const std::uint32_t number = length == 2 ? 0 : model.ngrams.find(key);
      if (length == 2) {
        part = static_cast<std::uint32_t>(last_label(history) * model.transitions.stride() + label);
      } else if (number != LabelNgrams::kNone) {
        part = static_cast<std::uint32_t>(model.num_pairs() + number);
      }
    }
    parts.push_back(part);
  }
}

// Kept edges by their head: those whose head is node v are [begin[v], begin[v + 1]) of `edges`;
// they come in this order already.
struct KeptEdges {
  std::vector<std::uint32_t> edges, begin;
};

KeptEdges kept_edges(const LabelLattice& lattice, std::span<const unsigned char> keep) {
  KeptEdges kept;
  kept.begin.reserve(lattice.num_nodes() + 1);
  kept.begin.push_back(0);
  for (std::size_t node = 0; node < lattice.num_nodes(); ++node) {
    for (std::uint32_t e = lattice.edge_begin[node]; e < lattice.edge_begin[node + 1]; ++e) {
      if (keep.empty() || keep[e] != 0) kept.edges.push_back(e);
    }
    kept.begin.push_back(static_cast<std::uint32_t>(kept.edges.size()));
  }
  return kept;
}

// How many edges the line graph has at most: one for each edge and each that may stand before it.
std::size_t count_successions(const LabelLattice& lattice, const KeptEdges& kept) {
  std::size_t count = 0;
  for (const std::uint32_t edge : kept.edges) {
    const std::uint32_t from = lattice.tail[edge];
    count += edge < lattice.first_edge(1) ? 1 : kept.begin[from + 1] - kept.begin[from];
  }
  return count;
}

}  // namespace

LabelLattice order_zero_lattice(const float* scores, std::size_t length,
                                const Transitions& transitions,
                                std::span<const unsigned char> keep) {
  const std::size_t labels = transitions.labels();
  LabelLattice lattice;
  for (std::size_t t = 0; t < length; ++t) {
    const float* row = scores + t * transitions.stride();
    for (std::size_t y = 0; y < labels; ++y) {
      if (row[y] == kForbidden || (!keep.empty() && keep[t * labels + y] == 0)) continue;
      lattice.tail.push_back(static_cast<std::uint32_t>(t));
      lattice.label.push_back(static_cast<std::uint16_t>(y));
    }
    lattice.history.push_back(0);
    lattice.edge_begin.push_back(static_cast<std::uint32_t>(lattice.tail.size()));
    lattice.node_begin.push_back(static_cast<std::uint32_t>(lattice.num_nodes()));
  }
  return lattice;
}

LabelLattice line_graph(const LabelLattice& lattice, std::span<const unsigned char> keep,
                        const LabelModel& model) {
  const KeptEdges kept = kept_edges(lattice, keep);
  LabelLattice finer;
  finer.order = lattice.order + 1;
  const std::size_t size = count_successions(lattice, kept);
  require(size < kMaxEdges, "a chain of order ", finer.order, " over ", lattice.length(),
          " tokens has more than 2^26 label sequences to look at; prune it");
  finer.tail.reserve(size);
  finer.label.reserve(size);
  finer.parts.reserve(size * finer.order);
  const auto add_edge = [&](std::uint32_t tail, std::uint16_t label) {
    const LabelKey history = finer.history[tail];
    if (lattice.order == 0 && history != 0 &&
        model.transitions.score(last_label(history), label) == kForbidden) {
      return;
    }
    finer.tail.push_back(tail);
    finer.label.push_back(label);
    add_parts(history, label, finer.order, model, finer.parts);
  };
  std::size_t next = 0;  // in kept.edges; its node is next + 1
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    for (; next < kept.edges.size() && kept.edges[next] < lattice.first_edge(t + 1); ++next) {
      const std::uint32_t edge = kept.edges[next], from = lattice.tail[edge];
      const std::uint16_t label = lattice.label[edge];
      if (t == 0) add_edge(0, label);
      for (std::uint32_t k = kept.begin[from]; t > 0 && k < kept.begin[from + 1]; ++k) {
        add_edge(k + 1, label);
      }
      finer.history.push_back(extended(lattice.history[from], label, finer.order));
      finer.edge_begin.push_back(static_cast<std::uint32_t>(finer.tail.size()));
    }
    finer.node_begin.push_back(static_cast<std::uint32_t>(finer.num_nodes()));
  }
  return finer;
}

LabelLattice full_lattice(const float* scores, std::size_t length, const Transitions& transitions) {
  LabelLattice labels = order_zero_lattice(scores, length, transitions);
  if (transitions.none()) return labels;
  return line_graph(labels, {}, {.transitions = transitions, .ngrams = {}, .parts = {}});
}

std::vector<std::uint32_t> path_of(const LabelLattice& lattice,
                                   std::span<const std::uint16_t> labels) {
  std::vector<std::uint32_t> path;
  std::uint32_t at = 0;
  for (std::size_t t = 0; t < lattice.length() && path.size() == t; ++t) {
    const std::uint32_t from = at;
    for (std::uint32_t v = lattice.node_begin[t]; v < lattice.node_begin[t + 1]; ++v) {
      for (std::uint32_t e = lattice.edge_begin[v]; e < lattice.edge_begin[v + 1]; ++e) {
        if (lattice.tail[e] != from || lattice.label[e] != labels[t]) continue;
        path.push_back(e);
        at = v;
      }
    }
  }
  if (path.size() != lattice.length()) path.clear();
  return path;
}

}  // namespace coppice::chain
