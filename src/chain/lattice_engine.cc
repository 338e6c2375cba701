// The engine of lattices: chains of higher order, and pruned ones.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "chain/engine.h"
#include "chain/forbidden.h"
#include "chain/item_graph.h"
#include "coppice/base/error.h"
#include "learn/logistic.h"

namespace coppice::chain {

namespace {

// Where a path of a lattice goes on: its edges by the node that they leave.
class Continuations {
 public:
  explicit Continuations(const LabelLattice& lattice)
      : lattice_(lattice),
        begin_(lattice.num_nodes() + 1, 0),
        edges_(lattice.num_edges()),
        head_(lattice.num_edges()) {
    for (const std::uint32_t node : lattice.tail) ++begin_[node + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t node = 0; node < lattice.num_nodes(); ++node) {
      for (std::uint32_t e = lattice.edge_begin[node]; e < lattice.edge_begin[node + 1]; ++e) {
        edges_[next[lattice.tail[e]]++] = e;
        head_[e] = node;
      }
    }
  }

  // Appends the edges from `node` on with these labels; false where the lattice lacks one.
  bool follow(std::uint32_t node, std::span<const std::uint16_t> labels,
              std::vector<std::uint32_t>& path) const {
    for (const std::uint16_t label : labels) {
      const auto first = edges_.begin() + begin_[node], last = edges_.begin() + begin_[node + 1];
      const auto found =
          std::find_if(first, last, [&](std::uint32_t e) { return lattice_.label[e] == label; });
      if (found == last) return false;
      path.push_back(*found);
      node = head_[*found];
    }
    return true;
  }

 private:
  const LabelLattice& lattice_;
  std::vector<std::uint32_t> begin_, edges_, head_;
};

// - ln p(y_t | all other labels) of one token: the label, and those after it that see it, on the
// path that leaves the gold one at `token`. Adds its derivatives by the edges' scores.
double token_pseudo_likelihood(const LabelLattice& lattice, std::size_t num_labels,
                               std::span<const float> scores, const Continuations& onward,
                               std::span<const std::uint32_t> gold_path, std::size_t token,
                               std::span<float> derivatives) {
  const std::size_t end = std::min(token + std::max(1u, lattice.order + 1), lattice.length());
  std::vector<std::uint16_t> labels;
  for (std::size_t t = token; t < end; ++t) labels.push_back(lattice.label[gold_path[t]]);
  const std::uint16_t gold = labels[0];
  struct Candidate {
    std::vector<std::uint32_t> path;
    double score = 0;
  };
  std::vector<Candidate> candidates;
  double largest = kLogZero, right = kLogZero;
  for (std::size_t v = 0; v < num_labels; ++v) {
    Candidate one;
    labels[0] = static_cast<std::uint16_t>(v);
    if (!onward.follow(lattice.tail[gold_path[token]], labels, one.path)) continue;
    for (const std::uint32_t e : one.path) one.score += static_cast<double>(scores[e]);
    largest = std::max(largest, one.score);
    if (v == gold) right = one.score;
    candidates.push_back(std::move(one));
  }
  double sum = 0;
  for (Candidate& one : candidates) sum += one.score = std::exp(one.score - largest);
  for (const Candidate& one : candidates) {
    const bool is_gold = lattice.label[one.path[0]] == gold;
    const auto slope = static_cast<float>(one.score / sum - (is_gold ? 1 : 0));
    for (const std::uint32_t e : one.path) derivatives[e] += slope;
  }
  return largest + std::log(sum) - right;
}

// The labels of an edge: those before it that the lattice tells apart, then its own.
void labels_of(const LabelLattice& lattice, std::size_t token, std::size_t edge,
               std::vector<std::uint16_t>& labels) {
  labels.assign(1, lattice.label[edge]);
  LabelKey history = lattice.history[lattice.tail[edge]];
  const std::size_t before = std::min<std::size_t>(token, lattice.order);
  for (std::size_t i = 0; i < before; ++i, history = without_last(history)) {
    labels.push_back(last_label(history));
  }
  std::reverse(labels.begin(), labels.end());
}

}  // namespace

LatticeScores LatticeEngine::lattice_scores() const noexcept {
  const std::size_t pairs = transitions_.none() ? 0 : transitions_.labels() * transitions_.stride();
  return {scores_.rows, scores_.stride,
          scores_.parts.empty() ? std::span(transitions_.scores(), pairs) : scores_.parts,
          scores_.edges};
}

template <class Visit>
void LatticeEngine::for_edges(const Visit& visit) const {
  for (std::size_t t = 0; t < lattice_.length(); ++t) {
    for (std::size_t e = lattice_.first_edge(t); e < lattice_.first_edge(t + 1); ++e) visit(t, e);
  }
}

std::vector<std::uint32_t> LatticeEngine::gold_path() const {
  return path_of(lattice_, gold_labels());
}

void LatticeEngine::clear() {
  std::fill_n(scores_.rows, length() * scores_.stride, 0.0f);
  std::fill(scores_.edges.begin(), scores_.edges.end(), 0.0f);
}

void LatticeEngine::add(std::size_t token, std::size_t edge, float derivative) {
  if (!scores_.edges.empty()) {
    scores_.edges[edge] += derivative;
    return;
  }
  scores_.rows[token * scores_.stride + lattice_.label[edge]] += derivative;
  for (const std::uint32_t part : lattice_.parts_of(edge)) {
    if (part != LabelLattice::kNoPart) pairs_->add_part(part, derivative);
  }
}

double LatticeEngine::posteriors() {
  const double log_z = marginals(lattice_, lattice_scores(), workspace_.lattice);
  clear();
  for_edges([&](std::size_t t, std::size_t e) {
    const auto posterior = static_cast<float>(workspace_.lattice.posterior[e]);
    if (posterior != 0) add(t, e, posterior);
  });
  return log_z;
}

double LatticeEngine::gold_score() const {
  const std::vector<std::uint32_t> path = gold_path();
  if (path.empty()) return -std::numeric_limits<double>::infinity();
  double score = 0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    score += lattice_scores().of(lattice_, t, path[t]);
  }
  return score;
}

