// How a verb declares itself. Parsing, help, manual page, completions and configuration files are
// all read off these declarations; a verb adds a file and a line in verbs.cc (docs/command-line.md
// has a worked example). Options are those of coppice/base/option.h.
//
// The variables that they set live in a struct that the verb's `run` keeps alive (a shared_ptr in
// the lambda).
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "coppice/base/option.h"

namespace coppice::cli {

class Context;

// What the program tells its caller. 130 and 143 (interrupted) and 141 (closed pipe) are added by
// the frame, not by verbs.
enum class ExitStatus : int {
  kDone = 0,
  kInternal = 1,
  kUsage = 2,
  kData = 3,
  kModel = 4,
  kResources = 5,
  kSkippedRecords = 6,
  kCheckFailed = 7,
};

// The arguments that are not options.
struct Positionals {
  std::vector<std::string>* values = nullptr;  // none are accepted when null
  std::string metavar = "FILE";
  std::string help{};
  std::size_t min = 0;
  std::size_t max = std::numeric_limits<std::size_t>::max();
};

struct Example {
  std::string command;
  std::string what;
};

struct Command {
  std::string name;
  std::string summary;  // one line, starts in lower case, no full stop
  std::string group{};  // heading in `coppice help`; top-level verbs only
  std::string help{};   // paragraphs separated by an empty line; wrapped for the reader
  std::vector<Example> examples{};
  std::vector<Option> options{};
  Positionals files{};
  bool reports = false;          // adds --json; see Context::json
  bool writes_files = false;     // adds --force; see Context::output_file
  std::vector<Command> verbs{};  // nested verbs; such a command has no run, options or files
  std::function<ExitStatus(Context&)> run{};
};

// The nested verb of that name, or null.
const Command* find_verb(const Command& command, std::string_view name);
// The option of that long or short name, or null.
const Option* find_option(const Command& command, std::string_view name);
const Option* find_option(const Command& command, char letter);

}  // namespace coppice::cli
