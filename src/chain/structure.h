// A chain as any other structure: its label sequences laid out as a forest of parts, for the
// generic engine (learn/forest_engine.h), to which the chain's own engines are held.
//
// A node is the last `order` labels after a token (one at least where items are counted, with the
// bit "still matching" of chain/items.h); an edge is a token's label after
// those. Parts: the token's label, and the label sequences of length 2 to order + 1 that end there.
// Outputs are the labels, then the sequences of length 2, of length 3 and so on, each numbered by
// its labels as digits.
//
// Cost: labels^(order + 1) edges per token, twice that where items are counted. Training of chains
// takes chain/corpus_objective.h, which is some hundred times faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "chain/dataset.h"
#include "chain/items.h"
#include "coppice/chain/constraints.h"
#include "coppice/learn/structure.h"

namespace coppice::chain {

class ChainStructure final : public learn::Structure {
 public:
  // What is given must outlive this. Without `items` nothing is counted, and losses of items are
  // refused. Attributes of the data's design are the features of a token; those conjoined with
  // label pairs are not read. Throws InvalidArgument for an order above 3.
  ChainStructure(const Dataset& data, const Constraints& constraints, unsigned order,
                 const ItemRules* items);

  std::size_t num_examples() const noexcept override { return data_.num_sentences(); }
  std::size_t num_outputs() const noexcept override;
  void lay_out(std::size_t example, learn::PartExample& laid_out) const override;
  double weight(std::size_t example) const override {
    return static_cast<double>(data_.weight_of(example));
  }

  // Where outputs of sequences of `length` labels begin; of the labels themselves for 1.
  std::size_t first_output(std::size_t length) const noexcept;
  // The output of a sequence: its labels as digits.
  std::size_t output(std::span<const std::uint16_t> labels) const noexcept;

 private:
  struct Layout;

  const Dataset& data_;
  const Constraints& constraints_;
  unsigned order_;
  const ItemRules* items_;
};

}  // namespace coppice::chain
