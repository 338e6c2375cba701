#include "coppice/tag/tagger.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "chain/forbidden.h"
#include "coppice/base/error.h"
#include "coppice/text/template.h"
#include "tag/feature_names.h"
#include "tag/tagger_state.h"
#include "tag/tagger_writer.h"

namespace coppice::tag {

namespace {

using nlohmann::json;

constexpr std::string_view kTaggerTask = "tag";

// Of the text of a resource: word classes are megabytes, which JSON would take long to read.
std::string resource_section(std::size_t index) { return "resource." + std::to_string(index); }

std::vector<std::string> resource_names(const TaggerConfig& config) {
  std::vector<std::string> names;
  for (const auto& [name, text] : config.resources) names.push_back(name);
  return names;
}

json to_json(const TaggerConfig& config) {
  json object{{"labels", config.labels},
              {"columns", config.columns},
              {"label_column", config.label_column},
              {"templates", config.templates},
              {"resources", resource_names(config)},
              {"scheme", text::to_string(config.scheme)},
              {"order", config.order},
              {"prune", config.prune},
              {"hash_bits", config.hash_bits},
              {"temperature", config.temperature}};
  if (config.label_depth < config.order) object["label_depth"] = config.label_depth;
  return object;
}

text::ResourceTexts resources_of(const json& names, const ModelFile& file) {
  text::ResourceTexts resources;
  for (std::size_t i = 0; i < names.size(); ++i) {
    resources.emplace(names[i].get<std::string>(), file.text(resource_section(i)));
  }
  return resources;
}

TaggerConfig config_of(const ModelFile& file) {
  try {
    const json object = json::parse(file.text("config"));
    TaggerConfig config;
    object.at("labels").get_to(config.labels);
    object.at("columns").get_to(config.columns);
    object.at("label_column").get_to(config.label_column);
    object.at("templates").get_to(config.templates);
    config.resources = resources_of(object.at("resources"), file);
    config.scheme = text::parse_scheme(object.at("scheme").get<std::string>());
    object.at("order").get_to(config.order);
    object.at("prune").get_to(config.prune);
    config.label_depth = object.value("label_depth", config.label_depth);
    object.at("hash_bits").get_to(config.hash_bits);
    object.at("temperature").get_to(config.temperature);
    return config;
  } catch (const std::exception& error) {
    throw ModelError(concat("section config: ", error.what()),
                     {.code = "E404", .where = {.file = file.name()}});
  }
}

std::vector<unsigned char> flags(const std::vector<unsigned char>& allowed, std::size_t labels) {
  return allowed.empty() ? std::vector<unsigned char>(labels, 1) : allowed;
}

[[noreturn]] void damaged(const ModelFile& file, const std::string& what) {
  throw ModelError(what, {.code = "E404", .where = {.file = file.name()}});
}

chain::Transitions transitions_of(const ModelFile& file, const TaggerConfig& config,
                                  double temperature) {
  const std::size_t labels = config.labels.size();
  if (config.order == 0) return chain::Transitions(labels);
  const auto stored = file.as<float>("transitions");
  if (stored.size() != labels * row_stride(labels))
    damaged(file, "section transitions: wrong size");
  std::vector<float> scores(stored.begin(), stored.end());
  for (float& score : scores) {
    if (std::isnan(score)) damaged(file, "section transitions: not a number");
    score = static_cast<float>(score / temperature);
  }
  return chain::Transitions(labels, scores);
}

// Keys ascend, so that none comes twice.
chain::LabelNgrams ngrams_of(const ModelFile& file, const TaggerConfig& config) {
  chain::LabelNgrams ngrams;
  if (config.order < 2) return ngrams;
  chain::LabelKey before = 0;
  for (const chain::LabelKey key : file.as<chain::LabelKey>("ngrams")) {
    bool valid =
        key > before && chain::key_length(key) > 2 && chain::key_length(key) <= config.order + 1;
    for (chain::LabelKey rest = key; rest != 0 && valid; rest >>= 16) {
      valid = (rest & 0xffff) != 0 && chain::last_label(rest) < config.labels.size();
    }
    if (!valid) damaged(file, "section ngrams: not a label sequence");
    ngrams.add(key);
    before = key;
  }
  return ngrams;
}

// The scores of pairs, then those of longer sequences.
std::vector<float> parts_of(const ModelFile& file, const TaggerConfig& config,
                            const chain::LabelNgrams& ngrams) {
  if (config.order == 0) return {};
  const auto pairs = file.as<float>("transitions");
  std::vector<float> parts(pairs.begin(), pairs.end());
  if (config.order < 2) return parts;
  const auto weights = file.as<float>("ngram_weights");
  if (weights.size() != ngrams.size()) damaged(file, "section ngram_weights: wrong size");
  for (const float weight : weights) {
    if (!std::isfinite(weight)) damaged(file, "section ngram_weights: not a finite number");
    parts.push_back(weight);
  }
  return parts;
}

void add_ngrams(const TaggerWeights& weights, ModelWriter& writer) {
  std::vector<std::pair<chain::LabelKey, float>> entries;
  for (std::size_t i = 0; i < weights.ngrams.size(); ++i) {
    if (weights.ngram_weights[i] != 0) {
      entries.emplace_back(weights.ngrams.keys()[i], weights.ngram_weights[i]);
    }
  }
  std::sort(entries.begin(), entries.end());
  std::vector<chain::LabelKey> keys;
  std::vector<float> values;
  for (const auto& [key, value] : entries) {
    keys.push_back(key);
    values.push_back(value);
  }
  writer.add_section("ngrams", std::move(keys));
  writer.add_section("ngram_weights", std::move(values));
}

FrozenLinear potential_of(const ModelFile& file, const TaggerConfig& config) {
  try {
    return FrozenLinear(config.labels.size(), file.as<FrozenLinear::Slot>("dict"),
                        file.as<float>("weights"), file.as<FrozenLinear::Weight>("lists"),
                        KeyFold(config.hash_bits));
  } catch (const InvalidArgument& error) {
    damaged(file, error.what());
  }
}

chain::FrozenPairs pairs_of(const ModelFile& file, const TaggerConfig& config) {
  const auto stored = file.as<std::uint16_t>("pair_labels");
  chain::FrozenPairs result;
  for (std::size_t i = 0; i + 1 < stored.size(); i += 2) {
    result.pairs.push_back({stored[i], stored[i + 1]});
    const auto [previous, next] = result.pairs.back();
    if (std::max<std::size_t>(previous, next) >= config.labels.size()) {
      damaged(file, "section pair_labels: no such label");
    }
  }
  if (stored.empty() || stored.size() % 2 != 0 || config.order != 1 || config.is_sparse()) {
    damaged(file, "section pair_labels: wrong size, or the chain has no such pairs");
  }
  try {
    result.potential =
        FrozenLinear(result.pairs.size(), file.as<FrozenLinear::Slot>("pair_dict"),
                     file.as<float>("pair_weights"), file.as<FrozenLinear::Weight>("pair_lists"),
                     KeyFold(config.hash_bits));
  } catch (const InvalidArgument& error) {
    damaged(file, concat("label pairs: ", error.what()));
  }
  return result;
}

void check(const TaggerConfig& config, const ModelFile& file) {
  const bool fits = !config.labels.empty() && config.labels.size() < 0xffff &&
                    config.order <= chain::kMaxOrder && config.label_depth >= 1 &&
                    config.prune >= 0 && config.prune < 1 && config.temperature > 0 &&
                    std::isfinite(config.temperature);
  if (!fits) damaged(file, "section config: values out of range");
}

std::size_t num_histories(const ModelFile& file, const TaggerConfig& config) {
  try {
    return chain::LabelHistories(config.labels.size(), std::min(config.order, config.label_depth))
        .size();
  } catch (const InvalidArgument& error) {
    damaged(file, concat("section config: ", error.what()));
  }
}

text::Extractor extractor_of(const TaggerConfig& config, const ModelFile& file) {
  try {
    return text::Extractor(text::parse_templates(config.templates, {.file = file.name()}),
                           config.resources);
  } catch (const Error& error) {
    damaged(file, concat("templates: ", error.what()));
  }
}

ModelWriter begin_tagger(const TaggerConfig& config, const std::string& card) {
  ModelWriter writer{std::string(kTaggerTask)};
  writer.add_section("card", card, {.codec = Codec::kZstd, .hashed = false});
  writer.add_section("config", to_json(config).dump(), {.codec = Codec::kZstd});
  std::size_t index = 0;
  for (const auto& [name, text] : config.resources) {
    writer.add_section(resource_section(index++), text, {.codec = Codec::kZstd});
  }
  return writer;
}

void add_names(ModelWriter& writer, const NameCollector* names, std::span<const std::uint64_t> keys,
               const TaggerConfig& config) {
  if (names == nullptr) return;
  writer.add_section("names", names->section(keys, KeyFold(config.hash_bits)),
                     {.codec = Codec::kZstd, .hashed = false});
}

// Scores of label pairs, with what the constraints forbid, and which labels may stand at the ends.
void add_structure(ModelWriter& writer, std::size_t labels, std::span<const float> pairs,
                   const chain::Constraints& constraints) {
  std::vector<float> transitions(pairs.begin(), pairs.end());
  for (std::size_t u = 0; !transitions.empty() && u < labels; ++u) {
    for (std::size_t y = 0; y < labels; ++y) {
      if (!constraints.allows(u, y, labels))
        transitions[u * row_stride(labels) + y] = chain::kForbidden;
    }
  }
  writer.add_section("transitions", std::move(transitions));
  writer.add_section("first", flags(constraints.first, labels));
  writer.add_section("last", flags(constraints.last, labels));
}

// The weights of features that are conjoined with pairs of labels; their keys join `named`.
void add_pairs(ModelWriter& writer, const TaggerWeights& weights,
               std::vector<std::uint64_t>& named) {
  FrozenLinear::Arrays arrays =
      FrozenLinear::freeze(weights.pairs->linear(), weights.pair_keys, weights.pair_weights);
  std::vector<std::uint16_t> labels;
  for (const auto& [previous, next] : weights.pairs->pairs()) {
    labels.push_back(previous);
    labels.push_back(next);
  }
  for (const FrozenLinear::Slot& slot : arrays.slots) {
    if (slot.size > 0) named.push_back(slot.key);
  }
  writer.add_section("pair_labels", std::move(labels));
  writer.add_section("pair_dict", std::move(arrays.slots));
  writer.add_section("pair_weights", std::move(arrays.rows));
  writer.add_section("pair_lists", std::move(arrays.lists));
}

}  // namespace

ModelWriter write_tagger(const TaggerConfig& config, const TaggerWeights& weights,
                         const std::string& card) {
  ModelWriter writer = begin_tagger(config, card);
  FrozenLinear::Arrays arrays =
      FrozenLinear::freeze(weights.potential, weights.keys, weights.weights, weights.others);
  std::vector<std::uint64_t> named;
  for (const FrozenLinear::Slot& slot : arrays.slots) {
    if (slot.size > 0) named.push_back(slot.key);
  }
  if (weights.pairs != nullptr) add_pairs(writer, weights, named);
  if (weights.trees != nullptr) {
    const auto asked = weights.trees->inputs.asked_keys(weights.trees->trees);
    named.insert(named.end(), asked.begin(), asked.end());
    FrozenTrees::write(writer, weights.trees->inputs, weights.trees->trees);
  }
  add_names(writer, weights.names, named, config);
  writer.add_section("dict", std::move(arrays.slots));
  writer.add_section("weights", std::move(arrays.rows));
  writer.add_section("lists", std::move(arrays.lists));
  add_structure(writer, config.labels.size(), weights.transitions, weights.constraints);
  if (config.order > 1) add_ngrams(weights, writer);
  return writer;
}

// The linear part is empty; the table of label pairs holds the constraints.
ModelWriter write_tagger(const TaggerConfig& config, const TaggerTrees& trees,
                         const std::string& card) {
  const std::size_t labels = config.labels.size();
  ModelWriter writer = begin_tagger(config, card);
  writer.add_section("dict", std::vector<FrozenLinear::Slot>(1));
  writer.add_section("weights", std::vector<float>());
  writer.add_section("lists", std::vector<FrozenLinear::Weight>());
  const std::vector<float> none(config.order == 0 ? 0 : labels * row_stride(labels), 0.0f);
  add_structure(writer, labels, none, trees.constraints);
  if (config.order > 1) {
    writer.add_section("ngrams", std::vector<chain::LabelKey>());
    writer.add_section("ngram_weights", std::vector<float>());
  }
  add_names(writer, trees.names, trees.inputs.asked_keys(trees.trees), config);
  FrozenTrees::write(writer, trees.inputs, trees.trees);
  return writer;
}

ModelWriter rewrite_tagger(const Tagger& tagger, const std::string& card) {
  const ModelFile& file = tagger.file();
  ModelWriter writer{std::string(kTaggerTask)};
  for (const SectionInfo& section : file.sections()) {
    const SectionOptions options{.codec = section.codec, .hashed = section.hashed};
    if (section.name == "card") {
      writer.add_section("card", card, options);
    } else if (section.name == "config") {
      writer.add_section("config", to_json(tagger.config()).dump(), options);
    } else {
      writer.add_section(section.name, file.bytes(section.name), options);
    }
  }
  return writer;
}

Tagger Tagger::open(const std::string& path) { return Tagger(ModelFile::open(path)); }

Tagger::Tagger(ModelFile file) : Tagger(std::make_shared<const State>(std::move(file))) {}
Tagger::Tagger(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

Tagger Tagger::at_temperature(double temperature) const {
  require(temperature > 0 && std::isfinite(temperature), "a temperature of ", temperature);
  return Tagger(std::make_shared<const State>(*state_, temperature));
}

const TaggerConfig& Tagger::config() const noexcept { return state_->config(); }
const ModelFile& Tagger::file() const noexcept { return state_->file(); }
const FrozenTrees* Tagger::trees() const noexcept { return state_->trees(); }
const text::Extractor& Tagger::extractor() const noexcept { return state_->extractor(); }
float Tagger::pair_score(std::size_t previous, std::size_t next) const noexcept {
  return state_->transitions().score(previous, next);
}

Tagger::State::State(const State& other, double temperature) : State(other) {
  config_.temperature = temperature;
  temper();
}

void Tagger::State::temper() {
  tempered_ = transitions_of(*file_, config_, config_.temperature);
  tempered_parts_.clear();
  for (const float score : parts_) {
    tempered_parts_.push_back(static_cast<float>(score / config_.temperature));
  }
}

Tagger::State::State(ModelFile file)
    : file_(std::make_shared<const ModelFile>(std::move(file))),
      config_((file_->require_task(kTaggerTask), config_of(*file_))),
      transitions_((check(config_, *file_), transitions_of(*file_, config_, 1))),
      tempered_(num_labels()),
      ngrams_(std::make_shared<const chain::LabelNgrams>(ngrams_of(*file_, config_))),
      parts_(parts_of(*file_, config_, *ngrams_)),
      first_(file_->as<unsigned char>("first")),
      last_(file_->as<unsigned char>("last")) {
  if (first_.size() != num_labels() || last_.size() != num_labels()) {
    damaged(*file_, "sections first and last: wrong size");
  }
  temper();
  potential_ = potential_of(*file_, config_);
  if (file_->has("pair_labels")) {
    pairs_ = std::make_shared<const chain::FrozenPairs>(pairs_of(*file_, config_));
  }
  if (file_->has("trees")) {
    trees_ = std::make_shared<const FrozenTrees>(*file_, num_histories(*file_, config_),
                                                 num_labels(), KeyFold(config_.hash_bits));
  }
  extractor_ = std::make_shared<const text::Extractor>(extractor_of(config_, *file_));
}

}  // namespace coppice::tag
