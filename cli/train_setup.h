// From the options of `coppice train tag` and its files to a training that can begin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/data_options.h"
#include "cli/train_options.h"
#include "coppice/chain/tagger.h"
#include "coppice/chain/tagger_training.h"

namespace coppice::cli {

// What was read of one kind of data.
struct Corpus {
  std::uint64_t sentences = 0;
  std::uint64_t tokens = 0;
  std::string digest;  // of the files' bytes, in order; empty where one is standard input

  void add(const text::Sentence& sentence) {
    ++sentences;
    tokens += sentence.num_tokens();
  }
};

// The options as the library takes them. `reader` has read a sentence: its columns are known.
// `classes` is the text of a file of classes that was learnt of raw text; empty without --raw. An
// older model brings its templates along, unless the options name others.
chain::TaggerTrainingOptions training_options(const TrainTagOptions& options,
                                              const LabelledReader& reader,
                                              const std::string& classes,
                                              const std::optional<chain::Tagger>& older);

// A training whose data has been read, and what that was.
struct TrainingData {
  std::optional<chain::TaggerTraining> training;  // there is one once a sentence has been read
  Corpus train, development;
  Corpus unlabelled;        // without a digest
  std::string description;  // of the last file's format
  bool skipped = false;     // whether records with problems were left out
};

// Reads all files. Throws ParseError and IoError as the readers do.
TrainingData read_training_data(const TrainTagOptions& options, Context& context);

}  // namespace coppice::cli
