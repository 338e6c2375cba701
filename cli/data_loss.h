// What a sentence has that a format has no place for.
#pragma once

#include <optional>
#include <string>

#include "coppice/text/column_names.h"
#include "coppice/text/sentence.h"

namespace coppice::cli {

// The first such thing in words ("the column xpos", "the weight"), or empty when everything fits.
//
// A sentence that stays in its format keeps everything. Else:
//   columns   have room for words and labels only
//   conllu    for these and the id
//   jsonl     the same
//   text      for words only, without blanks in them
//   crfsuite  for labels, attributes and the weight; the cells of other columns become attributes
// An id that is only "s" and the sentence's number, as our writers make them, is no loss.
std::string what_is_lost(const text::Sentence& sentence, text::Format target,
                         const text::ColumnNames& columns, std::optional<std::size_t> label_column);

}  // namespace coppice::cli
