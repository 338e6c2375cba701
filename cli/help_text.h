// Help as text of at most 80 columns, read off the declarations.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"
#include "cli/terminal.h"

namespace coppice::cli {

enum class HelpDetail { kShort, kAll };

// All verbs, by group.
std::string overview_text(const Command& program, const Paint& paint);

// One command: usage, description, verbs, options, examples. A path of the program alone gives the
// overview; with kAll the global options too.
std::string help_text(std::span<const Command* const> path, HelpDetail detail, const Paint& paint);

// "-o, --output FILE", as help and manual page show it.
std::string option_names(const Option& option);
// The help of an option with its choices and its default.
std::string option_help(const Option& option);
// "coppice forest inside [options] FILE..."
std::string usage_line(std::span<const Command* const> path);

}  // namespace coppice::cli
