// The training of a tagger as front ends run it (learn/training_run.h).
//
//     TaggerRun run(request, read_training_data(request, threads, listener));
//     while (run.iterate(threads)) report(run.loop());
//     run.model(learn::training_card(run)).write("ner.cop", Overwrite::kRefuse);
#pragma once

#include <string>
#include <vector>

#include "coppice/learn/training_run.h"
#include "coppice/tag/training_data.h"
#include "coppice/tag/training_request.h"

namespace coppice::tag {

class TaggerRun final : public learn::TrainingRun {
 public:
  // Begins the training, and throws as TaggerTraining::begin() does. The request must outlive this.
  TaggerRun(TrainingRequest& request, TrainingData data);

  const TaggerTraining& training() const noexcept { return *data_.training; }

  std::string task() const override { return "tag"; }
  const learn::LearningOptions& request() const noexcept override { return request_; }
  std::vector<Option> options() override { return training_request_options(request_); }
  const learn::RunData& data() const noexcept override { return data_.summary; }
  const learn::TrainingLoop& loop() const noexcept override { return training().loop(); }
  bool iterate(const Threads& threads) override { return data_.training->iterate(threads); }
  learn::MetricName metric() const noexcept override;
  std::size_t num_features() const noexcept override { return training().num_features(); }
  // Labels, and what pruning has left.
  learn::CardEntries card_entries() const override;
  // Token accuracies by both decodings, at checks of trees: train_viterbi, train_posterior,
  // dev_viterbi, dev_posterior.
  learn::CardEntries log_entries() const override;
  std::string remarks() const override { return training().remarks(); }
  std::uint64_t bytes_to_come() const noexcept override { return training().bytes_to_come(); }
  ModelWriter model(const std::string& card) const override { return training().model(card); }
  void save(std::ostream& out) const override { training().save(out); }
  void load(std::istream& in, const Threads& threads) override {
    data_.training->load(in, threads);
  }

 private:
  TrainingRequest& request_;
  TrainingData data_;
};

}  // namespace coppice::tag
