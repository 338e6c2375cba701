#include "coppice/forest/moments.h"

#include <algorithm>

#include "coppice/forest/conditionals.h"
#include "coppice/forest/marginals.h"
#include "forest/conditional_sweep.h"

namespace coppice {

namespace {

void require_values(const Forest& forest, const EdgeMap<double>& values) {
  detail::require_entries(forest, values.size(), "values");
  detail::require_finite(values.values(), "value");
}

// Two means and a covariance, of a node's derivations or of an edge's.
struct Joint {
  double first = 0;
  double second = 0;
  double covariance = 0;
};

Joint joint_moments(const Forest& forest, const EdgeMap<double>& scores,
                    const EdgeMap<double>& first, const EdgeMap<double>& second) {
  require_values(forest, first);
  require_values(forest, second);
  NodeMap<Joint> chart(forest.num_nodes(), Joint{});
  std::vector<Joint> by_edge;
  const auto visit = [&](const detail::NodeEdges& at) {
    if (by_edge.size() < at.size()) by_edge.resize(at.size());
    Joint node;
    for (std::size_t i = 0; i < at.size(); ++i) {
      Joint edge{first[at.edges[i]], second[at.edges[i]], 0};
      for (NodeId tail : forest.tails(at.edges[i])) {
        edge.first += chart[tail].first;
        edge.second += chart[tail].second;
        edge.covariance += chart[tail].covariance;
      }
      node.first += at.conditional(i) * edge.first;
      node.second += at.conditional(i) * edge.second;
      by_edge[i] = edge;
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Joint& edge = by_edge[i];
      const double product = (edge.first - node.first) * (edge.second - node.second);
      node.covariance += at.conditional(i) * (edge.covariance + product);
    }
    chart[at.node] = node;
  };
  detail::require_derivation(detail::sweep_conditionals(forest, scores, 1, visit));
  return chart[forest.root()];
}

// Cov(r, n_e) for every edge, as detail::expectation_gradient, with the conditionals known.
EdgeMap<double> covariance_with_uses(const Forest& forest, const EdgeMap<double>& conditionals,
                                     const EdgeMap<double>& values) {
  NodeMap<double> mean(forest.num_nodes(), 0.0);
  EdgeMap<double> centred = values;
  for (NodeId node : forest.nodes()) {
    for (EdgeId edge : forest.incoming(node)) {
      for (NodeId tail : forest.tails(edge)) centred[edge] += mean[tail];
      mean[node] += conditionals[edge] * centred[edge];
    }
    for (EdgeId edge : forest.incoming(node)) {
      centred[edge] = conditionals[edge] * (centred[edge] - mean[node]);
    }
  }
  EdgeMap<double> gradient = conditionals;
  detail::descend(forest, centred, gradient);
  return gradient;
}

// `column(i)` gives component i of every edge.
template <class Rows, class Column>
SquareMatrix covariance_matrix(const Forest& forest, const EdgeMap<double>& scores,
                               const Rows& rows, std::size_t size, Column column) {
  const EdgeMap<double> conditionals = edge_conditionals(forest, scores).probability;
  SquareMatrix matrix{size, std::vector<double>(size * size, 0.0)};
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = weighted_sum(rows, covariance_with_uses(forest, conditionals, column(i)));
    for (std::size_t j = i; j < size; ++j) {  // symmetric: the lower half is a copy
      matrix.values[i * size + j] = matrix.values[j * size + i] = row[j];
    }
  }
  return matrix;
}

}  // namespace

double expectation(const Forest& forest, const EdgeMap<double>& scores,
                   const EdgeMap<double>& values) {
  require_values(forest, values);
  return detail::expectation(forest, scores,
                             [&](EdgeId edge, double /*conditional*/) { return values[edge]; });
}

std::vector<double> expectation(const Forest& forest, const EdgeMap<double>& scores,
                                const EdgeVectors& vectors) {
  detail::require_entries(forest, vectors.size(), "vectors");
  return weighted_sum(vectors, edge_marginals(forest, scores));
}

std::vector<double> expectation(const Forest& forest, const EdgeMap<double>& scores,
                                const EdgeFeatures& features) {
  detail::require_entries(forest, features.size(), "rows of features");
  return weighted_sum(features, edge_marginals(forest, scores));
}

EdgeGradient expectation_gradient(const Forest& forest, const EdgeMap<double>& scores,
                                  const EdgeMap<double>& values) {
  require_values(forest, values);
  return detail::expectation_gradient(
      forest, scores, 1, [&](EdgeId edge, double /*conditional*/) { return values[edge]; });
}

Moments moments(const Forest& forest, const EdgeMap<double>& scores,
                const EdgeMap<double>& values) {
  const Joint joint = joint_moments(forest, scores, values, values);
  return {joint.first, joint.covariance};
}

double covariance(const Forest& forest, const EdgeMap<double>& scores, const EdgeMap<double>& first,
                  const EdgeMap<double>& second) {
  return joint_moments(forest, scores, first, second).covariance;
}

SquareMatrix covariance(const Forest& forest, const EdgeMap<double>& scores,
                        const EdgeVectors& vectors) {
  detail::require_entries(forest, vectors.size(), "vectors");
  EdgeMap<double> column(forest.num_edges(), 0.0);
  return covariance_matrix(forest, scores, vectors, vectors.dimension(),
                           [&](std::size_t i) -> const EdgeMap<double>& {
                             for (EdgeId edge : forest.edges()) column[edge] = vectors[edge][i];
                             return column;
                           });
}

SquareMatrix covariance(const Forest& forest, const EdgeMap<double>& scores,
                        const EdgeFeatures& features) {
  detail::require_entries(forest, features.size(), "rows of features");
  EdgeMap<double> column(forest.num_edges(), 0.0);
  std::vector<double> unit(features.num_features(), 0.0);
  return covariance_matrix(forest, scores, features, features.num_features(),
                           [&](std::size_t i) -> const EdgeMap<double>& {
                             std::fill(unit.begin(), unit.end(), 0.0);
                             unit[i] = 1;
                             for (EdgeId edge : forest.edges()) {
                               column[edge] = dot(features[edge], unit);
                             }
                             return column;
                           });
}

}  // namespace coppice
