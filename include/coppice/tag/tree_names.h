// The names of what a tagger's trees ask for.
#pragma once

#include "coppice/tag/tagger.h"
#include "coppice/trees/draw.h"

namespace coppice::tag {

// Names of bins, and of the labels before. Where the model was trained without names, bins have
// none. Requires a model with trees. Throws ModelError (E404) when the section of names is damaged
// or fits other weights.
trees::FeatureNames tree_names(const Tagger& tagger);

}  // namespace coppice::tag
