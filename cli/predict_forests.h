// coppice predict --out forest-jsonl: the label sequences of each sentence as a packed forest, for
// `coppice forest` and other programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/data_options.h"
#include "coppice/chain/tagger.h"

namespace coppice::cli {

// Writes a record for each sentence of the files, in order.
ExitStatus write_forests(const chain::Tagger& tagger, const std::vector<std::string>& files,
                         const DataOptions& data, std::ostream& out, Context& context);

}  // namespace coppice::cli
