#include "coppice/span/record.h"

#include <utility>
#include <vector>

namespace coppice::span {

namespace {

std::string label_of(const Grammar& grammar, const NodeInfo& info) {
  if (info.kind != NodeKind::kPrefix) return grammar.name(info.symbol);
  std::string label(1, kHelperMark);
  for (SymbolId symbol : grammar.right(info.rule).first(info.num_symbols)) {
    if (label.size() > 1) label += ' ';
    label += to_string(grammar, symbol);
  }
  return label;
}

}  // namespace

ForestRecord make_record(const Grammar& grammar, ParseResult parsed,
                         std::span<const std::string> words) {
  ForestRecord record = coppice::make_record(std::move(parsed.forest));
  record.tokens = std::vector<std::string>(words.begin(), words.end());
  record.scores = std::move(parsed.scores);
  record.spans = NodeMap<TokenSpan>(record.forest.num_nodes(), TokenSpan());
  for (NodeId node : record.forest.nodes()) {
    const NodeInfo& info = parsed.nodes[node];
    record.node_labels[node] = record.symbols.add(label_of(grammar, info));
    record.spans[node] = {info.begin, info.end};
  }
  record.edge_values = EdgeValues();
  for (EdgeId edge : record.forest.edges()) {
    record.edge_values.begin_edge();
    const RuleId rule = parsed.rules[edge];
    if (rule == kNoRule) continue;
    record.edge_labels[edge] = record.symbols.add(to_string(grammar, rule));
    record.edge_values.add(grammar.name(grammar.left(rule)), 1);
  }
  return record;
}

}  // namespace coppice::span
