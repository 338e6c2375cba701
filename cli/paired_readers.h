// Gold data and the output of systems, read side by side: labels of tokens, or trees.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "coppice/text/data_options.h"
#include "coppice/text/labelled_reader.h"

namespace coppice::cli {

struct PairedFiles {
  std::string gold;
  std::vector<std::string> systems;
  text::DataOptions gold_options;
  text::DataOptions system_options;
};

class PairedReaders {
 public:
  explicit PairedReaders(const PairedFiles& files);

  // Whether trees are to be compared: the gold data has them, and nobody asked for the labels of a
  // column. Reads the first sentence.
  bool have_trees();

  // Goes on to the next sentence that no file skips; false when a file is at its end.
  bool next();

  // To be called at the end: reads what is left, and lists what was skipped. Returns whether
  // anything was. Throws ParseError: E140 when a file has other numbers of sentences than the gold
  // data, E204 when there is none.
  bool finish(Context& context);

  const text::LabelledReader& gold() const { return readers_.front(); }
  // In the order of the files.
  std::span<const text::LabelledReader> systems() const { return std::span(readers_).subspan(1); }

 private:
  bool read();
  void check_ends();

  std::vector<text::LabelledReader> readers_;
  bool asks_for_labels_;
  bool is_ahead_ = false;  // have_trees() has read a sentence that next() has not returned
  bool has_sentence_ = false;
};

}  // namespace coppice::cli
