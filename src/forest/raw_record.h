// A forest record as a file gives it: nodes and edges in the file's order, nothing checked that
// needs the whole record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coppice/forest/record.h"

namespace coppice::detail {

struct RawRecord {
  std::string id;
  std::optional<std::vector<std::string>> tokens;
  std::string meta;
  Symbols symbols;
  std::vector<SymbolId> node_labels;
  std::vector<std::optional<TokenSpan>> spans;
  std::vector<std::uint32_t> heads;
  std::vector<std::size_t> tails_begin{0};
  std::vector<std::uint32_t> tails;
  std::vector<double> scores;
  std::vector<SymbolId> edge_labels;
  EdgeValues values;
  std::optional<std::uint32_t> root;

  std::size_t num_nodes() const noexcept { return node_labels.size(); }
  std::size_t num_edges() const noexcept { return heads.size(); }
};

// Checks ids and spans, sorts, and lets labels, scores and values follow. Throws ParseError
// without a location (E220, E221, E222, E224), naming nodes and edges by the file's numbers.
ForestRecord assemble(RawRecord raw);

}  // namespace coppice::detail
