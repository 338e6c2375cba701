#include "coppice/tag/record.h"

#include <string>
#include <utility>
#include <vector>

#include "coppice/base/error.h"

namespace coppice::tag {

namespace {

std::vector<std::string> forms_of(const text::Sentence& sentence) {
  std::vector<std::string> forms(sentence.num_tokens());
  for (std::size_t t = 0; t < forms.size() && sentence.form_column(); ++t) {
    forms[t] = sentence.cell(t, *sentence.form_column());
  }
  return forms;
}

}  // namespace

ForestRecord make_record(const Tagger& tagger, chain::ChainForest chain,
                         const text::Sentence& sentence) {
  ForestRecord record = coppice::make_record(std::move(chain.forest));
  record.id = sentence.id().empty() ? concat("s", sentence.number()) : std::string(sentence.id());
  record.tokens = forms_of(sentence);
  record.scores = std::move(chain.scores);
  const auto length = static_cast<std::uint32_t>(sentence.num_tokens());
  record.spans = NodeMap<TokenSpan>(record.forest.num_nodes(), TokenSpan{0, length});
  record.edge_values = EdgeValues();
  for (const EdgeId edge : record.forest.edges()) {
    record.edge_values.begin_edge();
    const chain::EdgeLabels& labels = chain.labels[edge];
    if (labels.label == chain::kNoLabel) continue;
    const std::string_view label = tagger.label(labels.label);
    const NodeId head = record.forest.head(edge);
    record.edge_labels[edge] = record.node_labels[head] = record.symbols.add(label);
    record.spans[head].end = labels.token + 1;
    record.edge_values.add(label, 1);
  }
  return record;
}

}  // namespace coppice::tag
