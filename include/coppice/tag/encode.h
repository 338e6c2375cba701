// Which cells of a sentence templates read, and which hold its labels.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/text/extractor.h"
#include "coppice/text/sentence.h"

namespace coppice::tag {

// The cells that templates read: the given columns of a sentence, in that order. Reused between
// sentences, it allocates nothing once it has grown.
class FeatureCells {
 public:
  explicit FeatureCells(std::vector<std::size_t> columns) : columns_(std::move(columns)) {}
  // Views the sentence until the next call. Throws InvalidArgument when it lacks a column.
  text::Cells of(const text::Sentence& sentence);

 private:
  std::vector<std::size_t> columns_;
  std::vector<std::string_view> cells_;
};

struct EncoderOptions {
  std::vector<std::size_t> feature_columns{0};
  std::size_t label_column = 1;
  std::size_t min_count = 1;  // attributes that occur less often are left out
  unsigned hash_bits = 0;     // of attribute keys (KeyFold); 0: whole keys
};

}  // namespace coppice::tag
