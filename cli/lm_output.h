// Language models as the verbs of `coppice lm` write them, and the space that making them takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "coppice/lm/ngrams.h"

namespace coppice::cli {

struct LmOutput {
  std::string path;
  std::optional<std::string> binary;  // "hash" or "trie"; hash where it is not given
  std::uint64_t megabytes = 1024;
  std::string folder;

  lm::Workspace workspace() const { return {.memory = megabytes << 20U, .folder = folder}; }
};

// --output, --binary, --memory and --temporary. Requires that `output` outlives them.
std::vector<Option> lm_output_options(LmOutput& output);

// Opens the output; an existing file is refused here, before any work. Throws UsageError (E006)
// when --binary was given with a name that asks for text.
Output open_lm_output(const LmOutput& output, Context& context);

// Writes the model, with the card that `card` makes where there is room for one, and says so.
void save_lm(const lm::Ngrams& ngrams, const LmOutput& output, Output& file,
             const std::function<std::string()>& card, Context& context);

}  // namespace coppice::cli
