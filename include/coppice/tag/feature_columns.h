// Where a model finds its columns in a file.
#pragma once

#include <cstddef>
#include <vector>

#include "coppice/tag/encode.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/reader.h"

namespace coppice::tag {

// The model's feature columns in the file that `sentence` was read from: by name; the words of a
// file whose columns nobody named are its first. Throws UsageError (E003) naming what is missing.
std::vector<std::size_t> feature_columns(const Tagger& tagger, const text::SentenceReader& reader,
                                         const text::Sentence& sentence);
FeatureCells feature_cells(const Tagger& tagger, const text::SentenceReader& reader,
                           const text::Sentence& sentence);

}  // namespace coppice::tag
