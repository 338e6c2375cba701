// Word classes from files of sentences: counted, then learnt.
//
//     ClassLearning learning({.classes = 500});
//     learning.read("news.txt", {}, Format::kText);
//     const WordBigrams bigrams = learning.bigrams();
//     const std::string classes = learning.learn(bigrams, threads);
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "coppice/base/interrupt.h"
#include "coppice/base/progress.h"
#include "coppice/base/threads.h"
#include "coppice/text/bigrams.h"
#include "coppice/text/data_options.h"
#include "coppice/text/labelled_reader.h"
#include "coppice/text/reader.h"

namespace coppice::text {

struct ClassCounts {
  std::uint64_t classes = 1000;
  std::uint64_t min_count = 2;
};

// Counts the words of files of sentences, whatever their format, and learns their classes.
class ClassLearning {
 public:
  // `at_end` is called with every reader that is at its end.
  explicit ClassLearning(const ClassCounts& counts,
                         std::function<void(const SentenceReader&)> at_end = {})
      : counts_(counts), at_end_(std::move(at_end)) {}

  // `fallback` is the format of a file that shows none. Throws as open_sentences; ParseError
  // (E204) for a file without sentences, (E146) for one without words.
  void read(const std::string& path, const DataOptions& data, Format fallback);
  // The same for sentences that come from elsewhere.
  void read(LabelledReader& reader);

  const ClassCounts& counts() const noexcept { return counts_; }
  const BigramCounter& counter() const noexcept { return counter_; }

  // The words that are frequent enough. Throws InvalidArgument when there is none.
  WordBigrams bigrams() const;
  // The text of a file of classes.
  std::string learn(const WordBigrams& bigrams, const Threads& threads,
                    Progress& progress = no_progress(), const InterruptPoll& poll = {}) const;

 private:
  ClassCounts counts_;
  std::function<void(const SentenceReader&)> at_end_;
  BigramCounter counter_;
};

}  // namespace coppice::text
