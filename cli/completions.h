// Completion scripts for shells, read off the declarations.
#pragma once

#include <string>

#include "cli/command.h"

namespace coppice::cli {

// A script to be sourced by bash, or found as _coppice by zsh. Completes commands, options and
// choices; anything else is a file name.
std::string bash_completions(const Command& program);
std::string zsh_completions(const Command& program);

}  // namespace coppice::cli
