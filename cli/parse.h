// From the words of a command line to a verb, its options and its files.
//
// Options may stand before, between and after the verb's words and files; "--" ends them. Values:
// --beam 8, --beam=8, -b 8, -b8. Letters of flags may be joined: -qv. A word that begins with '-'
// is taken as a value only if it is "-" or a number. Long names are never abbreviated.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace coppice::cli {

struct Invocation {
  struct Use {
    const Option* option;
    std::string spelled;  // "--beam" or "-b"
    std::vector<std::string> values;
  };

  std::vector<const Command*> path;  // from the program to the verb
  std::vector<Use> uses;             // in the order given
  std::vector<std::string> files;

  const Command& command() const { return *path.back(); }
  bool uses_option(std::string_view name) const;
};

// The words of a path without the program's own: "train tag", or "coppice" for the program.
std::string verb_name(std::span<const Command* const> path);

// Throws UsageError: E001 unknown command, E002 unknown option, E004 missing value. The result
// points into `program`.
Invocation parse(const Command& program, std::span<const std::string> words);

// Sets the variables of the options and files given. Throws UsageError E003.
void apply(const Invocation& invocation);

// Throws UsageError E006 for an option on the command line that has no use beside the values of the
// others; see Company. Values from configurations are defaults for many calls, and so are not
// refused.
void check_company(const Invocation& invocation);

// Throws UsageError: E004 for what is missing, E005 for files too many.
void check_complete(const Invocation& invocation);

}  // namespace coppice::cli
