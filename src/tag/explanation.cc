#include "coppice/tag/explanation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chain/forbidden.h"
#include "chain/lattice_messages.h"
#include "chain/messages.h"
#include "coppice/base/error.h"
#include "coppice/tag/tree_names.h"
#include "tag/context_split.h"
#include "tag/feature_names.h"
#include "tag/session_state.h"
#include "tag/tagger_state.h"

namespace coppice::tag {

Explainer::Explainer(const Tagger& tagger)
    : tagger_(tagger), session_(tagger), extractor_(tagger.extractor()) {
  if (tagger.trees() != nullptr) tree_names_ = tree_names(tagger);
}
Explainer::~Explainer() = default;

const std::vector<std::uint16_t>& Explainer::read(const text::Sentence& sentence,
                                                  FeatureCells& columns) {
  session_.read(sentence, columns);
  session_.best_labels(labels_);
  sentence_ = &sentence;
  cells_ = columns.of(sentence);
  extractor_.extract(cells_, attributes_, text::Origins::kRecord);
  if (tagger_.config().is_sparse()) {
    lattice_messages_ = std::make_unique<chain::LatticeMessages>(
        session_.state().lattice(), session_.state().tempered_lattice_scores());
  }
  return labels_;
}

double Explainer::log_posterior(std::size_t token, std::size_t label) {
  if (lattice_messages_) return lattice_messages_->log_posterior(token, label);
  const chain::Messages& messages = session_.state().messages();
  const double sum = messages.forward(token)[label] + messages.backward(token)[label];
  return sum == chain::kLogZero ? chain::kLogZero : sum - messages.log_partition();
}

std::uint16_t Explainer::runner_up(std::size_t token, std::size_t label) {
  std::size_t best = label == 0 ? 1 : 0;
  for (std::size_t y = best; y < tagger_.num_labels(); ++y) {
    if (y != label && log_posterior(token, y) > log_posterior(token, best)) best = y;
  }
  return static_cast<std::uint16_t>(best);
}

std::optional<Explanation> Explainer::explain(std::size_t token, std::uint16_t label,
                                              std::optional<std::uint16_t> other) {
  require(token < session_.length() && label < tagger_.num_labels() && label != other &&
              other.value_or(0) < tagger_.num_labels(),
          "explain: no such token or label, or one label against itself");
  if (tagger_.num_labels() < 2) return std::nullopt;
  Explanation result{
      .token = token, .label = label, .other = other.value_or(runner_up(token, label))};
  result.label_probability = std::exp(log_posterior(token, label));
  result.other_probability = std::exp(log_posterior(token, result.other));
  if (std::isinf(log_posterior(token, label)) || std::isinf(log_posterior(token, result.other))) {
    return std::nullopt;
  }
  add_features(result);
  if (tagger_.state().has_edges()) {
    add_edge_features(result);
    result.right = right_edge_context(result);
  } else if (tagger_.config().is_sparse()) {
    add_lattice_contexts(result);
  } else {
    result.left = left_context(result);
    result.right = right_context(result);
  }
  std::stable_sort(result.features.begin(), result.features.end(),
                   [](const FeatureContribution& a, const FeatureContribution& b) {
                     return std::abs(a.amount) > std::abs(b.amount);
                   });
  result.log_odds = result.base;
  for (const FeatureContribution& feature : result.features) result.log_odds += feature.amount;
  for (const ContextContribution& context : {result.left, result.right}) {
    result.log_odds += context.transition + context.beyond;
  }
  return result;
}

void Explainer::add_features(Explanation& result) {
  const text::AttributeList& states = attributes_.states;
  for (std::size_t k = states.offsets[result.token]; k < states.offsets[result.token + 1]; ++k) {
    add_feature(result, *extractor_.name(states.templates[k], cells_, result.token), states.keys[k],
                states.values.empty() ? 1.0f : states.values[k]);
  }
  for (std::size_t i = 0; i < sentence_->num_attributes(result.token); ++i) {
    const text::Attribute attribute = sentence_->attribute(result.token, i);
    add_feature(result, std::string(attribute.name), text::key_of_name(attribute.name),
                static_cast<float>(attribute.value));
  }
}

void Explainer::add_feature(Explanation& result, std::string name, std::uint64_t key, float value) {
  const FrozenLinear::Slot* slot = tagger_.state().potential().find(key);
  if (slot == nullptr) return;
  std::vector<LinearPotential::Entry> row;
  tagger_.state().potential().read(*slot, row);
  double weight = 0;
  for (const LinearPotential::Entry& entry : row) {
    if (entry.label == result.label) weight += entry.weight;
    if (entry.label == result.other) weight -= entry.weight;
  }
  if (weight == 0) return;
  result.features.push_back(
      {std::move(name), value, weight, 0, value * weight / tagger_.config().temperature});
}

ContextContribution Explainer::left_context(const Explanation& result) {
  if (result.token == 0 || tagger_.state().tempered_transitions().none()) return {};
  const auto forward = session_.state().messages().forward(result.token - 1);
  const std::vector<double> rest(forward.begin(), forward.end());
  const auto side = [&](std::size_t y) {
    std::vector<double> pair(rest.size());
    for (std::size_t u = 0; u < rest.size(); ++u) {
      pair[u] = tagger_.state().tempered_transitions().score(u, y);
    }
    return split_context(pair, rest);
  };
  return context_difference(side(result.label), side(result.other));
}

ContextContribution Explainer::right_context(const Explanation& result) {
  const std::size_t next = result.token + 1;
  if (next == session_.length() || tagger_.state().tempered_transitions().none()) return {};
  const auto backward = session_.state().messages().backward(next);
  const auto scores = session_.state().tempered_scores(next);
  std::vector<double> rest(backward.size());
  for (std::size_t v = 0; v < rest.size(); ++v) rest[v] = backward[v] + scores[v];
  const auto side = [&](std::size_t y) {
    std::vector<double> pair(rest.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
      pair[v] = tagger_.state().tempered_transitions().score(y, v);
    }
    return split_context(pair, rest);
  };
  return context_difference(side(result.label), side(result.other));
}

}  // namespace coppice::tag
