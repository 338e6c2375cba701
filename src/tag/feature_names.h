// Names of a tagger's features. Prediction needs none of them, so they are a section of their own,
// read only by who wants to look at the weights.
//
// In training, a NameCollector keeps the feature columns of the sentences as numbers of words (4
// bytes a cell), and the names that the data itself brings. Names are spelled out when the model is
// written, for the features that have weights in it or that its trees ask for. The key of a feature
// follows from its name (text::Extractor::key), so the section is nothing but names: sorted,
// front-coded (base/front_coding.h), and each after a letter: t for one that a template gives, u
// for one that the data brings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/symbols.h"
#include "coppice/tag/encode.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/extractor.h"
#include "coppice/text/sentence.h"
#include "score/frozen_linear.h"

namespace coppice::tag {

class NameCollector {
 public:
  // The extractor is copied; `columns` are those of EncoderOptions::feature_columns.
  NameCollector(const text::Extractor& extractor, const std::vector<std::size_t>& columns);

  void add(const text::Sentence& sentence);

  // The section with the names of the features that have these keys (folded ones). Cost: extraction
  // of all sentences, and a name spelled for each feature; memory: the names' length, once.
  std::string section(std::span<const std::uint64_t> keys, KeyFold fold) const;

 private:
  class Spelling;

  text::Extractor extractor_;
  FeatureCells columns_;
  std::size_t num_columns_;
  Symbols words_;
  std::vector<std::uint32_t> cells_;
  std::vector<std::size_t> sentence_begin_{0};  // in cells_
  Symbols names_;                               // that the data brings
};

// A feature of a model: its name as people read it, and where its weights are.
struct NamedFeature {
  bool of_data = false;  // whether the data brought it; else a template gave it
  std::string name;
  const FrozenLinear::Slot* slot = nullptr;
  bool of_pairs = false;  // whether the slot is one of Tagger::pairs(); else of potential()

  // Those of templates come first; then by name.
  bool operator<(const NamedFeature& other) const noexcept {
    return of_data != other.of_data ? other.of_data : name < other.name;
  }
};

// A weight of a feature: for a label or, after a certain label, for a pair.
struct FeatureWeight {
  std::optional<std::uint16_t> previous;
  std::uint16_t label = 0;
  float weight = 0;
};
std::vector<FeatureWeight> weights_of(const Tagger& tagger, const NamedFeature& feature);

// All features of the model that have weights and a name, in order. Throws ModelError: E407
// when the model was trained without names, E404 when the section is damaged or fits other weights.
std::vector<NamedFeature> named_features(const Tagger& tagger);

}  // namespace coppice::tag
