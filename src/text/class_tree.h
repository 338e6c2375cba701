// A tree over word classes, and their files.
//
// Classes are merged two by two, always the two whose merging costs least of the objective F of
// exchange.h (ties: the earlier classes), until one is left: the merges of Brown et al. (1992). The
// path from the root to a class is a text of 0 and 1; classes with a long common prefix occur
// between the same classes, and prefixes of a path are coarser classes.
//
// A file of classes has a line for each word, by falling frequency: path, word, count, with tabs
// between; Brown clustering programs write the same, and cluster() of a template reads it.
#pragma once

#include <string>
#include <vector>

#include "coppice/base/interrupt.h"
#include "coppice/base/progress.h"
#include "coppice/base/threads.h"
#include "coppice/text/exchange.h"

namespace coppice::text {

// Merged class `second` into `first`, which stands for both from then on.
struct ClassMerge {
  ClassId first, second;
};

// In the order in which they are made; one fewer than there are classes of words.
// Cost: cubic in the number of classes where every class follows every other, less in real text.
// Memory: 12 bytes a pair of classes.
std::vector<ClassMerge> merge_classes(const ExchangeClustering& clustering);

// By class; empty for the reserved ones, and for a class that is alone.
std::vector<std::string> class_paths(const ExchangeClustering& clustering);

// The file, as above.
std::string class_file(const WordBigrams& bigrams, const ExchangeClustering& clustering);

struct ClassOptions {
  std::size_t classes = 1000;
  unsigned max_sweeps = 8;
};

// All of it: sweeps until no word moves, or as many as asked, or until the poll wants an end; then
// the tree. Throws InvalidArgument for options out of range.
std::string learn_classes(const WordBigrams& bigrams, const ClassOptions& options,
                          const Threads& threads, Progress& progress = no_progress(),
                          const InterruptPoll& poll = {});

}  // namespace coppice::text
