// A label that the user names.
#pragma once

#include <cstddef>
#include <string>

#include "coppice/tag/tagger.h"

namespace coppice::cli {

// The number of a label of the model. Throws UsageError (E003) where it has no such label.
std::size_t label_number(const tag::Tagger& tagger, const std::string& label);

}  // namespace coppice::cli
