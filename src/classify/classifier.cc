#include "coppice/classify/classifier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "coppice/base/error.h"
#include "coppice/trees/example_file.h"
#include "trees/conjunction.h"

namespace coppice::classify {

namespace {

using nlohmann::json;

constexpr std::string_view kClassifierTask = "classify";

[[noreturn]] void damaged(const ModelFile& file, const std::string& what) {
  throw ModelError(what, {.code = "E404", .where = {.file = file.name()}});
}

json to_json(const trees::PathPoint& point) {
  json object{{"lambda", point.lambda},
              {"trees", point.trees},
              {"features", point.features},
              {"objective", point.objective},
              {"loss", point.loss}};
  if (point.development_loss) object["development_loss"] = *point.development_loss;
  if (point.weights) object["weights"] = point.weights->size();
  return object;
}

json to_json(const OutputPath& path) {
  json points = json::array();
  for (const trees::PathPoint& point : path.points) points.push_back(to_json(point));
  return {{"positive", path.positive}, {"points", std::move(points)}, {"chosen", path.chosen}};
}

// Weights of points come one after the other, from `weights` on.
OutputPath path_of(const json& object, std::span<const trees::TreeWeight>& weights) {
  OutputPath path;
  object.at("positive").get_to(path.positive);
  object.at("chosen").get_to(path.chosen);
  for (const json& one : object.at("points")) {
    trees::PathPoint point{one.at("lambda"), one.at("trees"), one.at("features"),
                           one.at("objective"), one.at("loss")};
    if (one.contains("weights")) {
      const auto size = one["weights"].get<std::size_t>();
      require(size <= weights.size(), "section path.weights: too short");
      point.weights.emplace(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(size));
      weights = weights.subspan(size);
    }
    if (one.contains("development_loss")) point.development_loss = one["development_loss"];
    path.points.push_back(point);
  }
  return path;
}

// The same trees over the features that they ask for.
struct Compacted {
  trees::FeatureTable features;
  trees::Ensemble trees;
};

Compacted compact(const trees::FeatureTable& features,
                  std::span<const trees::Ensemble* const> outputs) {
  const trees::Schema& schema = features.schema();
  Compacted compacted;
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    const std::size_t first = compacted.trees.num_trees();
    compacted.trees.append(outputs[output]->view());
    std::fill(compacted.trees.output.begin() + static_cast<std::ptrdiff_t>(first),
              compacted.trees.output.end(), static_cast<std::uint32_t>(output));
  }
  std::map<std::uint32_t, std::uint32_t> used;  // ordered features first, as in the table
  for (const trees::Node& node : compacted.trees.nodes) {
    if (!node.is_leaf()) used.emplace(node.feature, 0);
  }
  std::vector<std::string> names;
  std::vector<std::vector<double>> cuts;
  for (auto& [feature, place] : used) {
    place = static_cast<std::uint32_t>(names.size());
    names.emplace_back(features.name(feature));
    if (schema.kind(feature) != trees::FeatureKind::kOrdered) continue;
    cuts.emplace_back(schema.cuts(feature).begin(), schema.cuts(feature).end());
  }
  compacted.features = trees::FeatureTable(names, cuts);
  for (trees::Node& node : compacted.trees.nodes) {
    if (node.is_leaf()) continue;
    const std::uint32_t place = used.at(node.feature);
    if (schema.kind(node.feature) == trees::FeatureKind::kOrdered) {
      node.split = node.split - schema.bins(node.feature).begin +
                   compacted.features.schema().bins(place).begin;
    }
    node.feature = place;
  }
  return compacted;
}

std::string shortest(double number) { return json(number).dump(); }

Condition condition_of(const trees::FeatureTable& features, const trees::Node& node, bool right) {
  const std::string name(features.name(node.feature));
  if (features.schema().kind(node.feature) == trees::FeatureKind::kBinary) {
    return {right ? name : "not " + name, !right};
  }
  const auto cuts = features.schema().cuts(node.feature);
  const std::size_t cut = node.split - features.schema().bins(node.feature).begin;
  std::string text = "no " + name;  // all values that there are stand on one side
  if (cut < cuts.size()) {
    text = name + (right ? " > " : " <= ") + shortest(cuts[cut]);
    if ((node.default_right != 0) == right) text += " or no " + name;
  } else if (!right) {
    text = "any " + name;
  }
  return {std::move(text)};
}

}  // namespace

ModelWriter write_classifier(const trees::FeatureTable& features,
                             const std::vector<std::string>& labels,
                             std::span<const OutputPath> paths,
                             std::span<const trees::Ensemble* const> trees,
                             const std::string& card) {
  json outputs = json::array();
  std::vector<trees::TreeWeight> weights;
  for (const OutputPath& path : paths) {
    outputs.push_back(to_json(path));
    for (const trees::PathPoint& point : path.points) {
      if (point.weights)
        weights.insert(weights.end(), point.weights->begin(), point.weights->end());
    }
  }
  Compacted compacted = compact(features, trees);
  ModelWriter writer{std::string(kClassifierTask)};
  writer.add_section("card", card, {.codec = Codec::kZstd, .hashed = false});
  writer.add_section("config", json{{"paths", std::move(outputs)}}.dump(), {.codec = Codec::kZstd});
  writer.add_section("labels", json(labels).dump());
  writer.add_section("dict", to_text(compacted.features), {.codec = Codec::kZstd});
  writer.add_section("trees", std::move(compacted.trees.nodes));
  writer.add_section("trees.begin", std::move(compacted.trees.begin));
  writer.add_section("trees.output", std::move(compacted.trees.output));
  if (!weights.empty()) writer.add_section("path.weights", std::move(weights));
  return writer;
}

Classifier Classifier::open(const std::string& path) { return Classifier(ModelFile::open(path)); }

