// Word classes from raw text: what the verbs classes and train tag share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/data_options.h"
#include "coppice/base/threads.h"
#include "coppice/text/class_tree.h"

namespace coppice::cli {

struct ClassCounts {
  std::uint64_t classes = 1000;
  std::uint64_t min_count = 2;
};

// Counts the words of files of sentences, whatever their format, and learns their classes.
class ClassLearning {
 public:
  ClassLearning(const ClassCounts& counts, Context& context) : counts_(counts), context_(context) {}

  // `fallback` is the format of a file that shows none. Throws as text::open_sentences; ParseError
  // (E204) for a file without sentences, (E146) for one without words.
  void read(const std::string& path, const DataOptions& data, text::Format fallback);

  // The text of a file of classes.
  std::string learn(const Threads& threads);

  bool skipped() const noexcept { return skipped_; }

 private:
  ClassCounts counts_;
  Context& context_;
  text::BigramCounter counter_;
  bool skipped_ = false;
};

}  // namespace coppice::cli
