#include "cli/iteration_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/human.h"

namespace coppice::cli {

namespace {

constexpr std::uint64_t kIterationsPerRow = 10;

std::vector<Column> iteration_columns(const learn::TrainingRun& run, bool with_time_left) {
  const bool develops = run.data().development.sentences > 0;
  const learn::MetricName metric = run.metric();
  std::vector<Column> columns{{"iter", 6}, {"objective", 13}, {"|grad|", 9, 3}};
  columns[2].key = "grad";
  if (develops && metric.of_items) columns.insert(columns.end(), {{"dev P", 7}, {"dev R", 7}});
  if (develops) columns.push_back({metric.heading, 7});
  columns.insert(columns.end(), {{"tok/s", 7}, {"time", 7}});
  if (with_time_left) columns.push_back({"max left", 8});
  for (Column& column : columns) column.align = Align::kRight;
  return columns;
}

}  // namespace

IterationTable::IterationTable(const learn::TrainingRun& run, Context& context)
    : run_(run),
      display_(context.display()),
      metric_(run.metric()),
      develops_(run.data().development.sentences > 0),
      table_(context.stage_table(iteration_columns(run, !display_.redraws()))),
      evaluations_(run.loop().progress().evaluations),
      left_(run.loop().progress().iteration) {
  display_.show_line(line(NAN, 0));
}

bool IterationTable::is_due() const {
  const learn::TrainingProgress& progress = run_.loop().progress();
  return progress.stochastic || run_.loop().development().checked || !progress.stopped.empty() ||
         progress.iteration % kIterationsPerRow == 0;
}

void IterationTable::step() {
  const learn::TrainingProgress& progress = run_.loop().progress();
  const auto now = Clock::now();
  const double time = seconds(now - begin_);
  left_.step(progress.iteration, run_.loop().most_steps_left(), time);
  if (run_.loop().development().checked) score_ = run_.loop().development().score;
  const std::uint64_t passes = progress.evaluations - evaluations_;
  const double rate = static_cast<double>(passes * run_.data().train.tokens) / seconds(now - last_);
  if (is_due()) {
    row(rate, time);
    evaluations_ = progress.evaluations;
    last_ = now;
  }
  display_.show_line(line(rate, time));
}

void IterationTable::row(double rate, double time) {
  const learn::TrainingProgress& progress = run_.loop().progress();
  const learn::DevelopmentScore& score = run_.loop().development();
  const Cell nothing("", NAN);
  const auto percent = [&](double value) { return score.checked ? Cell(100 * value) : nothing; };
  const double iteration = static_cast<double>(progress.iteration);
  std::vector<Cell> cells{
      {fmt::format("{}{}", score.best ? "*" : "", progress.iteration), iteration},
      progress.objective};
  const bool has_gradient = !progress.stochastic && !progress.boosting;
  cells.push_back(has_gradient ? Cell(progress.gradient_norm) : nothing);
  if (develops_ && metric_.of_items) {
    cells.push_back(percent(score.precision));
    cells.push_back(percent(score.recall));
  }
  if (develops_) cells.push_back(percent(score.score));
  cells.emplace_back(compact(rate), rate);
  cells.emplace_back(duration(time), time);
  if (!display_.redraws()) {
    const double left = left_.at_most();
    cells.push_back(std::isnan(left) ? nothing : Cell(duration(std::ceil(left)), left));
  }
  table_.row(std::move(cells));
}

std::string IterationTable::line(double rate, double time) const {
  constexpr std::size_t bar_columns = 10;
  const learn::TrainingProgress& progress = run_.loop().progress();
  std::string text = fmt::format("iter {}", progress.iteration);
  const auto left = run_.loop().most_steps_left();
  if (left) {
    const std::uint64_t most = progress.iteration + *left;
    const double share =
        most == 0 ? 0 : static_cast<double>(progress.iteration) / static_cast<double>(most);
    text += fmt::format("/{} {}", most, bar(share, bar_columns));
  }
  text += "  " + duration(time);
  if (!std::isnan(left_.at_most()))
    text += fmt::format(", at most {} left", duration(std::ceil(left_.at_most())));
  if (!std::isnan(score_)) text += fmt::format("  {} {:.2f}", metric_.heading, 100 * score_);
  if (progress.iteration > 0) text += fmt::format("  objective {:.2f}", progress.objective);
  if (!std::isnan(rate)) text += fmt::format("  {} tok/s", compact(rate));
  return text;
}

}  // namespace coppice::cli
