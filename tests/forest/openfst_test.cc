// Agreement with OpenFst's command line tools on random lattices: total weights in the tropical
// and the log semiring, with and without cycles, and n-best paths.
//
// The tools (fstcompile, fstshortestdistance, fstshortestpath, fstprint) come with Debian's
// libfst-tools; without them these tests skip themselves and say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "coppice/base/random.h"
#include "coppice/forest/closure.h"
#include "coppice/forest/kbest.h"
#include "coppice/semiring/log.h"
#include "coppice/semiring/selective.h"
#include "support/temporary_directory.h"

namespace coppice {
namespace {

struct Arc {
  std::uint32_t from;
  std::uint32_t to;
  double cost;
};

// State 0 is the start, the last state the only final one. Costs are eighths, exact in a float.
struct Lattice {
  std::uint32_t states;
  std::vector<Arc> arcs;
};

enum class Shape { kAcyclic, kCyclic };

// Each state has three arcs at most, of cost 1.5 at least, so that cycles converge in log space.
Lattice random_lattice(std::uint64_t seed, Shape shape) {
  Random random(seed);
  Lattice lattice{8, {{0, 1, 2.0}}};
  for (std::uint32_t from = 0; from + 1 < lattice.states; ++from) {
    const std::uint32_t low = shape == Shape::kCyclic ? 0 : from + 1;
    for (int i = 0; i < (from == 0 ? 2 : 3); ++i) {
      const auto to = static_cast<std::uint32_t>(low + random.below(lattice.states - low));
      lattice.arcs.push_back({from, to, 1.5 + static_cast<double>(random.below(24)) / 8});
    }
  }
  return lattice;
}

// The node of a state derives the paths from the start to it.
Hypergraph to_hypergraph(const Lattice& lattice) {
  Hypergraph graph;
  for (std::uint32_t i = 0; i < lattice.states; ++i) graph.add_node();
  graph.add_edge(NodeId{0}, {});
  for (const Arc& arc : lattice.arcs) {
    graph.add_edge(static_cast<NodeId>(arc.to), {static_cast<NodeId>(arc.from)});
  }
  return graph;
}

EdgeMap<double> costs_of(const Lattice& lattice) {
  EdgeMap<double> costs(1, 0.0);
  for (const Arc& arc : lattice.arcs) costs.push_back(arc.cost);
  return costs;
}

EdgeMap<double> negated(EdgeMap<double> values) {
  for (double& value : values.values()) value = -value;
  return values;
}

class OpenFst : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v fstcompile fstshortestdistance fstshortestpath fstprint "
                    ">/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "OpenFst's tools are not installed (Debian: libfst-tools)";
    }
  }

  // Compiles the lattice, runs `pipeline` on it, and returns the lines that it prints.
  std::vector<std::string> run(const Lattice& lattice, const std::string& arc_type,
                               const std::string& pipeline) {
    std::ostringstream text;
    for (const Arc& arc : lattice.arcs) {
      text << arc.from << ' ' << arc.to << " 1 " << arc.cost << '\n';
    }
    text << lattice.states - 1 << '\n';
    const std::string in = directory_.write("lattice.txt", text.str());
    const std::string out = directory_.file("out.txt");
    const std::string command =
        "fstcompile --acceptor --keep_state_numbering --arc_type=" + arc_type + " '" + in + "' | " +
        pipeline + " >'" + out + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::vector<std::string> lines;
    std::ifstream file(out);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  // The distance from the start to each state; states not listed are out of reach.
  std::map<std::uint32_t, double> distances(const Lattice& lattice, const std::string& arc_type) {
    std::map<std::uint32_t, double> found;
    for (const std::string& line : run(lattice, arc_type, "fstshortestdistance --delta=1e-12 -")) {
      std::istringstream fields(line);
      std::uint32_t state = 0;
      std::string distance;
      fields >> state >> distance;
      if (distance != "Infinity") found[state] = std::stod(distance);
    }
    return found;
  }

  void expect_distances(const Lattice& lattice, const std::string& arc_type,
                        const NodeMap<double>& costs, double tolerance) {
    const auto expected = distances(lattice, arc_type);
    ASSERT_FALSE(expected.empty());
    for (std::uint32_t state = 0; state < lattice.states; ++state) {
      const double found = costs[static_cast<NodeId>(state)];
      const auto there = expected.find(state);
      ASSERT_EQ(there != expected.end(), std::isfinite(found)) << "state " << state;
      if (there != expected.end()) {
        ASSERT_NEAR(found, there->second, tolerance) << "state " << state;
      }
    }
  }

  testing::TemporaryDirectory directory_;
};

// The costs of all paths of an acyclic automaton printed by fstprint, ascending.
std::vector<double> path_costs(const std::vector<std::string>& lines) {
  std::multimap<int, std::pair<int, double>> arcs;
  std::map<int, double> finals;
  std::optional<int> start;
  for (const std::string& line : lines) {
    std::istringstream fields(line);
    std::vector<double> numbers{std::istream_iterator<double>(fields), {}};
    const int from = static_cast<int>(numbers[0]);
    if (!start) start = from;
    if (numbers.size() <= 2) {
      finals[from] = numbers.size() == 2 ? numbers[1] : 0;
    } else {
      arcs.insert({from, {static_cast<int>(numbers[1]), numbers.size() == 4 ? numbers[3] : 0}});
    }
  }
  std::vector<double> costs;
  std::vector<std::pair<int, double>> agenda;
  if (start) agenda.emplace_back(*start, 0.0);
  while (!agenda.empty()) {
    const auto [state, cost] = agenda.back();
    agenda.pop_back();
    if (finals.count(state) > 0) costs.push_back(cost + finals[state]);
    const auto [first, last] = arcs.equal_range(state);
    for (auto arc = first; arc != last; ++arc) {
      agenda.emplace_back(arc->second.first, cost + arc->second.second);
    }
  }
  std::sort(costs.begin(), costs.end());
  return costs;
}

TEST_F(OpenFst, AgreesOnTropicalDistances) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (Shape shape : {Shape::kAcyclic, Shape::kCyclic}) {
      SCOPED_TRACE(seed);
      const Lattice lattice = random_lattice(seed, shape);
      const auto chart = closure<TropicalSemiring>(to_hypergraph(lattice), costs_of(lattice));
      expect_distances(lattice, "standard", chart, 0);
    }
  }
}

TEST_F(OpenFst, AgreesOnLogDistances) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (Shape shape : {Shape::kAcyclic, Shape::kCyclic}) {
      SCOPED_TRACE(seed);
      const Lattice lattice = random_lattice(seed, shape);
      auto chart = closure<LogSemiring>(to_hypergraph(lattice), negated(costs_of(lattice)));
      for (double& value : chart.values()) value = -value;
      expect_distances(lattice, "log64", chart, 1e-6);
    }
  }
}

TEST_F(OpenFst, AgreesOnTheBestPaths) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Lattice lattice = random_lattice(seed, Shape::kAcyclic);
    const SortedForest sorted = sort_topologically(to_hypergraph(lattice));
    EdgeMap<double> scores(sorted.forest.num_edges(), 0.0);
    const EdgeMap<double> costs = costs_of(lattice);
    for (EdgeId edge : IdRange<EdgeId>(costs.size())) scores[sorted.edge_of[edge]] = -costs[edge];
    std::vector<double> found;
    for (const Derivation& path : k_best(sorted.forest, scores, 25)) found.push_back(-path.score);
    const auto expected = path_costs(
        run(lattice, "standard", "fstshortestpath --nshortest=25 - | fstprint --acceptor -"));
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace coppice
