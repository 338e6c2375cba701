// The options that every verb has, and the whole program as one tree of commands.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace coppice::cli {

struct Globals {
  bool quiet = false;
  bool verbose = false;
  std::string progress = "auto";
  std::string color = "auto";
  std::string error_format = "text";
  int threads = 0;  // 0: one for each core that the program may use
  bool json = false;
  bool force = false;
  std::string config;
  std::vector<std::string> set;
  bool print_config = false;
  bool help = false;
  bool help_all = false;
  bool version = false;
};

// The root of the tree: its options are the global ones, its verbs those given, each with --json
// and
// --force where it declares them. Requires that `globals` outlives the tree.
Command make_program(Globals& globals, std::vector<Command> verbs);

// Whether a configuration file may set the option; --help and --config are for one call only.
bool is_configurable(const Option& option);

// "MAJOR.MINOR.PATCH" of this program.
std::string version_text();

}  // namespace coppice::cli
