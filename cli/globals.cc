#include "cli/globals.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace coppice::cli {

namespace {

std::vector<Option> talk_options(Globals& globals) {
  return {
      {.name = "quiet", .letter = 'q', .value = &globals.quiet, .help = "print errors only"},
      {.name = "verbose", .letter = 'v', .value = &globals.verbose, .help = "say more"},
      {.name = "threads",
       .letter = 'j',
       .value = &globals.threads,
       .metavar = "N",
       .help = "use N threads; 0 means one for each core",
       .min = 0,
       .max = 4096},
      {.name = "progress",
       .value = &globals.progress,
       .choices = {"auto", "bar", "plain", "json", "none"},
       .help = "how to show progress on stderr",
       .advanced = true},
      {.name = "color",
       .value = &globals.color,
       .choices = {"auto", "always", "never"},
       .help = "colour the output; auto obeys NO_COLOR",
       .advanced = true},
      {.name = "error-format",
       .value = &globals.error_format,
       .choices = {"text", "json"},
       .help = "how to write errors and warnings",
       .advanced = true},
  };
}

std::vector<Option> call_options(Globals& globals) {
  return {
      {.name = "config",
       .value = &globals.config,
       .metavar = "FILE",
       .help = "read options from a TOML file, a table for each verb",
       .advanced = true},
      {.name = "set",
       .value = &globals.set,
       .metavar = "KEY=VALUE",
       .help = "set one option, as the configuration file would",
       .advanced = true,
       .separate = true},
      {.name = "print-config",
       .value = &globals.print_config,
       .help = "print the options in force as TOML, and stop",
       .advanced = true},
      {.name = "help", .letter = 'h', .value = &globals.help, .help = "print this text"},
      {.name = "help-all", .value = &globals.help_all, .help = "print this text with all options"},
      {.name = "version", .value = &globals.version, .help = "print the version", .advanced = true},
  };
}

void add_shared_options(Command& command, Globals& globals) {
  if (command.reports) {
    command.options.push_back(
        {.name = "json", .value = &globals.json, .help = "print the report as one JSON document"});
  }
  if (command.writes_files) {
    command.options.push_back(
        {.name = "force", .value = &globals.force, .help = "overwrite output files that exist"});
  }
  for (Command& verb : command.verbs) add_shared_options(verb, globals);
}

}  // namespace

Command make_program(Globals& globals, std::vector<Command> verbs) {
  Command program{.name = "coppice",
                  .summary = "structured prediction on packed forests",
                  .options = talk_options(globals),
                  .verbs = std::move(verbs)};
  for (Option& option : call_options(globals)) program.options.push_back(std::move(option));
  for (Command& verb : program.verbs) add_shared_options(verb, globals);
  return program;
}

bool is_configurable(const Option& option) {
  constexpr std::array<std::string_view, 6> for_one_call = {"config", "set",      "print-config",
                                                            "help",   "help-all", "version"};
  return std::find(for_one_call.begin(), for_one_call.end(), option.name) == for_one_call.end();
}

std::string version_text() { return COPPICE_VERSION; }

}  // namespace coppice::cli
