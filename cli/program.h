// The program from its words to its exit status.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace coppice::cli {

// Runs one of the verbs. Never throws. Writes to std::cout and std::cerr, whose settings it
// changes.
int run_program(std::span<const std::string> words, std::vector<Command> verbs);

}  // namespace coppice::cli
