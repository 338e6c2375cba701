#include "cli/program.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <utility>

#include "cli/config.h"
#include "cli/context.h"
#include "cli/diagnostics.h"
#include "cli/globals.h"
#include "cli/help_text.h"
#include "cli/parse.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

constexpr int kSignalBase = 128;  // a shell's status of a program that a signal ended

// The value of an option that matters before the words are parsed: an error in them should already
// look as they ask.
std::string early_value(std::span<const std::string> words, const std::string& option,
                        std::string value) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == option && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with(option + '=')) value = words[i].substr(option.size() + 1);
  }
  return value;
}

void adjust(Diagnostics& diagnostics, const std::string& format, const std::string& color) {
  diagnostics.set_format(format == "json" ? ErrorFormat::kJson : ErrorFormat::kText);
  diagnostics.set_color(wants_color(color, STDERR_FILENO));
}

// Defaults, then the file, then --set, then the command line: each overrides what came before.
void settle_options(const Invocation& invocation, const Command& program, const Globals& globals) {
  apply(invocation);
  if (!globals.config.empty()) apply_config(globals.config, program);
  for (const std::string& setting : globals.set) apply_setting(setting, invocation.path);
  apply(invocation);
}

// What the options that replace the verb's work print; false when there is none.
bool answered(const Invocation& invocation, const Globals& globals) {
  for (const auto& [option, spelled, values] : invocation.uses)
    if (option->name == "color") assign(*option, values, spelled);
  if (invocation.uses_option("version")) {
    std::cout << "coppice " << version_text() << '\n';
  } else if (invocation.uses_option("help-all") || invocation.uses_option("help")) {
    const bool all = invocation.uses_option("help-all");
    std::cout << help_text(invocation.path, all ? HelpDetail::kAll : HelpDetail::kShort,
                           Paint(wants_color(globals.color, STDOUT_FILENO)));
  } else {
    return false;
  }
  return true;
}

// Runs the verb; an exception of its own is reported here, where it is known what was written.
int run_verb(const Invocation& invocation, Context& context, Diagnostics& diagnostics) {
  const Command& command = invocation.command();
  int status = 0;
  try {
    status = static_cast<int>(command.run(context));
    std::cout.flush();
  } catch (const std::ios_base::failure&) {
    throw;
  } catch (const std::exception& error) {
    status = static_cast<int>(exit_status(error));
    context.progress().end();
    std::cout.flush();
    diagnostics.error(error);
    if (command.writes_files && status != static_cast<int>(ExitStatus::kUsage))
      diagnostics.summary(context.written_text());
  }
  diagnostics.count_hidden_warnings();
  const bool saved = status == 0 || status == static_cast<int>(ExitStatus::kSkippedRecords);
  return saved && signal_received() != 0 ? kSignalBase + signal_received() : status;
}

int run_words(std::span<const std::string> words, std::vector<Command> verbs,
              Diagnostics& diagnostics) {
  Globals globals;
  const Command program = make_program(globals, std::move(verbs));
  if (words.empty()) {
    std::cerr << overview_text(program, Paint(wants_color("auto", STDERR_FILENO)));
    return static_cast<int>(ExitStatus::kUsage);
  }
  const Invocation invocation = parse(program, words);
  if (answered(invocation, globals)) {
    std::cout.flush();
    return 0;
  }
  settle_options(invocation, program, globals);
  adjust(diagnostics, globals.error_format, globals.color);
  if (globals.quiet) diagnostics.hide_warnings();
  if (globals.print_config) {
    std::cout << config_text(invocation.path) << std::flush;
    return 0;
  }
  check_complete(invocation);
  check_company(invocation);
  Context context(program, globals, diagnostics);
  return run_verb(invocation, context, diagnostics);
}

// Asked of the system, because errno may have changed while the stack was unwound.
bool reader_has_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

// stdout threw: quiet when its reader has gone, an error otherwise.
int stdout_failed(int reason, Diagnostics& diagnostics) {
  if (reader_has_gone()) return kSignalBase + SIGPIPE;
  const IoError error(concat("cannot write standard output: ", std::strerror(reason)),
                      {.code = "E503"});
  diagnostics.error(error);
  return static_cast<int>(exit_status(error));
}

}  // namespace

int run_program(std::span<const std::string> words, std::vector<Command> verbs) {
  std::ios_base::sync_with_stdio(false);
  std::cout.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  std::cerr.tie(nullptr);  // or reporting that stdout failed would flush, and throw, once more
  ignore_closed_pipes();
  Diagnostics diagnostics(std::cerr);
  adjust(diagnostics, early_value(words, "--error-format", "text"),
         early_value(words, "--color", "auto"));
  try {
    errno = 0;
    return run_words(words, std::move(verbs), diagnostics);
  } catch (const std::ios_base::failure&) {
    return stdout_failed(errno, diagnostics);
  } catch (const std::exception& error) {
    diagnostics.error(error);
    return static_cast<int>(exit_status(error));
  }
}

}  // namespace coppice::cli
