// coppice inspect: what a model file says of itself.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/context.h"
#include "cli/human.h"
#include "cli/inspect_trees.h"
#include "cli/inspect_weights.h"
#include "cli/tasks.h"
#include "cli/verbs.h"
#include "coppice/base/error.h"
#include "coppice/base/model_file.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::pair<std::string, std::string>>;

constexpr int kMaxCardDepth = 64;
constexpr std::size_t kMaxTextWidth = 100;

struct InspectOptions {
  bool sections = false;
  bool verify = false;
  std::optional<std::string> card;
  std::optional<std::uint64_t> compound;
  bool path = false;
  WeightOptions weights;
  TreeOptions trees;
  std::vector<std::string> files;
};

// An empty object when the model has none.
Json card_of(const ModelFile& model) {
  if (!model.has("card")) return Json::object();
  const ErrorDetails details{.code = "E404", .where = {.file = model.name()}};
  const auto shallow = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > kMaxCardDepth) throw ModelError("the card nests too deep", details);
    return true;
  };
  Json card = Json::parse(model.text("card"), shallow, false);
  if (!card.is_object()) throw ModelError("the card is not a JSON object", details);
  return card;
}

// Without what the summary says already, or only programs want to know.
Json card_for_people(const ModelFile& model) {
  Json card = card_of(model);
  card.erase("v");
  if (card.value("task", Json()) == model.task()) card.erase("task");
  return card;
}

std::string codec_name(Codec codec) {
  if (codec == Codec::kNone) return "none";
  if (codec == Codec::kZstd) return "zstd";
  return fmt::format("{}", static_cast<unsigned>(codec));
}

// Text as it is, unless it would move the cursor; anything else as JSON.
std::string scalar_text(const Json& value) {
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool control = byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next < 0xa0);
    if (control) return value.dump(-1, ' ', true);
  }
  return text;
}

std::string list_text(const Json& values) {
  std::string text;
  for (const Json& value : values) text += (text.empty() ? "" : ", ") + scalar_text(value);
  return fmt::format("{}: {}", values.size(), text);
}

std::string joined(const std::string& key, const std::string& part) {
  return key.empty() ? part : key + '.' + part;
}

// One row for each value that is not an object: "scores.dev.f1" and "93.6". A list of plain values
// is one row; the members of others are numbered from 1.
void flatten(const Json& value, const std::string& key, Rows& rows) {
  if (value.empty() && value.is_structured()) {
    rows.emplace_back(key, "none");
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items())
      flatten(member, joined(key, scalar_text(name)), rows);
  } else if (!value.is_array()) {
    rows.emplace_back(key, scalar_text(value));
  } else if (std::ranges::none_of(value, [](const Json& v) { return v.is_structured(); })) {
    rows.emplace_back(key, list_text(value));
  } else {
    for (std::size_t i = 0; i < value.size(); ++i)
      flatten(value[i], joined(key, std::to_string(i + 1)), rows);
  }
}

void print_rows(const Rows& rows, Context& context) {
  std::size_t longest = 0;
  for (const auto& [key, text] : rows) longest = std::max(longest, width(key));
  for (const auto& [key, text] : rows)
    context.out() << key << std::string(longest - width(key) + 2, ' ')
                  << shortened(text, kMaxTextWidth) << '\n';
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '<') cell += '\\';
    cell += c;
  }
  return cell;
}

// A table of the plain keys, then one for each key that holds an object or a list of them.
void print_markdown(const ModelFile& model, Context& context) {
  std::ostream& out = context.out();
  const auto table = [&](const Rows& rows) {
    out << "\n| | |\n|---|---|\n";
    for (const auto& [key, text] : rows)
      out << fmt::format("| {} | {} |\n", markdown_cell(key), markdown_cell(text));
  };
  Rows plain = {{"task", model.task()},
                {"identity", model.payload_digest()},
                {"written by", "coppice " + model.tool_version()}};
  std::vector<std::pair<std::string, Rows>> tables;
  const Json card = card_for_people(model);
  for (const auto& [key, value] : card.items()) {
    Rows rows;
    flatten(value, "", rows);
    const bool one_row = rows.size() == 1 && rows[0].first.empty();
    if (one_row)
      plain.emplace_back(scalar_text(key), rows[0].second);
    else
      tables.emplace_back(scalar_text(key), std::move(rows));
  }
  out << "# Model card\n";
  table(plain);
  for (const auto& [key, rows] : tables) {
    out << fmt::format("\n## {}\n", markdown_cell(key));
    table(rows);
  }
}

