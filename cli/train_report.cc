#include "cli/train_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/human.h"
#include "coppice/text/spans.h"

namespace coppice::cli {

namespace {

constexpr std::size_t kLabelsShown = 12;
constexpr std::uint64_t kIterationsPerRow = 10;

std::string corpus_text(const tag::Corpus& corpus) {
  return fmt::format("{} sent {} tok", thousands(corpus.sentences), thousands(corpus.tokens));
}

bool scores_by_span(const tag::TaggerTraining& training) noexcept {
  return training.metric() == tag::DevelopmentMetric::kSpanF1;
}

const char* score_name(const tag::TaggerTraining& training) {
  return scores_by_span(training) ? "dev F1" : "dev acc";
}

std::vector<Column> iteration_columns(const tag::TrainingData& data, bool with_time_left) {
  const bool develops = data.development.sentences > 0;
  std::vector<Column> columns{{"iter", 6}, {"objective", 13}, {"|grad|", 9, 3}};
  columns[2].key = "grad";
  if (develops && data.training->scores_spans())
    columns.insert(columns.end(), {{"dev P", 7}, {"dev R", 7}});
  if (develops) columns.push_back({score_name(*data.training), 7});
  columns.insert(columns.end(), {{"tok/s", 7}, {"time", 7}});
  if (with_time_left) columns.push_back({"max left", 8});
  for (Column& column : columns) column.align = Align::kRight;
  return columns;
}

double per_token(std::uint64_t count, const chain::KeptCounts& kept) {
  return static_cast<double>(count) / static_cast<double>(kept.tokens);
}

}  // namespace

void describe_kept(const tag::TaggerTraining& training, Context& context) {
  const chain::KeptCounts kept = training.kept();
  if (kept.tokens == 0) return;
  const std::size_t labels = training.config().labels.size();
  const unsigned window = training.config().order + 1;
  context.talk("pruned  {:.2f} of {} labels and {:.2f} of {}^{} sequences of {} kept a token",
               per_token(kept.labels, kept), labels, per_token(kept.edges, kept), labels, window,
               window);
}

void describe_training(const tag::TrainingRequest& request, const tag::TrainingData& data,
                       unsigned threads, Context& context) {
  const tag::TaggerConfig& config = data.training->config();
  const std::size_t labels = config.labels.size();
  std::string corpora = "train " + corpus_text(data.train);
  if (data.development.sentences > 0) corpora += " - dev " + corpus_text(data.development);
  if (data.unlabelled.sentences > 0) corpora += " - unlabelled " + corpus_text(data.unlabelled);
  context.talk("data    {} - {}", corpora, data.description);
  std::string names;
  for (std::size_t y = 0; y < labels && y < kLabelsShown; ++y) names += ' ' + config.labels[y];
  if (labels > kLabelsShown) names += " ...";
  context.talk("labels  {}:{}   scheme {} ({} of {} pairs allowed)", labels, names,
               text::to_string(config.scheme), data.training->num_allowed_pairs(), labels * labels);
  std::string learner = thousands(data.training->num_features()) + " features";
  if (request.has_weights()) {
    learner += fmt::format(", l1={} l2={}", request.trainer.l1, request.trainer.l2);
  }
  if (request.has_trees())
    learner += fmt::format(", trees of {} leaves", request.boosting.max_leaves);
  context.talk("model   chain of order {}, {} - {} - seed {}", config.order, learner,
               counted(threads, "thread"), request.seed);
}

IterationTable::IterationTable(const tag::TrainingData& data, Context& context)
    : data_(data),
      display_(context.display()),
      spans_(data.training->scores_spans()),
      develops_(data.development.sentences > 0),
      table_(context.stage_table(iteration_columns(data, !display_.redraws()))),
      evaluations_(data.training->loop().progress().evaluations),
      left_(data.training->loop().progress().iteration) {
  display_.show_line(line(NAN, 0));
}

bool IterationTable::is_due() const {
  const learn::TrainingProgress& progress = data_.training->loop().progress();
  return progress.stochastic || data_.training->loop().development().checked ||
         !progress.stopped.empty() || progress.iteration % kIterationsPerRow == 0;
}

void IterationTable::step() {
  const tag::TaggerTraining& training = *data_.training;
  const learn::TrainingProgress& progress = training.loop().progress();
  const auto now = Clock::now();
  const double time = seconds(now - begin_);
  left_.step(progress.iteration, training.loop().most_steps_left(), time);
  if (training.loop().development().checked) score_ = training.loop().development().score;
  const std::uint64_t passes = progress.evaluations - evaluations_;
  const double rate = static_cast<double>(passes * data_.train.tokens) / seconds(now - last_);
  if (is_due()) {
    row(rate, time);
    evaluations_ = progress.evaluations;
    last_ = now;
  }
  display_.show_line(line(rate, time));
}

void IterationTable::row(double rate, double time) {
  const learn::TrainingProgress& progress = data_.training->loop().progress();
  const learn::DevelopmentScore& score = data_.training->loop().development();
  const Cell nothing("", NAN);
  const auto percent = [&](double value) { return score.checked ? Cell(100 * value) : nothing; };
  const double iteration = static_cast<double>(progress.iteration);
  std::vector<Cell> cells{
      {fmt::format("{}{}", score.best ? "*" : "", progress.iteration), iteration},
      progress.objective};
  const bool has_gradient = !progress.stochastic && !progress.boosting;
  cells.push_back(has_gradient ? Cell(progress.gradient_norm) : nothing);
  if (develops_ && spans_) {
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
  const learn::TrainingProgress& progress = data_.training->loop().progress();
  std::string text = fmt::format("iter {}", progress.iteration);
  const auto left = data_.training->loop().most_steps_left();
  if (left) {
    const std::uint64_t most = progress.iteration + *left;
    const double share =
        most == 0 ? 0 : static_cast<double>(progress.iteration) / static_cast<double>(most);
    text += fmt::format("/{} {}", most, bar(share, bar_columns));
  }
  text += "  " + duration(time);
  if (!std::isnan(left_.at_most()))
    text += fmt::format(", at most {} left", duration(std::ceil(left_.at_most())));
  if (!std::isnan(score_))
    text += fmt::format("  {} {:.2f}", score_name(*data_.training), 100 * score_);
  if (progress.iteration > 0) text += fmt::format("  objective {:.2f}", progress.objective);
  if (!std::isnan(rate)) text += fmt::format("  {} tok/s", compact(rate));
  return text;
}

}  // namespace coppice::cli
