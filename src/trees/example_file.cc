#include "coppice/trees/example_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "coppice/base/error.h"

namespace coppice::trees {

namespace {

using nlohmann::json;

constexpr std::string_view kExamplesTask = "examples";

[[noreturn]] void damaged(const std::string& file, const std::string& what) {
  throw ModelError(what, {.code = "E404", .where = {.file = file}});
}

// The file that bins pass through; gone with this.
struct Spool {
  explicit Spool(std::string p) : path(std::move(p)) {}
  ~Spool() { std::remove(path.c_str()); }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  std::string path;
};

}  // namespace

struct ExampleFileWriter::State {
  State(std::string p, Overwrite o)
      : path(std::move(p)), overwrite(o), spool(path + ".bins"), out(spool.path) {
    OutputFile probe(path, overwrite);  // fails early; leaves nothing
  }
  std::string path;
  Overwrite overwrite;
  Spool spool;
  OutputFile out;
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint16_t> classes;
  std::vector<float> importance;  // empty while all are 1
};

ExampleFileWriter::ExampleFileWriter(std::string path, Overwrite overwrite)
    : state_(std::make_unique<State>(std::move(path), overwrite)) {}
ExampleFileWriter::~ExampleFileWriter() = default;

void ExampleFileWriter::add(std::span<const std::uint32_t> bins, std::uint16_t label,
                            float importance) {
  State& s = *state_;
  const std::uint64_t end = std::uint64_t{s.begin.back()} + bins.size();
  require(end <= std::numeric_limits<std::uint32_t>::max(),
          "examples: more than 2^32 - 1 features that are on");
  s.out.stream().write(reinterpret_cast<const char*>(bins.data()),
                       static_cast<std::streamsize>(bins.size_bytes()));
  s.begin.push_back(static_cast<std::uint32_t>(end));
  if (importance != 1 && s.importance.empty()) s.importance.assign(s.classes.size(), 1.0f);
  if (importance != 1 || !s.importance.empty()) s.importance.push_back(importance);
  s.classes.push_back(label);
}

void ExampleFileWriter::commit(const FeatureTable& features,
                               const std::vector<std::string>& labels) {
  State& s = *state_;
  s.out.commit();
  const MappedFile bins(s.spool.path);
  ModelWriter writer{std::string(kExamplesTask)};
  writer.add_section("labels", json(labels).dump());
  writer.add_section("dict", to_text(features), {.codec = Codec::kZstd});
  writer.add_section("begin", std::span<const std::uint32_t>(s.begin));
  writer.add_section("classes", std::span<const std::uint16_t>(s.classes));
  writer.add_section("importance", std::span<const float>(s.importance));
  writer.add_section("bins", bins.bytes());
  writer.write(s.path, s.overwrite);
}

bool ExampleFile::is_one(const std::string& path) {
  if (!can_reopen(path)) return false;  // a look would take what comes after
  LineReader reader(path);
  const std::string_view start = reader.peek(sizeof(kModelMagic));
  return start == std::string_view(reinterpret_cast<const char*>(kModelMagic), sizeof(kModelMagic));
}

ExampleFile::ExampleFile(const std::string& path)
    : file_(ModelFile::open(path, Verify::kOnAccess)) {
  file_.require_task(kExamplesTask);
  features_ = parse_feature_table(file_.text("dict"), file_.name());
  try {
    json::parse(file_.text("labels")).get_to(labels_);
  } catch (const json::exception& error) {
    damaged(file_.name(), concat("section labels: ", error.what()));
  }
  view_ = {{file_.as<std::uint32_t>("begin"), file_.as<std::uint32_t>("bins")},
           file_.as<std::uint16_t>("classes"),
           file_.as<float>("importance")};
  check();
}

void ExampleFile::check() const {
  const BinMatrix& rows = view_.rows;
  const bool fits = !rows.begin.empty() && rows.begin.front() == 0 &&
                    rows.begin.back() == rows.bins.size() && view_.classes.size() == rows.size() &&
                    (view_.importance.empty() || view_.importance.size() == rows.size());
  if (!fits) damaged(file_.name(), "sections of different lengths");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.begin[i] > rows.begin[i + 1] || rows.begin[i + 1] > rows.bins.size()) {
      damaged(file_.name(), "section begin does not ascend");
    }
    const auto bins = rows.row(i);
    const bool ascends =
        std::adjacent_find(bins.begin(), bins.end(), std::greater_equal<>()) == bins.end();
    if (!ascends || (!bins.empty() && bins.back() >= features_.schema().num_bins())) {
      damaged(file_.name(), "section bins: a row out of order or range");
    }
    const float importance = view_.importance_of(i);
    const bool labelled =
        view_.classes[i] < labels_.size() && importance > 0 && std::isfinite(importance);
    if (!labelled) damaged(file_.name(), "sections classes and importance: out of range");
  }
}

std::string to_text(const FeatureTable& features) {
  json names = json::array(), cuts = json::array();
  const Schema& schema = features.schema();
  for (std::uint32_t feature = 0; feature < schema.num_features(); ++feature) {
    names.push_back(features.name(feature));
    if (schema.kind(feature) == FeatureKind::kOrdered) cuts.push_back(schema.cuts(feature));
  }
  return json{{"names", std::move(names)}, {"cuts", std::move(cuts)}}.dump();
}

FeatureTable parse_feature_table(std::string_view text, const std::string& where) {
  try {
    const json object = json::parse(text);
    return {object.at("names").get<std::vector<std::string>>(),
            object.at("cuts").get<std::vector<std::vector<double>>>()};
  } catch (const std::exception& error) {
    damaged(where, concat("section dict: ", error.what()));
  }
}

}  // namespace coppice::trees
