// coppice help: commands, error codes, the manual page, completions.
#include <fmt/core.h>

#include <cctype>
#include <memory>

#include "cli/codes.h"
#include "cli/completions.h"
#include "cli/context.h"
#include "cli/help_text.h"
#include "cli/man_page.h"
#include "cli/parse.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

struct HelpOptions {
  std::vector<std::string> topic;
  bool man = false;
  std::string completions;
};

bool looks_like_code(const std::string& word) {
  return word.size() == 4 && (word[0] == 'E' || word[0] == 'e') &&
         std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

std::string explain(const std::string& code) {
  if (const CodeEntry* entry = find_code(code)) return code_text(*entry);
  throw UsageError(fmt::format("unknown error code \"{}\"", code), {.code = "E003"});
}

ExitStatus run(const HelpOptions& options, Context& context) {
  const Command& program = context.program();
  std::ostream& out = context.out();
  if (!options.completions.empty()) {
    out << (options.completions == "bash" ? bash_completions(program) : zsh_completions(program));
    return ExitStatus::kDone;
  }
  if (options.topic.size() == 1 && looks_like_code(options.topic[0])) {
    out << explain(options.topic[0]);
    return ExitStatus::kDone;
  }
  const Invocation topic = parse(program, options.topic);
  if (!topic.files.empty()) {
    throw UsageError(fmt::format("{} has no command \"{}\"", verb_name(topic.path), topic.files[0]),
                     {.code = "E001"});
  }
  out << (options.man ? man_page(topic.path)
                      : help_text(topic.path, HelpDetail::kShort, Paint(context.color())));
  return ExitStatus::kDone;
}

}  // namespace

Command help_verb() {
  auto options = std::make_shared<HelpOptions>();
  return {.name = "help",
          .summary = "explain a command or an error code",
          .group = "this program",
          .help =
              "Without a topic, lists the commands. A topic is a command, with its second word "
              "where it has one, or the code of an error.",
          .examples = {{"coppice help doctor", "what the command doctor does"},
                       {"coppice help E203", "what the error E203 means"},
                       {"source <(coppice help --completions bash)", "completion in this shell"}},
          .options = {{.name = "man",
                       .value = &options->man,
                       .help = "print a manual page (roff)",
                       .advanced = true},
                      {.name = "completions",
                       .value = &options->completions,
                       .metavar = "SHELL",
                       .choices = {"bash", "zsh"},
                       .help = "print a completion script",
                       .advanced = true}},
          .files = {.values = &options->topic, .metavar = "TOPIC", .help = "a command or a code"},
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
