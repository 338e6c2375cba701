// coppice plot: a line chart of training logs or of any table.
#include "coppice/base/plot.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/context.h"
#include "cli/plot_table.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

struct PlotOptions {
  std::vector<std::string> files;
  std::string output = "-";
  std::string x;
  std::vector<std::string> y;
  std::string by;
  std::string title;
  std::optional<std::string> x_label, y_label;
  std::optional<double> x_min, x_max, y_min, y_max;
  bool log_x = false;
  bool log_y = false;
  bool points = false;
  bool diagonal = false;
};

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// Builds the series: one for each file, column and value of --by.
class SeriesReader {
 public:
  explicit SeriesReader(PlotOptions& options) : options_(options) {}

  std::vector<PlotSeries> read() && {
    std::vector<PlotTable> tables;
    tables.reserve(options_.files.size());
    for (const std::string& path : options_.files) {
      tables.push_back(PlotTable::read(LineReader(path)));
    }
    choose_columns(tables.front());
    for (const PlotTable& table : tables) {
      for (const std::string& y : options_.y) add(table, y);
    }
    return std::move(series_);
  }

 private:
  // A training's log needs no words.
  void choose_columns(const PlotTable& table) {
    const bool is_log = table.has("iteration") && table.has("objective");
    if (options_.x.empty() && is_log) options_.x = "iteration";
    if (options_.y.empty() && is_log) options_.y = {"objective"};
    if (!options_.x.empty() && !options_.y.empty()) return;
    std::string names;
    for (const std::string& name : table.columns()) names += (names.empty() ? "" : ", ") + name;
    throw UsageError("say with --x and --y which columns to plot",
                     {.code = "E004", .help = table.file() + " has " + names});
  }

  void add(const PlotTable& table, const std::string& y) {
    std::vector<std::string> groups;
    const std::size_t first = series_.size();
    for (std::size_t row = 0; row < table.num_rows(); ++row) {
      const std::string group = options_.by.empty() ? "" : table.text(row, options_.by);
      const PlotPoint point{table.number(row, options_.x), table.number(row, y)};
      std::size_t number = 0;
      while (number < groups.size() && groups[number] != group) ++number;
      if (number == groups.size()) {
        groups.push_back(group);
        series_.push_back({name(table, y, group), {}});
      }
      // Where a log has no value, as between two checks, the line goes on to the next.
      if (!std::isnan(point.x) && !std::isnan(point.y)) {
        series_[first + number].points.push_back(point);
      }
    }
  }

  std::string name(const PlotTable& table, const std::string& y, const std::string& group) const {
    std::string text;
    const auto append = [&](const std::string& part) {
      text += (text.empty() || part.empty() ? "" : " ") + part;
    };
    if (options_.files.size() > 1) append(stem(table.file()));
    if (options_.y.size() > 1 || (options_.files.size() == 1 && group.empty())) append(y);
    append(group);
    return text;
  }

  PlotOptions& options_;
  std::vector<PlotSeries> series_;
};

std::string all_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

ExitStatus run(PlotOptions options, Context& context) {
  const std::vector<PlotSeries> series = SeriesReader(options).read();
  const auto scale = [](bool log) { return log ? PlotScale::kLog : PlotScale::kLinear; };
  const LinePlotOptions plot{.title = options.title,
                             .x = {.label = options.x_label.value_or(options.x),
                                   .scale = scale(options.log_x),
                                   .low = options.x_min,
                                   .high = options.x_max},
                             .y = {.label = options.y_label.value_or(all_of(options.y)),
                                   .scale = scale(options.log_y),
                                   .low = options.y_min,
                                   .high = options.y_max},
                             .diagonal = options.diagonal,
                             .lines = !options.points};
  const std::string drawn = line_plot(series, plot);
  Output output = context.output_file(options.output);
  output.stream() << drawn;
  output.commit();
  if (options.output != "-") context.talk("saved   {}", options.output);
  return ExitStatus::kDone;
}

std::vector<Option> column_options(PlotOptions& o) {
  return {{.name = "output",
           .letter = 'o',
           .value = &o.output,
           .metavar = "FILE",
           .help = "where to write the SVG; - is standard output"},
          {.name = "x",
           .value = &o.x,
           .metavar = "COLUMN",
           .help = "column of the horizontal axis; iteration for a training's log"},
          {.name = "y",
           .value = &o.y,
           .metavar = "COLUMNS",
           .help = "columns of the vertical axis; objective for a training's log"},
          {.name = "by",
           .value = &o.by,
           .metavar = "COLUMN",
           .help = "a line for each value of this column"}};
}

std::vector<Option> look_options(PlotOptions& o) {
  return {
      {.name = "title", .value = &o.title, .metavar = "TEXT", .help = "above the chart"},
      {.name = "x-label",
       .value = &o.x_label,
       .metavar = "TEXT",
       .help = "in place of the column's name",
       .advanced = true},
      {.name = "y-label",
       .value = &o.y_label,
       .metavar = "TEXT",
       .help = "in place of the columns' names",
       .advanced = true},
      {.name = "x-min", .value = &o.x_min, .metavar = "X", .help = "left end", .advanced = true},
      {.name = "x-max", .value = &o.x_max, .metavar = "X", .help = "right end", .advanced = true},
      {.name = "y-min", .value = &o.y_min, .metavar = "Y", .help = "lower end", .advanced = true},
      {.name = "y-max", .value = &o.y_max, .metavar = "Y", .help = "upper end", .advanced = true},
      {.name = "log-x", .value = &o.log_x, .help = "logarithmic horizontal axis"},
      {.name = "log-y", .value = &o.log_y, .help = "logarithmic vertical axis"},
      {.name = "points", .value = &o.points, .help = "points that no line joins"},
      {.name = "diagonal",
       .value = &o.diagonal,
       .help = "the line y = x as well, for probabilities against frequencies"}};
}

}  // namespace

Command plot_verb() {
  auto options = std::make_shared<PlotOptions>();
  std::vector<Option> all = column_options(*options);
  for (Option& option : look_options(*options)) all.push_back(std::move(option));
  return {
      .name = "plot",
      .summary = "draw a line chart of training logs or tables",
      .group = "data",
      .help =
          "Reads logs of trainings (train tag --log), or tables with a header line (tab-separated "
          "or CSV), and writes a chart as SVG that needs no other program. Several files and "
          "several columns become several lines.",
      .examples = {{"coppice plot run.jsonl -o curve.svg", "the objective by iteration"},
                   {"coppice plot a.jsonl b.jsonl --y dev_f1 -o f1.svg", "two runs side by side"},
                   {"coppice plot sweep.tsv --x tau --y f1 --by task --log-x -o sweep.svg",
                    "a line for each task"},
                   {"coppice plot bins.csv --x confidence --y accuracy --diagonal -o r.svg",
                    "a reliability diagram"}},
      .options = std::move(all),
      .files = {.values = &options->files, .help = "logs or tables; - is standard input", .min = 1},
      .writes_files = true,
      .run = [options](Context& context) { return run(*options, context); },
  };
}

}  // namespace coppice::cli