void LatticeEngine::subtract_gold() {
  const std::vector<std::uint32_t> path = gold_path();
  for (std::size_t t = 0; t < path.size(); ++t) add(t, path[t], -1);
}

// Posteriors twice; the second time over what the annotation allows.
double LatticeEngine::partial_likelihood() {
  AlignedVector<float> allowed = gold().restricted(scores_.rows, transitions_.labels());
  std::vector<float> allowed_edges(scores_.edges.begin(), scores_.edges.end());
  PairDerivatives allowed_parts;
  if (pairs_ != nullptr) allowed_parts.reset(transitions_, pairs_->num_longer());
  LatticeEngine right(lattice_, {allowed.data(), scores_.stride, scores_.parts, allowed_edges},
                      transitions_, target_, &allowed_parts, workspace_);
  const double gold_z = right.posteriors();
  const double log_z = posteriors();
  for (std::size_t k = 0; k < allowed.size(); ++k) scores_.rows[k] -= allowed[k];
  for (std::size_t e = 0; e < allowed_edges.size(); ++e) scores_.edges[e] -= allowed_edges[e];
  if (pairs_ != nullptr) {
    allowed_parts.finish(transitions_);
    pairs_->add(allowed_parts, -1);
  }
  return log_z - gold_z;
}

double LatticeEngine::complete_pseudo_likelihood() {
  std::vector<float> scores(lattice_.num_edges()), derivatives(lattice_.num_edges(), 0.0f);
  const LatticeScores of_parts = lattice_scores();
  for_edges([&](std::size_t t, std::size_t e) {
    scores[e] = static_cast<float>(of_parts.of(lattice_, t, e));
  });
  const Continuations onward(lattice_);
  std::vector<std::uint32_t> path;
  if (!onward.follow(0, gold_labels(), path)) return std::numeric_limits<double>::infinity();
  double value = 0;
  for (std::size_t t = 0; t < length(); ++t) {
    value += token_pseudo_likelihood(lattice_, transitions_.labels(), scores, onward, path, t,
                                     derivatives);
  }
  clear();
  for_edges([&](std::size_t t, std::size_t e) {
    if (derivatives[e] != 0) add(t, e, derivatives[e]);
  });
  return value;
}