void print_sections(const ModelFile& model, Context& context) {
  Table table = context.report_table({{.name = "section"},
                                      {.name = "size"},
                                      {.name = "stored"},
                                      {.name = "offset"},
                                      {.name = "codec"},
                                      {.name = "identity"},
                                      {.name = "checksum"}});
  for (const SectionInfo& section : model.sections())
    table.row({section.name, section.size, section.stored_size, section.offset,
               codec_name(section.codec), section.hashed ? "yes" : "no",
               fmt::format("{:016x}", section.checksum)});
  table.finish();
}

Json document_of(const ModelFile& model, const InspectOptions& options) {
  const auto [major_version, minor_version] = model.format();
  Json document = {{"v", 1},
                   {"file", model.name()},
                   {"task", model.task()},
                   {"format", fmt::format("{}.{}", major_version, minor_version)},
                   {"tool", model.tool_version()},
                   {"identity", model.payload_digest()},
                   {"size", model.file_bytes().size()}};
  if (options.verify) document["verified"] = true;
  document["card"] = card_of(model);
  document["sections"] = Json::array();
  for (const SectionInfo& section : model.sections())
    document["sections"].push_back({{"name", section.name},
                                    {"offset", section.offset},
                                    {"stored", section.stored_size},
                                    {"size", section.size},
                                    {"codec", codec_name(section.codec)},
                                    {"identity", section.hashed},
                                    {"checksum", fmt::format("{:016x}", section.checksum)}});
  return document;
}

void print_summary(const ModelFile& model, const InspectOptions& options, Context& context) {
  const Json card = card_for_people(model);  // first: nothing is printed when it is broken
  const auto [major_version, minor_version] = model.format();
  Rows rows = {{"file", scalar_text(model.name())},
               {"task", model.task()},
               {"size", fmt::format("{}, {}", file_size(model.file_bytes().size()),
                                    counted(model.sections().size(), "section"))},
               {"format", fmt::format("{}.{}", major_version, minor_version)},
               {"written by", "coppice " + model.tool_version()},
               {"identity", model.payload_digest()}};
  if (options.verify) rows.emplace_back("verified", "all bytes are as they were written");
  print_rows(rows, context);
  if (card.empty()) return;
  context.out() << '\n';
  Rows card_rows;
  flatten(card, "", card_rows);
  print_rows(card_rows, context);
}

ExitStatus report_damage(const ModelError& error, const std::string& path, Context& context) {
  if (context.json()) {
    const Json document = {{"v", 1},
                           {"file", path},
                           {"verified", false},
                           {"error", {{"code", error.code()}, {"message", error.what()}}}};
    context.out() << document.dump(2) << '\n';
  } else {
    context.out() << fmt::format("{}: {} ({})\n", path, error.what(), error.code());
  }
  return ExitStatus::kCheckFailed;
}

void report(const ModelFile& model, const InspectOptions& options, Context& context) {
  if (context.json())
    context.out() << document_of(model, options).dump(2) << '\n';
  else if (options.card == "json")
    context.out() << card_of(model).dump(2) << '\n';
  else if (options.card == "md")
    print_markdown(model, context);
  else if (options.sections)
    print_sections(model, context);
  else
    print_summary(model, options, context);
}

// A list that the model's task has.
template <auto member, class Options>
ExitStatus list_with(const std::string& path, std::string_view what, const Options& options,
                     Context& context) {
  ModelFile model = ModelFile::open(path);
  const auto list = function_of<member>(model, what);
  return list(std::move(model), options, context);
}

