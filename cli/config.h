// Options from TOML files and --set.
//
// The keys are the long names of the options. Those of a verb stand in the table of its words,
// those that every verb has at the top:
//
//     threads = 4
//     [train.tag]
//     patience = 5
//
// The whole file is checked, whichever verb runs: an unknown table or key is an error.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace coppice::cli {

// Sets the options of all verbs that the file names. Throws UsageError, with the place in the file:
// E101 unknown key, E102 bad value, E103 not TOML; IoError when it cannot be read.
void apply_config(const std::string& path, const Command& program);

// Applies "key=value"; the key is an option of the verb, bare or after the verb's words
// ("train.tag.patience"), or a global option. Throws UsageError E003, E101.
void apply_setting(const std::string& setting, std::span<const Command* const> path);

// The options in force as TOML that apply_config reads back to the same values.
std::string config_text(std::span<const Command* const> path);

}  // namespace coppice::cli
