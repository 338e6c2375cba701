// ARPA files: language models as text, which every toolkit reads and writes.
//
//     "\data\"
//     ngram 1=4
//     ngram 2=2
//
//     "\1-grams:"
//     -1.25   <unk>
//     -99     <s>     -0.3
//     ...
//     "\end\"
//
// (The quotes keep a backslash from the end of these lines; files have none.)
// A line has log10 of the probability, the words, and log10 of the backoff where there is one;
// tabs or blanks stand between them. Lines before the first of these and blank lines are passed
// over. The n-grams may come in any order.
//
// What files of others lack: <unk>, <s> or </s> get the probability 10^-100; an n-gram whose suffix
// the file does not have (SRILM prunes those) gets a blank there, whose probability is what backing
// off would give. An n-gram whose context is missing is refused, since no query could ever find it.
#pragma once

#include <ostream>
#include <string>

#include "coppice/base/file.h"
#include "coppice/lm/ngrams.h"

namespace coppice::lm {

struct ArpaNotes {
  bool unknown_added = false;  // the file has no <unk>
  std::uint64_t blanks = 0;    // n-grams that were missing as suffixes of others
};

// Throws ParseError: E291 where the file is not ARPA (a header, a count or a line is wrong), E292
// for a bad number, E293 for an n-gram whose context is missing or that comes twice, or a word that
// the 1-grams lack; IoError. Memory: as the workspace says, besides the words' text.
Ngrams read_arpa(LineReader lines, const Workspace& workspace = {}, ArpaNotes* notes = nullptr);
inline Ngrams read_arpa(const std::string& path, const Workspace& workspace = {},
                        ArpaNotes* notes = nullptr) {
  return read_arpa(LineReader(path), workspace, notes);
}

// In suffix order, numbers in as few digits as read back the same. Blanks are left out. Throws
// IoError from reading n-grams that are on disk; the stream is checked by its owner.
void write_arpa(const Ngrams& ngrams, std::ostream& out);

}  // namespace coppice::lm