// --label and --tsv are of both kinds of lists.
TreeOptions of_trees(const InspectOptions& options) {
  TreeOptions trees = options.trees;
  trees.label = options.weights.label;
  trees.tsv = options.weights.tsv;
  return trees;
}

ExitStatus run(const InspectOptions& options, Context& context) {
  if (options.sections + options.card.has_value() + context.json() + options.path +
          options.compound.has_value() >
      1)
    throw UsageError("--card, --sections, --compound, --path and --json exclude one another",
                     {.code = "E003"});
  const std::string& path = options.files.front();
  if (options.trees.any()) {
    if (options.sections || options.card || options.verify || options.compound || options.path ||
        options.weights.top || options.weights.transitions || options.weights.diff) {
      throw UsageError("--tree and --splits go with --label, --tsv and --json only",
                       {.code = "E006"});
    }
    return list_with<&Task::trees>(path, "--tree or --splits", of_trees(options), context);
  }
  if (options.trees.output != "-") {
    throw UsageError("--output is where --tree draws", {.code = "E006"});
  }
  if (options.weights.any()) {
    if (options.sections || options.card || options.verify || options.compound || options.path) {
      throw UsageError(
          "--card, --sections, --verify, --compound and --path do not go with lists of "
          "weights",
          {.code = "E006"});
    }
    return list_with<&Task::weights>(path, "a list of weights", options.weights, context);
  }
  try {
    // Nothing but the card is read unless it is asked for, however large the file is.
    ModelFile model = ModelFile::open(path, Verify::kOnAccess);
    if (options.verify) model.verify();
    if (options.compound)
      function_of<&Task::compound>(model, "--compound")(std::move(model), *options.compound,
                                                        context);
    else if (options.path)
      function_of<&Task::path>(model, "--path")(std::move(model), context);
    else
      report(model, options, context);
  } catch (const ModelError& error) {
    const bool damaged = error.code() == "E403" || error.code() == "E404";
    if (options.verify && damaged) return report_damage(error, path, context);
    throw;
  }
  return ExitStatus::kDone;
}

}  // namespace

Command inspect_verb() {
  auto options = std::make_shared<InspectOptions>();
  std::vector<Option> all = {
      {.name = "sections",
       .value = &options->sections,
       .help = "list the sections of the file instead"},
      {.name = "card",
       .value = &options->card,
       .metavar = "FORMAT",
       .choices = {"md", "json"},
       .help = "print the card alone, as Markdown or JSON"},
      {.name = "compound",
       .value = &options->compound,
       .metavar = "N",
       .help = "list the N compound features of a classifier that weigh most; -v: in full"},
      {.name = "path",
       .value = &options->path,
       .help = "list the path of penalties of a classifier"},
      {.name = "verify", .value = &options->verify, .help = "compare all checksums first"}};
  for (Option& option : weight_options(options->weights)) all.push_back(std::move(option));
  for (Option& option : tree_options(options->trees)) all.push_back(std::move(option));
  return {.name = "inspect",
          .summary = "show what a model is and how it was made",
          .group = "models",
          .help =
              "Prints a model's task, size, version and identity, and its card: how it was "
              "trained, on what data, with which scores. Two models with the same identity "
              "predict the same.\n\n"
              "With --verify, every byte of the file is compared with its checksums; the status "
              "is 7 when one does not fit.\n\n"
              "With --top, --transitions or --diff, the weights of a tagger, by name; with "
              "--splits or --tree, its trees.",
          .examples = {{"coppice inspect ner.cop", "the card, for people"},
                       {"coppice inspect ner.cop --card md > CARD.md", "the card as a document"},
                       {"coppice inspect ner.cop --verify", "whether a copy is intact"},
                       {"coppice inspect ner.cop --top 20 --label B-PER", "what makes a person"},
                       {"coppice inspect new.cop --diff old.cop --tsv", "what training changed"},
                       {"coppice inspect t.cop --tree 1 -o tree.svg", "a tree as a picture"}},
          .options = std::move(all),
          .files = {.values = &options->files,
                    .metavar = "MODEL",
                    .help = "model file; - is stdin",
                    .min = 1,
                    .max = 1},
          .reports = true,
          .writes_files = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
