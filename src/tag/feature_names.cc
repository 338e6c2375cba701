#include "tag/feature_names.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/front_coding.h"
#include "coppice/base/error.h"
#include "coppice/tag/tree_names.h"
#include "tag/tagger_state.h"

namespace coppice::tag {

namespace {

constexpr char kOfTemplate = 't';
constexpr char kOfData = 'u';
constexpr const char* kSection = "names";

}  // namespace

// Collects each name once, in one string.
class NameCollector::Spelling {
 public:
  Spelling(std::span<const std::uint64_t> keys, KeyFold fold)
      : wanted_(keys.begin(), keys.end()), fold_(fold) {}

  // Whether the feature is to have a name, and has none yet.
  bool wants(std::uint64_t key) const { return wanted_.contains(fold_(key)); }

  void add(std::uint64_t key, char kind, std::string_view name) {
    wanted_.erase(fold_(key));
    text_ += kind;
    text_ += name;
    end_.push_back(text_.size());
  }

  std::string sorted() const {
    std::vector<std::string_view> names;
    names.reserve(end_.size());
    std::size_t begin = 0;
    for (const std::size_t end : end_) {
      names.push_back(std::string_view(text_).substr(begin, end - begin));
      begin = end;
    }
    std::sort(names.begin(), names.end());
    FrontCoder coder;
    for (const std::string_view name : names) coder.add(name);
    return coder.bytes();
  }

 private:
  std::unordered_set<std::uint64_t> wanted_;
  KeyFold fold_;
  std::string text_;
  std::vector<std::size_t> end_;
};

NameCollector::NameCollector(const text::Extractor& extractor,
                             const std::vector<std::size_t>& columns)
    : extractor_(extractor),
      columns_(columns),
      num_columns_(std::max<std::size_t>(1, columns.size())) {}

void NameCollector::add(const text::Sentence& sentence) {
  for (const std::string_view cell : columns_.of(sentence).cells) {
    cells_.push_back(static_cast<std::uint32_t>(coppice::index(words_.add(cell))));
  }
  sentence_begin_.push_back(cells_.size());
  for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
    for (std::size_t i = 0; i < sentence.num_attributes(row); ++i) {
      names_.add(sentence.attribute(row, i).name);
    }
  }
}

std::string NameCollector::section(std::span<const std::uint64_t> keys, KeyFold fold) const {
  Spelling spelling(keys, fold);
  for (const SymbolId id : names_.ids()) {
    const std::uint64_t key = text::key_of_name(names_[id]);
    if (spelling.wants(key)) spelling.add(key, kOfData, names_[id]);
  }
  text::Extractor extractor = extractor_;
  text::Attributes attributes;
  std::vector<std::string_view> cells;
  for (std::size_t i = 0; i + 1 < sentence_begin_.size(); ++i) {
    cells.clear();
    for (std::size_t c = sentence_begin_[i]; c < sentence_begin_[i + 1]; ++c) {
      cells.push_back(words_[static_cast<SymbolId>(cells_[c])]);
    }
    const text::Cells table{cells, num_columns_};
    extractor.extract(table, attributes, text::Origins::kRecord);
    for (const text::AttributeList* list : {&attributes.states, &attributes.transitions}) {
      for (std::size_t t = 0; t < table.rows(); ++t) {
        for (std::size_t k = list->offsets[t]; k < list->offsets[t + 1]; ++k) {
          if (!spelling.wants(list->keys[k])) continue;
          spelling.add(list->keys[k], kOfTemplate, *extractor.name(list->templates[k], table, t));
        }
      }
    }
  }
  return spelling.sorted();
}

namespace {

// Calls visit(of_data, name, key) for every name of the section.
template <class Visit>
void for_each_name(const Tagger& tagger, const Visit& visit) {
  const ModelFile& file = tagger.file();
  const ErrorDetails damaged{.code = "E404", .where = {.file = file.name()}};
  FrontDecoder decoder(file.text(kSection));
  while (decoder.next()) {
    const std::string_view text = decoder.text();
    const char kind = text.empty() ? '\0' : text.front();
    const std::string_view name = text.substr(std::min<std::size_t>(1, text.size()));
    std::optional<std::uint64_t> key;
    if (kind == kOfTemplate) key = tagger.extractor().key(name);
    if (kind == kOfData) key = text::key_of_name(name);
    const bool is_known =
        key && (tagger.state().potential().find(*key) != nullptr ||
                (tagger.state().pairs() != nullptr &&
                 tagger.state().pairs()->potential.find(*key) != nullptr) ||
                (tagger.trees() != nullptr && tagger.trees()->inputs().find(*key) != nullptr));
    if (!is_known) throw ModelError("section names: a name that nothing has", damaged);
    visit(kind == kOfData, name, *key);
  }
  if (decoder.is_damaged()) throw ModelError("section names: not a list of names", damaged);
}

}  // namespace

std::vector<NamedFeature> named_features(const Tagger& tagger) {
  if (!tagger.file().has(kSection)) {
    throw ModelError("the model does not have the names of its features",
                     {.code = "E407",
                      .where = {.file = tagger.file().name()},
                      .help = "train it again without --no-names"});
  }
  std::vector<NamedFeature> features;
  for_each_name(tagger, [&](bool of_data, std::string_view name, std::uint64_t key) {
    if (const FrozenLinear::Slot* slot = tagger.state().potential().find(key)) {
      features.push_back({of_data, std::string(name), slot});
    } else if (const chain::FrozenPairs* pairs = tagger.state().pairs()) {
      slot = pairs->potential.find(key);
      if (slot != nullptr) features.push_back({of_data, std::string(name), slot, true});
    }
  });
  return features;
}

std::vector<FeatureWeight> weights_of(const Tagger& tagger, const NamedFeature& feature) {
  std::vector<LinearPotential::Entry> row;
  std::vector<FeatureWeight> weights;
  (feature.of_pairs ? tagger.state().pairs()->potential : tagger.state().potential())
      .read(*feature.slot, row);
  for (const auto& [number, weight] : row) {
    if (feature.of_pairs) {
      const auto [previous, next] = tagger.state().pairs()->pairs[number];
      weights.push_back({previous, next, weight});
    } else {
      weights.push_back({std::nullopt, number, weight});
    }
  }
  return weights;
}

trees::FeatureNames tree_names(const Tagger& tagger) {
  const TreeInputs& inputs = tagger.trees()->inputs();
  trees::FeatureNames names;
  names.bins.resize(inputs.schema().num_bins());
  std::vector<std::string> values = tagger.config().labels;
  values.emplace_back("start");
  for (std::vector<std::uint16_t>& of_state : tagger.state().histories().states().factors) {
    const std::size_t distance = names.factors.size() + 1;
    names.factors.push_back({distance == 1 ? "label before" : concat("label ", distance, " before"),
                             values, std::move(of_state)});
  }
  names.state_feature = names.factors.size() > 1 ? "labels before" : "label before";
  if (!tagger.file().has(kSection)) return names;
  for_each_name(tagger, [&](bool, std::string_view name, std::uint64_t key) {
    const TreeInputs::Entry* entry = inputs.find(key);
    if (entry == nullptr) return;
    const bool is_ordered = entry->bin == trees::kNoBin;
    names.bins[is_ordered ? inputs.schema().bins(entry->feature).begin : entry->bin] = name;
  });
  return names;
}

}  // namespace coppice::tag
