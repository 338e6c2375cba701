// coppice predict --out forest-jsonl: the label sequences of each sentence as a packed forest, for
// `coppice forest` and other programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/context.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/data_options.h"

namespace coppice::cli {

// Writes a record for each sentence of the files, in order.
ExitStatus write_forests(const tag::Tagger& tagger, const std::vector<std::string>& files,
                         const text::DataOptions& data, std::ostream& out, Context& context);

}  // namespace coppice::cli
