// From what users ask for and their data to a training that can begin.
//
//     TrainingRequest request;
//     request.train = {"train.conll"};
//     check(request);
//     TrainingData data = read_training_data(request, threads);
//     data.training->begin();                                     // tag/tagger_training.h
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coppice/base/interrupt.h"
#include "coppice/base/progress.h"
#include "coppice/base/threads.h"
#include "coppice/tag/tagger.h"
#include "coppice/tag/tagger_training.h"
#include "coppice/tag/training_request.h"
#include "coppice/text/bigrams.h"
#include "coppice/text/class_learning.h"
#include "coppice/text/labelled_reader.h"

namespace coppice::tag {

// What was read of one kind of data.
struct Corpus {
  std::uint64_t sentences = 0;
  std::uint64_t tokens = 0;
  // Of the bytes that were read, decompressed; empty for given sentences.
  std::string digest{};

  void add(const text::Sentence& sentence) {
    ++sentences;
    tokens += sentence.num_tokens();
  }
};

// The request as the library takes it. `reader` has read a sentence: its columns are known.
// `classes` is the text of a file of classes that was learnt of raw text; empty without --raw. An
// older model brings its templates along, unless the request names others.
TaggerTrainingOptions training_options(const TrainingRequest& request,
                                       const text::LabelledReader& reader,
                                       const std::string& classes,
                                       const std::optional<Tagger>& older);

// A training whose data has been read, and what that was.
struct TrainingData {
  std::optional<TaggerTraining> training{};  // there is one once a sentence has been read
  Corpus train{}, development{}, unlabelled{};
  std::string description{};  // of the last file's format
};

// Sentences in place of the files that a request names.
struct GivenSentences {
  text::ColumnNames columns{};  // of all sentences
  std::vector<text::Sentence> train{};
  std::vector<text::Sentence> development{};  // none, or the request names them
};

// Who wants to know what is being read.
class ReadingListener {
 public:
  virtual ~ReadingListener() = default;
  // A reader is at its end; it knows what was skipped.
  virtual void at_end(const text::SentenceReader&) {}
  // Word classes of raw text are about to be learnt.
  virtual void learning_classes(const text::ClassLearning&, const text::WordBigrams&) {}
  virtual Progress& progress() { return no_progress(); }
  virtual InterruptPoll interrupt_poll() { return {}; }
};

// Reads all files, or what is given in place of training and development files. Throws ParseError
// and IoError as the readers do, and UsageError (E003) where options do not fit the data.
TrainingData read_training_data(const TrainingRequest& request, const Threads& threads,
                                ReadingListener& listener,
                                std::optional<GivenSentences> given = {});

}  // namespace coppice::tag
