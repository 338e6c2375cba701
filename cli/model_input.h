// Where a model finds its columns in a file, and its labels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coppice/chain/encode.h"
#include "coppice/chain/tagger.h"
#include "coppice/text/reader.h"

namespace coppice::cli {

// The model's feature columns in the file that `sentence` was read from: by name; the words of a
// file whose columns nobody named are its first. Throws UsageError (E003) naming what is missing.
std::vector<std::size_t> feature_columns(const chain::Tagger& tagger,
                                         const text::SentenceReader& reader,
                                         const text::Sentence& sentence);
chain::FeatureCells feature_cells(const chain::Tagger& tagger, const text::SentenceReader& reader,
                                  const text::Sentence& sentence);

// The number of a label of the model. Throws UsageError (E003) where it has no such label.
std::size_t label_number(const chain::Tagger& tagger, const std::string& label);

}  // namespace coppice::cli
