#include "coppice/learn/boosted_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/learn/forest_engine.h"
#include "score/design_builder.h"

namespace coppice::learn {

namespace {

constexpr std::size_t kLaidOutPerChunk = 8;  // examples

template <class Visit>
void for_chunked_examples(std::size_t examples, const Threads& threads, const Visit& visit) {
  const std::size_t chunks = (examples + kLaidOutPerChunk - 1) / kLaidOutPerChunk;
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned) {
    const std::size_t end = std::min(examples, (chunk + 1) * kLaidOutPerChunk);
    for (std::size_t i = chunk * kLaidOutPerChunk; i < end; ++i) visit(i);
  });
}

}  // namespace

TreeInputs find_tree_inputs(const Structure& structure, const TreeInputOptions& options,
                            std::size_t min_count) {
  DesignBuilder builder(options.fold);
  PartExample example;
  for (std::size_t i = 0; i < structure.num_examples(); ++i) {
    example.clear();
    structure.lay_out(i, example);
    for (std::size_t row = 0; row < example.features.num_rows(); ++row) {
      const auto keys = example.features.keys(row);
      const auto values = example.features.values(row);
      for (std::size_t k = 0; k < keys.size(); ++k) builder.add(keys[k], values[k], kNoGroup);
      builder.end_token();
    }
  }
  const DesignBuilder::Result found = std::move(builder).build(min_count);
  return {found.design, found.keys, found.groups, options};
}

PartScores::PartScores(const Structure& structure, const TreeInputs& inputs) {
  PartExample example;
  std::vector<std::uint32_t> bins;
  for (std::size_t i = 0; i < structure.num_examples(); ++i) {
    example.clear();
    structure.lay_out(i, example);
    for (std::size_t row = 0; row < example.features.num_rows(); ++row) {
      inputs.encode(example.features.keys(row), example.features.values(row), bins);
      rows_.add(bins);
    }
    for (const PartCell& cell : example.features.cells()) {
      require(cell.output < structure.num_outputs(), structure.name(i), " has a part of output ",
              cell.output, " of ", structure.num_outputs());
      cells_.push_back({row_begin_.back() + cell.row, cell.output});
    }
    row_begin_.push_back(static_cast<std::uint32_t>(rows_.size()));
    part_begin_.push_back(cells_.size());
  }
  scores_.assign(cells_.size(), 0.0f);
}

void PartScores::add(const trees::Predictor& predictor, const Threads& threads,
                     const Boostable::Said& said) {
  const trees::BinMatrix rows = rows_.view().rows;
  for_chunked_examples(num_examples(), threads, [&](std::size_t i) {
    trees::Predictor::Scratch scratch;
    const std::size_t outputs = predictor.num_outputs(), first = row_begin_[i];
    std::vector<double> values((row_begin_[i + 1] - first) * outputs);
    for (std::size_t row = first; row < row_begin_[i + 1]; ++row) {
      const auto of_row = std::span(values).subspan((row - first) * outputs, outputs);
      predictor.score(rows.row(row), of_row, scratch);
      if (said) said(i, row, of_row);
    }
    const auto parts = cells(i);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const auto [row, output] = parts[part];
      scores_[part_begin_[i] + part] +=
          static_cast<float>(values[(row - first) * outputs + output]);
    }
  });
}

BoostedParts::BoostedParts(const Structure& structure, const TreeInputs& inputs, PartScores& scores,
                           const TrainingObjective& objective)
    : structure_(structure),
      inputs_(inputs),
      scores_(scores),
      objective_(objective),
      loss_(objective, structure.item_types()) {}

void BoostedParts::look_ahead(const Threads& threads) {
  objective_.begin_look(num_examples());
  for_chunked_examples(num_examples(), threads, [&](std::size_t i) {
    PartExample example;
    structure_.lay_out(i, example);
    const auto start = scores_.scores(i);
    std::vector<float> scores(start.begin(), start.end());
    ForestEngine engine(example.forest, example.target, &loss_, scores);
    objective_.look(engine, i);
  });
  objective_.end_look();
}

double BoostedParts::differentiate(RoundGoal goal, std::span<float> descents,
                                   const Threads& threads) {
  require(goal == RoundGoal::kObjective, "forests have no pseudo-likelihood");
  if (objective_.looks_ahead()) look_ahead(threads);
  std::fill(descents.begin(), descents.end(), 0.0f);
  const std::size_t num_rows = rows().size();
  std::vector<double> values(num_examples());
  for_chunked_examples(num_examples(), threads, [&](std::size_t i) {
    PartExample example;
    structure_.lay_out(i, example);
    const auto start = scores_.scores(i);
    std::vector<float> derivatives(start.begin(), start.end());
    ForestEngine engine(example.forest, example.target, &loss_, derivatives);
    const double value = objective_.evaluate(engine, i), weight = structure_.weight(i);
    if (!std::isfinite(value)) {
      throw Error(concat("the objective is not finite at ", structure_.name(i)), {.code = "E310"});
    }
    values[i] = weight * value;
    const auto cells = scores_.cells(i);  // rows of examples do not meet
    for (std::size_t part = 0; part < cells.size(); ++part) {
      descents[cells[part].output * num_rows + cells[part].row] -=
          static_cast<float>(weight) * derivatives[part];
    }
  });
  return pairwise_sum(std::move(values));
}

void BoostedParts::forget_impossible(std::size_t output, std::span<std::int32_t> curvature) const {
  std::vector<unsigned char> listed(curvature.size(), 0);
  for (std::size_t i = 0; i < num_examples(); ++i) {
    for (const PartCell& cell : scores_.cells(i)) {
      if (cell.output == output) listed[cell.row] = 1;
    }
  }
  for (std::size_t row = 0; row < listed.size(); ++row) curvature[row] *= listed[row];
}

void BoostedParts::add(const trees::Predictor& predictor, const Threads& threads,
                       const Said& said) {
  scores_.add(predictor, threads, said);
  for (PartScores* scores : followed_) scores->add(predictor, threads);
}

}  // namespace coppice::learn
