// What a structure has to say of its examples, and nothing more: everything else is shared.
//
//     1. parts and forest   the derivations of an input, packed; each edge is made of parts
//     2. features           what a part looks like to a potential
//     3. gold               which derivations are right, and what edges count for losses
//     4. answer             left to the structure's own code: from a derivation to what people read
//
// With these, learn/part_training.h trains linear potentials, boosted trees and both for every
// objective, and learn/part_model.h answers with every decoder. examples/own_structure.cc is a
// structure in a hundred lines.
//
// A structure that has a faster engine than a forest laid out (the chain's dense kernels, a chart)
// brings it as a Learnable and an Engine of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coppice/forest/part_forest.h"
#include "coppice/forest/split.h"
#include "coppice/score/part_features.h"

namespace coppice::learn {

// What the annotation says of a forest's edges. Every table has an entry for each edge, or is empty
// where it is not needed.
struct PartTarget {
  // 1 for the edges that the annotation allows; the right derivations are those of such edges
  // alone. Empty: the example is not annotated.
  EdgeMap<unsigned char> gold{};
  // How often a teacher's derivations use each edge on average (soft targets).
  EdgeMap<double> teacher{};

  // For losses that count items. (n+, d+): the right items and all items that an edge brings; c+:
  // the gold items that it could have brought; and the gold items of the example.
  EdgeMap<Counts> counts{};
  EdgeMap<std::uint32_t> due{};
  std::uint32_t num_gold = 0;
  // The type of an edge's items, an index into Structure::item_types(), for costs by type.
  EdgeMap<std::uint16_t> types{};
  // For Hamming loss: how many labels of the edge are wrong.
  EdgeMap<double> mistakes{};
};

struct PartExample {
  PartForest forest{};
  PartFeatures features{};  // its parts are those of the forest
  PartTarget target{};

  void clear() { *this = {}; }
};

// What the target says of one edge.
struct EdgeTarget {
  bool is_gold = true;
  Counts counts{};
  std::uint32_t due = 0;
  std::optional<double> mistakes{};  // all edges have some, or none
  std::uint16_t type = 0;
};

// Lays an example out edge by edge, so that no table is forgotten. Nodes and edges come bottom-up,
// as ForestBuilder wants them.
class ExampleBuilder {
 public:
  // Fills `example`, which must be empty.
  explicit ExampleBuilder(PartExample& example) : example_(example) {}

  NodeId add_node() { return forest_.add_node(); }
  EdgeId add_edge(NodeId head, std::span<const NodeId> tails, std::span<const PartId> parts,
                  const EdgeTarget& target = {});
  EdgeId add_edge(NodeId head, std::initializer_list<NodeId> tails,
                  std::initializer_list<PartId> parts, const EdgeTarget& target = {}) {
    return add_edge(head, std::span(tails.begin(), tails.size()),
                    std::span(parts.begin(), parts.size()), target);
  }
  // The root is the node added last. Throws InvalidArgument where some edges have mistakes only.
  void finish(std::uint32_t num_gold);

 private:
  PartExample& example_;
  ForestBuilder forest_;
};

class Structure {
 public:
  Structure() = default;
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;
  virtual ~Structure() = default;

  virtual std::size_t num_examples() const noexcept = 0;
  // Outputs of parts are below this.
  virtual std::size_t num_outputs() const noexcept = 0;
  // Lays an example out, into an empty one. Called at every visit, so that memory does not grow
  // with the corpus. The same each time. Threads: for several examples at once.
  virtual void lay_out(std::size_t example, PartExample& laid_out) const = 0;

  // How much the example counts.
  virtual double weight(std::size_t /*example*/) const { return 1; }
  // For messages: "sentence 12", "train.mrg:310".
  virtual std::string name(std::size_t example) const;
  // Names of PartTarget::types.
  virtual std::vector<std::string> item_types() const { return {}; }
};

}  // namespace coppice::learn
