#include "cli/man_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/globals.h"
#include "cli/help_text.h"

namespace coppice::cli {

namespace {

using Path = std::vector<const Command*>;

// Text as roff reads it: backslashes, dashes, and dots at the start of a line are protected.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find("\n\n", at), text.size());
    out += ".PP\n" + roff(text.substr(at, stop - at)) + '\n';
    at = stop + 2;
  }
  return out;
}

std::string entry(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(text));
}

std::string options(const Command& command) {
  std::string out;
  for (const Option& option : command.options) {
    const std::string names = option_names(option);
    out += entry(names.substr(names.find_first_not_of(' ')), option_help(option));
  }
  return out;
}

std::string examples(const Command& command) {
  std::string out;
  for (const Example& example : command.examples) out += entry(example.command, example.what);
  return out;
}

std::string full_name(std::span<const Command* const> path, std::string_view separator) {
  std::string name;
  for (const Command* command : path) {
    if (!name.empty()) name += separator;
    name += command->name;
  }
  return name;
}

// Every verb below the path, as a subsection each.
std::string subsections(Path& path) {
  std::string out;
  for (const Command& verb : path.back()->verbs) {
    path.push_back(&verb);
    if (verb.verbs.empty()) {
      out += fmt::format(".SS \"{}\"\n{}\n.PP\n\\fB{}\\fR\n", roff(full_name(path, " ")),
                         roff(verb.summary), roff(usage_line(path)));
      out += paragraphs(verb.help) + options(verb) + examples(verb);
    }
    out += subsections(path);
    path.pop_back();
  }
  return out;
}

std::string exit_statuses() {
  return ".SH \"EXIT STATUS\"\n" + entry("0", "done") +
         entry("1", "internal or unexpected failure") +
         entry("2", "usage: unknown command, option, key or value") +
         entry("3", "input data malformed") +
         entry("4", "model or rule file missing, corrupt, of the wrong task or version") +
         entry("5", "resources: cannot open or write, disk full, out of memory") +
         entry("6", "finished, but some records were skipped") +
         entry("7", "a requested check failed") +
         entry("130, 143", "interrupted by SIGINT or SIGTERM after saving") +
         entry("141", "the reader of standard output went away");
}

}  // namespace

std::string man_page(std::span<const Command* const> path) {
  const Command& command = *path.back();
  Path below(path.begin(), path.end());
  std::string out = fmt::format(".TH \"{}\" 1 \"\" \"coppice {}\" \"User Commands\"\n",
                                full_name(path, "-"), version_text());
  out += fmt::format(".SH NAME\n{} \\- {}\n", full_name(path, "-"), roff(command.summary));
  out += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR\n", roff(usage_line(path)));
  if (!command.help.empty()) out += ".SH DESCRIPTION\n" + paragraphs(command.help);
  if (!command.verbs.empty()) out += ".SH COMMANDS\n" + subsections(below);
  if (path.size() > 1 && !command.options.empty()) out += ".SH OPTIONS\n" + options(command);
  out += ".SH \"OPTIONS OF EVERY COMMAND\"\n" + options(*path.front());
  if (!command.examples.empty()) out += ".SH EXAMPLES\n" + examples(command);
  return out + exit_statuses();
}

}  // namespace coppice::cli
