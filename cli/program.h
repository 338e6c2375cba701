// The program from its words to its exit status.
#pragma once

#include <span>
#include <string>

namespace coppice::cli {

// Never throws. Writes to std::cout and std::cerr, whose settings it changes.
int run_program(std::span<const std::string> words);

}  // namespace coppice::cli
