#include "cli/inspect_trees.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/human.h"
#include "cli/label_number.h"
#include "cli/tag.h"
#include "coppice/base/error.h"
#include "coppice/base/usage_error.h"
#include "coppice/score/frozen_trees.h"
#include "coppice/tag/tagger.h"
#include "coppice/tag/tree_names.h"
#include "coppice/trees/draw.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxFeatureWidth = 80;

class TreeReport {
 public:
  TreeReport(ModelFile model, const TreeOptions& options, Context& context)
      : options_(options), context_(context), tagger_(std::move(model)) {
    require(tagger_.trees() != nullptr, "the model has no trees; --top lists its weights");
    names_ = tag::tree_names(tagger_);
    if (options.label) label_ = static_cast<std::uint32_t>(label_number(tagger_, *options.label));
  }

  void run() {
    if (options_.tree) {
      draw();
    } else {
      list();
    }
  }

 private:
  const trees::Schema& schema() const { return tagger_.trees()->inputs().schema(); }
  const trees::EnsembleView& trees() const { return tagger_.trees()->trees(); }

  void list() {
    auto uses = feature_uses(schema(), trees(), names_, label_);
    uses.resize(std::min<std::size_t>(uses.size(), *options_.splits));
    if (context_.json()) {
      Json report = {{"v", 1},
                     {"file", tagger_.file().name()},
                     {"task", tagger_.file().task()},
                     {"splits", Json::array()}};
      for (const trees::FeatureUse& use : uses) {
        report["splits"].push_back({{"feature", use.name},
                                    {"questions", use.questions},
                                    {"trees", use.trees},
                                    {"roots", use.roots}});
      }
      context_.out() << report.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
      return;
    }
    Table table = context_.report_table(
        {{.name = "questions"}, {.name = "trees"}, {.name = "roots"}, {.name = "feature"}},
        options_.tsv ? TableFormat::kTsv : TableFormat::kAligned);
    for (const trees::FeatureUse& use : uses) {
      table.row({use.questions, use.trees, use.roots,
                 options_.tsv ? use.name : shortened(visible(use.name), kMaxFeatureWidth)});
    }
    table.finish();
  }

  // The tree of that number, counted from 1: of all, or of a label's.
  std::size_t chosen() const {
    std::uint64_t seen = 0;
    for (std::size_t tree = 0; tree < trees().num_trees(); ++tree) {
      if (label_ && trees().output[tree] != *label_) continue;
      if (++seen == *options_.tree) return tree;
    }
    throw UsageError(
        fmt::format("--tree is {}, and there are {}", *options_.tree, counted(seen, "tree")),
        {.code = "E003", .help = "trees count from 1"});
  }

  void draw() {
    const std::size_t tree = chosen();
    const std::string title =
        fmt::format("tree {} of {}: adds to {}", *options_.tree, tagger_.file().name(),
                    tagger_.label(trees().output[tree]));
    const bool svg = options_.output.ends_with(".svg");
    Output output = context_.output_file(options_.output);
    std::ostream& out = options_.output == "-" ? context_.out() : output.stream();
    if (svg) {
      out << draw_svg(schema(), trees(), tree, names_, title);
    } else {
      out << title << '\n' << visible_lines(draw_text(schema(), trees(), tree, names_));
    }
    output.commit();
  }

  static std::string visible_lines(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      out += visible(text.substr(begin, end - begin)) + '\n';
      begin = end + 1;
    }
    return out;
  }

  const TreeOptions& options_;
  Context& context_;
  tag::Tagger tagger_;
  trees::FeatureNames names_;
  std::optional<std::uint32_t> label_;
};

}  // namespace

std::vector<Option> tree_options(TreeOptions& options) {
  return {{.name = "splits",
           .value = &options.splits,
           .metavar = "N",
           .help = "list the N features that a tagger's trees ask for most; with --label, of its "
                   "trees"},
          {.name = "tree",
           .value = &options.tree,
           .metavar = "N",
           .help = "draw tree N of a tagger, counted from 1; with --label, of its trees"},
          {.name = "output",
           .letter = 'o',
           .value = &options.output,
           .metavar = "FILE",
           .help = "where to draw the tree: as SVG where the name ends so, else as text"}};
}

ExitStatus report_trees(ModelFile model, const TreeOptions& options, Context& context) {
  if (options.splits && options.tree) {
    throw UsageError("--splits and --tree exclude one another", {.code = "E006"});
  }
  TreeReport(std::move(model), options, context).run();
  return ExitStatus::kDone;
}

}  // namespace coppice::cli
