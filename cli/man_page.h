// The manual page in roff, read off the declarations.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace coppice::cli {

// The page of one command; of the program alone: all commands in one page, and the exit statuses.
std::string man_page(std::span<const Command* const> path);

}  // namespace coppice::cli
