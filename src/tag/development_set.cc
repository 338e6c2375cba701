#include "tag/development_set.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "chain/coarse_to_fine.h"
#include "chain/edge_kernel.h"
#include "chain/kernel.h"
#include "score/dictionary.h"
#include "tag/token_attributes.h"

namespace coppice::tag {

namespace {

constexpr std::size_t kSentencesPerChunk = 64;

// Attributes of the training data by their keys.
class KeyNumbers {
 public:
  explicit KeyNumbers(std::span<const std::uint64_t> keys) {
    numbers_.reserve(keys.size());
    for (std::uint32_t a = 0; a < keys.size(); ++a) numbers_.emplace(keys[a], a);
  }
  const std::uint32_t* find(std::uint64_t key) const {
    const auto found = numbers_.find(key);
    return found == numbers_.end() ? nullptr : &found->second;
  }

 private:
  tsl::robin_map<std::uint64_t, std::uint32_t> numbers_;
};

void add_attribute(DesignMatrix& design, std::uint32_t attribute, float value) {
  design.attributes.push_back(attribute);
  design.values.push_back(value);
}

void end_token(DesignMatrix& design) {
  design.begin.push_back(static_cast<std::uint32_t>(design.attributes.size()));
}

void add_rows(const LinearPotential& potential, std::span<const float> weights,
              const DesignMatrix& design, std::size_t begin, std::size_t end, float* rows) {
  for (std::size_t token = begin; token < end; ++token, rows += potential.stride()) {
    for (std::size_t k = design.begin[token]; k < design.begin[token + 1]; ++k) {
      potential.add_attribute(weights, design.attributes[k], design.values[k], rows);
    }
  }
}

}  // namespace

void DevelopmentSet::encode(const DevelopmentKeys& keys) {
  const KeyFold fold(keys.hash_bits);
  const KeyNumbers state_numbers(keys.states), pair_numbers(keys.pairs);
  tsl::robin_map<std::uint64_t, const FrozenLinear::KeyedRow*> retained;
  for (const FrozenLinear::KeyedRow& row : keys.retained) retained.emplace(row.key, &row);
  const std::size_t stride = row_stride(keys.num_labels);
  text::Attributes attributes;
  std::vector<std::uint64_t> token_keys;
  std::vector<float> values;
  std::vector<std::uint32_t> bins;
  for (const text::Sentence& sentence : sentences_) {
    extractor_.extract(cells_.of(sentence), attributes);
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      gold_.emplace_back(sentence.cell(t, label_column_));
      token_attributes(attributes.states, sentence, t, token_keys, values);
      if (keys.trees != nullptr) {
        keys.trees->encode(token_keys, values, bins);
        tree_rows_.add(bins);
      }
      if (!retained.empty()) retained_.resize(gold_.size() * stride, 0.0f);
      for (std::size_t k = 0; k < token_keys.size(); ++k) {
        const std::uint64_t key = fold(token_keys[k]);
        if (const std::uint32_t* number = state_numbers.find(key)) {
          add_attribute(states_, *number, values[k]);
        } else if (const auto row = retained.find(key); row != retained.end()) {
          for (const auto& [label, weight] : row->second->row) {
            retained_[(gold_.size() - 1) * stride + label] += values[k] * weight;
          }
        }
      }
      end_token(states_);
      const text::AttributeList& conjoined = attributes.transitions;
      for (std::size_t k = conjoined.offsets[t]; t > 0 && k < conjoined.offsets[t + 1]; ++k) {
        const std::uint32_t* number = pair_numbers.find(fold(conjoined.keys[k]));
        if (number == nullptr) continue;
        add_attribute(pairs_, *number, conjoined.values.empty() ? 1.0f : conjoined.values[k]);
      }
      end_token(pairs_);
    }
    sentence_begin_.push_back(static_cast<std::uint32_t>(gold_.size()));
  }
  sentences_ = {};
}

