// coppice forest draw: a picture of a forest or of its best derivation.
#include <fmt/core.h>

#include <memory>

#include "cli/context.h"
#include "cli/forest_verbs.h"
#include "cli/human.h"
#include "coppice/base/usage_error.h"
#include "coppice/forest/best.h"
#include "coppice/forest/draw.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/reader.h"

namespace coppice::cli {

namespace {

struct DrawVerbOptions {
  std::vector<std::string> files;
  std::string output = "-";
  bool svg = false;
  bool dot = false;
  bool posteriors = false;
  bool best = false;
  bool tree = false;
  bool labels = false;
  std::uint64_t record = 1;
  std::uint64_t max_nodes = DrawOptions().max_nodes;
  std::string title;
};

ForestRecord record_number(const std::string& path, std::uint64_t number) {
  const auto reader = open_forests(path);
  for (std::uint64_t i = 1;; ++i) {
    auto record = reader->next();
    if (!record)
      throw UsageError(
          fmt::format("{} has {}; there is no number {}", path, counted(i - 1, "record"), number),
          {.code = "E003"});
    if (i == number) return std::move(*record);
  }
}

std::vector<EdgeId> best_edges_of(const ForestRecord& record) {
  const auto best = best_derivation(record.forest, record.scores);
  if (!best) throw InvalidArgument("the forest has no derivation", {.code = "E301"});
  return best->edges;
}

std::string picture(const DrawVerbOptions& options, const ForestRecord& record) {
  const bool dot = options.dot || (!options.svg && options.output.ends_with(".dot"));
  DrawOptions drawing;
  drawing.max_nodes = options.max_nodes;
  drawing.show_edge_labels = options.labels;
  drawing.title = options.title;
  if (options.posteriors) drawing.posteriors = edge_marginals(record.forest, record.scores);
  if (options.tree) {
    if (dot) throw UsageError("--tree draws SVG only", {.code = "E006"});
    return derivation_to_svg(record, best_edges_of(record), drawing);
  }
  if (options.best) drawing.highlighted = best_edges_of(record);
  return dot ? to_dot(record, drawing) : to_svg(record, drawing);
}

ExitStatus run(const DrawVerbOptions& options, Context& context) {
  if (options.svg && options.dot)
    throw UsageError("give --svg or --dot, not both", {.code = "E006"});
  const ForestRecord record = record_number(options.files.front(), options.record);
  const std::string drawn = picture(options, record);
  Output output = context.output_file(options.output);
  output.stream() << drawn;
  output.commit();
  if (options.output != "-") context.talk("saved   {}", options.output);
  return ExitStatus::kDone;
}

std::vector<Option> draw_options(DrawVerbOptions& options) {
  return {{.name = "output",
           .letter = 'o',
           .value = &options.output,
           .metavar = "FILE",
           .help = "where to write; - is standard output"},
          {.name = "svg", .value = &options.svg, .help = "write SVG (the default)"},
          {.name = "dot",
           .value = &options.dot,
           .help = "write DOT (the default for a name that ends in .dot)"},
          {.name = "posteriors",
           .value = &options.posteriors,
           .help = "draw unlikely edges fainter",
           .only_with = {"tree", {"false"}}},
          {.name = "best",
           .value = &options.best,
           .help = "make the best derivation stand out",
           .only_with = {"tree", {"false"}}},
          {.name = "tree", .value = &options.tree, .help = "draw the best derivation alone"},
          {.name = "record",
           .value = &options.record,
           .metavar = "N",
           .help = "which forest of the file, from 1",
           .min = 1},
          {.name = "edge-labels",
           .value = &options.labels,
           .help = "write the edges' labels into the picture",
           .advanced = true,
           .only_with = {"tree", {"false"}}},
          {.name = "max-nodes",
           .value = &options.max_nodes,
           .metavar = "N",
           .help = "draw at most N nodes, those nearest to the root",
           .advanced = true,
           .min = 1},
          {.name = "title",
           .value = &options.title,
           .metavar = "TEXT",
           .help = "in place of the forest's id",
           .advanced = true}};
}

}  // namespace

Command forest_draw_verb() {
  auto options = std::make_shared<DrawVerbOptions>();
  return {
      .name = "draw",
      .summary = "draw a forest, or its best derivation",
      .help = "Draws one forest of a file. The SVG needs no other program; DOT is for Graphviz.",
      .examples = {{"coppice forest draw --best --posteriors f.jsonl -o f.svg", "a picture"},
                   {"coppice forest draw --tree --record 3 f.jsonl -o t.svg",
                    "the best tree of the third forest"}},
      .options = draw_options(*options),
      .files = {.values = &options->files,
                .help = "forests, as JSON lines or binary; - is standard input",
                .min = 1,
                .max = 1},
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