void LatticeEngine::add_costs(const CostRows& costs) {
  for (std::size_t t = 0; t < length(); ++t) {
    costs.add(gold().at(t), scores_.rows + t * scores_.stride);
  }
}

double LatticeEngine::teacher() {
  require(!target_.soft.empty(),
          "the teacher objective needs soft targets, and the sentence has none");
  std::vector<double> counts(lattice_.num_edges());
  std::vector<std::uint16_t> labels;
  double expected = 0;
  const LatticeScores scores = lattice_scores();
  for_edges([&](std::size_t t, std::size_t e) {
    labels_of(lattice_, t, e, labels);
    counts[e] = soft_count(t, labels);
    expected += learn::expected_score(counts[e], scores.of(lattice_, t, e));
  });
  const double log_z = posteriors();
  for_edges([&](std::size_t t, std::size_t e) {
    if (counts[e] != 0) add(t, e, static_cast<float>(-counts[e]));
  });
  return log_z - expected;
}

double LatticeEngine::parts() {
  std::vector<double> derivatives(lattice_.num_edges(), 0.0);
  std::vector<std::uint16_t> labels;
  double value = 0;
  const LatticeScores scores = lattice_scores();
  for_edges([&](std::size_t t, std::size_t e) {
    const double score = scores.of(lattice_, t, e);
    if (score == -std::numeric_limits<double>::infinity()) return;
    labels_of(lattice_, t, e, labels);
    bool is_gold = true;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      is_gold = is_gold && gold().allows(t + 1 - labels.size() + i, labels[i]);
    }
    const learn::LogLoss loss = learn::log_loss(score, is_gold);
    value += loss.value;
    derivatives[e] = loss.derivative;
  });
  clear();
  for_edges([&](std::size_t t, std::size_t e) { add(t, e, static_cast<float>(derivatives[e])); });
  return value;
}

std::optional<double> LatticeEngine::lay_out(double scale, const GoldItems* gold,
                                             ItemGraph& graph) {
  LatticeScores scores = lattice_scores();
  AlignedVector<float> labels, parts, edges;
  if (scale != 1) {
    labels.assign(scores.labels, scores.labels + length() * scores.stride);
    parts.assign(scores.parts.begin(), scores.parts.end());
    edges.assign(scores.edges.begin(), scores.edges.end());
    for (auto* values : {&labels, &parts, &edges}) {
      for (float& score : *values) score *= static_cast<float>(scale);
    }
    scores.labels = labels.data();
    scores.parts = parts;
    scores.edges = edges;
  }
  const double log_z = marginals(lattice_, scores, workspace_.lattice);
  if (!std::isfinite(log_z)) return std::nullopt;
  graph = build_item_graph(StateItemGraphInput{lattice_, scores, workspace_.lattice.posterior},
                           loss().rules(), gold, kLeastPosterior);
  if (!std::isfinite(normalise(graph))) return std::nullopt;
  return log_z;
}

void LatticeEngine::write(const ItemGraph& graph, std::span<const double> gradient, double factor) {
  clear();
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const EdgeLabels& labels = graph.steps[i].labels;
    if (labels.label == kNoLabel) continue;
    add(labels.token, labels.lattice_edge, static_cast<float>(factor * gradient[i]));
  }
}

}  // namespace coppice::chain