void DevelopmentSet::score(const chain::CorpusObjective& objective, std::span<const float> weights,
                           std::size_t sentence, AlignedVector<float>& rows) const {
  const std::size_t begin = sentence_begin_[sentence], end = sentence_begin_[sentence + 1];
  const std::size_t stride = objective.potential().stride();
  rows.assign((end - begin) * stride, 0.0f);
  if (!retained_.empty()) {
    const auto first = retained_.begin() + static_cast<std::ptrdiff_t>(begin * stride);
    std::copy_n(first, rows.size(), rows.begin());
  }
  add_rows(objective.potential(), weights, states_, begin, end, rows.data());
  chain::forbid_ends(objective.constraints(), objective.num_labels(), rows);
}

void DevelopmentSet::score_pairs(const chain::CorpusObjective& objective,
                                 std::span<const float> weights, std::size_t sentence,
                                 AlignedVector<float>& rows) const {
  const LinearPotential& linear = objective.pair_potential()->linear();
  const std::size_t begin = sentence_begin_[sentence], end = sentence_begin_[sentence + 1];
  rows.assign((end - begin) * linear.stride(), 0.0f);
  add_rows(linear, objective.pair_weights(weights), pairs_, begin, end, rows.data());
}

void DevelopmentSet::judge(const Labels& found, std::span<const std::string> labels,
                           eval::SpanScorer& scorer) const {
  std::vector<std::string_view> gold, answer;
  for (std::size_t i = 0; i < num_sentences(); ++i) {
    gold.clear();
    answer.clear();
    for (std::size_t t = 0; t < length(i); ++t) {
      gold.push_back(gold_[sentence_begin_[i] + t]);
      answer.push_back(labels[found[i][t]]);
    }
    scorer.add(gold, answer);
  }
}

double DevelopmentSet::accuracy(const Labels& found, std::span<const std::string> labels) const {
  std::size_t right = 0;
  for (std::size_t i = 0; i < num_sentences(); ++i) {
    for (std::size_t t = 0; t < length(i); ++t) {
      right += gold_[sentence_begin_[i] + t] == labels[found[i][t]] ? 1 : 0;
    }
  }
  return gold_.empty() ? 0 : static_cast<double>(right) / static_cast<double>(gold_.size());
}

DevelopmentSet::Labels best_labels(const DevelopmentSet& set,
                                   const chain::CorpusObjective& objective,
                                   std::span<const float> weights, const Threads& threads) {
  DevelopmentSet::Labels found(set.num_sentences());
  const chain::Transitions transitions = objective.transitions(weights);
  const chain::LabelModel model = objective.model(transitions, weights);
  const std::size_t chunks = (found.size() + kSentencesPerChunk - 1) / kSentencesPerChunk;
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned) {
    AlignedVector<float> rows, pairs;
    std::vector<float> edges;
    std::vector<std::uint32_t> path;
    chain::Workspace workspace;
    const std::size_t end = std::min(found.size(), (chunk + 1) * kSentencesPerChunk);
    for (std::size_t i = chunk * kSentencesPerChunk; i < end; ++i) {
      const std::size_t length = set.length(i);
      set.score(objective, weights, i, rows);
      if (const chain::PairPotential* potential = objective.pair_potential()) {
        const auto shape = chain::EdgeShape::of_order(1, objective.num_labels());
        set.score_pairs(objective, weights, i, pairs);
        edges.resize(length * shape.block());
        chain::fill_edges(shape, rows.data(), transitions, edges);
        chain::add_pair_scores(shape, potential->pairs(), pairs.data(), potential->stride(), edges);
        chain::edge_best_labels(shape, edges, found[i]);
      } else if (objective.options().is_sparse()) {
        const chain::LabelLattice lattice =
            chain::coarse_to_fine(rows.data(), length, model, nullptr, workspace);
        chain::LatticeWorkspace lattice_workspace;
        chain::best_path(lattice, {rows.data(), transitions.stride(), model.parts},
                         lattice_workspace, path);
        found[i].assign(length, 0);
        for (std::size_t t = 0; t < path.size(); ++t) found[i][t] = lattice.label[path[t]];
      } else {
        found[i].resize(length);
        chain::best_labels(rows.data(), length, transitions, workspace, found[i]);
      }
    }
  });
  return found;
}

}  // namespace coppice::tag