Classifier::Classifier(ModelFile file) : file_(std::make_shared<const ModelFile>(std::move(file))) {
  file_->require_task(kClassifierTask);
  features_ = std::make_shared<const trees::FeatureTable>(
      trees::parse_feature_table(file_->text("dict"), file_->name()));
  try {
    json::parse(file_->text("labels")).get_to(labels_);
    const json config = json::parse(file_->text("config"));
    std::span<const trees::TreeWeight> weights;
    if (file_->has("path.weights")) weights = file_->as<trees::TreeWeight>("path.weights");
    for (const json& path : config.at("paths")) paths_.push_back(path_of(path, weights));
  } catch (const json::exception& error) {
    damaged(*file_, concat("section config: ", error.what()));
  } catch (const InvalidArgument& error) {
    damaged(*file_, error.what());
  }
  const std::size_t outputs = labels_.size() == 2 ? 1 : labels_.size();
  if (labels_.size() < 2 || paths_.size() != outputs)
    damaged(*file_, "section config: wrong paths");
  trees_ = {file_->as<std::uint32_t>("trees.begin"),
            file_->as<std::uint32_t>("trees.output"),
            file_->as<trees::Node>("trees"),
            {},
            {}};
  try {
    check(features_->schema(), trees_, 1, outputs);
  } catch (const InvalidArgument& error) {
    damaged(*file_, error.what());
  }
  for (std::size_t output = 0; output < outputs; ++output) {
    if (!fits(output)) damaged(*file_, "section config: wrong paths");
  }
  compile();
}

void Classifier::choose_lambda(double lambda) {
  for (OutputPath& path : paths_) {
    path.chosen = 0;
    for (std::size_t i = 0; i < path.points.size(); ++i) {
      if (path.points[i].lambda >= lambda) path.chosen = i;
    }
  }
  compile();
}

bool Classifier::fits(std::size_t output) const {
  const OutputPath& path = paths_[output];
  const std::size_t trees = trees_of(output).num_trees();
  const bool has_chosen = path.points.empty() || path.chosen < path.points.size();
  return path.positive < labels_.size() && has_chosen &&
         std::ranges::all_of(path.points, [&](const trees::PathPoint& point) {
           if (!point.weights) return point.trees <= trees;
           return std::ranges::all_of(
               *point.weights, [&](const trees::TreeWeight& one) { return one.tree < trees; });
         });
}

// Trees stand in the order of outputs.
trees::EnsembleView Classifier::trees_of(std::size_t output) const {
  const auto [first, last] = std::equal_range(trees_.output.begin(), trees_.output.end(), output);
  const auto begin = static_cast<std::size_t>(first - trees_.output.begin());
  const auto size = static_cast<std::size_t>(last - first);
  if (size == 0) return {};
  return {trees_.begin.subspan(begin, size + 1),
          trees_.output.subspan(begin, size),
          trees_.nodes,
          {},
          {}};
}

void Classifier::compile() {
  auto used = std::make_shared<trees::Ensemble>();
  for (std::size_t output = 0; output < paths_.size(); ++output) {
    const OutputPath& path = paths_[output];
    if (path.points.empty()) continue;
    used->append(trees::trees_at(path.points[path.chosen], trees_of(output)).view());
  }
  used_ = std::move(used);
  predictor_ = trees::Predictor(features_->schema(), used_->view(), 1, paths_.size());
}

void Classifier::probabilities(std::span<const std::uint32_t> bins, std::span<double> p,
                               trees::Predictor::Scratch& scratch) const {
  const auto logistic = [](double h) { return 1 / (1 + std::exp(-h)); };
  if (paths_.size() == 1) {
    double score = 0;
    predictor_.score(bins, {&score, 1}, scratch);
    const std::size_t positive = paths_[0].positive;
    p[positive] = logistic(score);
    p[1 - positive] = logistic(-score);
    return;
  }
  predictor_.score(bins, p, scratch);
  double sum = 0;
  for (double& one : p) sum += one = logistic(one);
  // All may underflow, far from any class: then nothing is known.
  for (double& one : p) one = sum > 0 ? one / sum : 1.0 / static_cast<double>(p.size());
}

std::vector<CompoundFeature> Classifier::compound_features() const {
  std::map<std::pair<std::uint32_t, trees::Conjunction>, CompoundFeature> found;
  const trees::EnsembleView view = used_->view();
  for (std::size_t tree = 0; tree < view.num_trees(); ++tree) {
    const std::span<const trees::Node> nodes = view.tree(tree);
    trees::Ensemble one;
    const std::uint32_t bounds[] = {0, static_cast<std::uint32_t>(nodes.size())};
    one.append({bounds, view.output.subspan(tree, 1), nodes, {}, {}});
    const std::vector<trees::Conjunction> names = trees::conjunctions(features_->schema(), one);
    std::vector<std::vector<Condition>> paths(nodes.size());
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      if (!nodes[at].is_leaf()) {
        for (const bool right : {false, true}) {
          auto& path = paths[right ? nodes[at].right() : nodes[at].left];
          path = paths[at];
          path.push_back(condition_of(*features_, nodes[at], right));
        }
      } else if (nodes[at].value != 0) {
        CompoundFeature& feature = found[{view.output[tree], names[at]}];
        feature.output = view.output[tree];
        feature.conditions = std::move(paths[at]);
        feature.weight += static_cast<double>(nodes[at].value);
      }
    }
  }
  std::vector<CompoundFeature> sorted;
  sorted.reserve(found.size());
  for (auto& [name, feature] : found) sorted.push_back(std::move(feature));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CompoundFeature& a, const CompoundFeature& b) {
                     return std::fabs(a.weight) > std::fabs(b.weight);
                   });
  return sorted;
}

}  // namespace coppice::classify
