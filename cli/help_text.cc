#include "cli/help_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/human.h"

namespace coppice::cli {

namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kWidestNames = 26;  // wider names have a line of their own

using Entry = std::pair<std::string, std::string>;  // what stands left and right

// Two columns, the right one wrapped.
std::string entries_text(const std::vector<Entry>& entries) {
  std::size_t left = 0;
  for (const auto& [name, help] : entries)
    if (width(name) <= kWidestNames) left = std::max(left, width(name));
  const std::size_t indent = left + 4;
  std::string text;
  for (const auto& [name, help] : entries) {
    std::string right = wrapped(help, kColumns, indent);
    text += "  ";
    text += name;
    if (width(name) <= left && !right.empty()) {
      text += right.substr(2 + width(name));
    } else {
      text += '\n';
      text += right;
    }
  }
  return text;
}

std::string section(std::string_view title, const std::string& body, const Paint& paint) {
  return body.empty() ? "" : '\n' + paint.bold(title) + '\n' + body;
}

std::string options_text(const Command& command, HelpDetail detail) {
  std::vector<Entry> entries;
  for (const Option& option : command.options) {
    if (option.advanced && detail == HelpDetail::kShort) continue;
    entries.emplace_back(option_names(option), option_help(option));
  }
  return entries_text(entries);
}

std::string verbs_text(const Command& command) {
  std::vector<Entry> entries;
  entries.reserve(command.verbs.size());
  for (const Command& verb : command.verbs) entries.emplace_back(verb.name, verb.summary);
  return entries_text(entries);
}

std::string examples_text(const Command& command) {
  std::string text;
  for (const Example& example : command.examples)
    text += "  " + example.command + '\n' + wrapped(example.what, kColumns, 6);
  return text;
}

std::string files_text(const Positionals& files) {
  if (files.values == nullptr || files.help.empty()) return "";
  return entries_text({{files.metavar, files.help}});
}

std::string program_text(const Command& program, HelpDetail detail, const Paint& paint) {
  std::string text = overview_text(program, paint);
  if (detail == HelpDetail::kAll)
    text += section("options of every command:", options_text(program, detail), paint);
  return text;
}

}  // namespace

std::string option_names(const Option& option) {
  std::string text = option.letter == 0 ? "    " : fmt::format("-{}, ", option.letter);
  text += "--" + option.name;
  if (is_flag(option)) return text;
  const std::string metavar = !option.metavar.empty()   ? option.metavar
                              : !option.choices.empty() ? "CHOICE"
                                                        : "VALUE";
  if (!option.bare.empty()) return text + "[=" + metavar + ']';
  for (std::size_t i = 0; i < option.arity; ++i) text += ' ' + metavar;
  return text;
}

std::string option_help(const Option& option) {
  std::string text = option.help;
  if (!option.choices.empty()) {
    text += ':';
    for (std::size_t i = 0; i < option.choices.size(); ++i)
      text += (i == 0 ? " " : ", ") + option.choices[i];
  }
  if (option.required) return text + " (required)";
  const std::string value = value_text(option);
  if (value.empty() || value == "false") return text;
  return text + (is_flag(option) ? " (default)" : fmt::format(" (default: {})", value));
}

std::string usage_line(std::span<const Command* const> path) {
  std::string text;
  for (const Command* command : path) text += (text.empty() ? "" : " ") + command->name;
  const Command& command = *path.back();
  if (!command.verbs.empty()) return text + " COMMAND [options]";
  text += " [options]";
  for (const Option& option : command.options)
    if (option.required) text += ' ' + option_names(option).substr(4);
  const Positionals& files = command.files;
  if (files.values == nullptr) return text;
  const std::string repeat = files.max > 1 ? "..." : "";
  return text + (files.min == 0 ? fmt::format(" [{}{}]", files.metavar, repeat)
                                : fmt::format(" {}{}", files.metavar, repeat));
}

std::string overview_text(const Command& program, const Paint& paint) {
  std::string text = fmt::format("{} - {}\n\nusage: {} COMMAND [options] [FILE...]\n",
                                 paint.bold(program.name), program.summary, program.name);
  std::vector<std::string> groups;
  for (const Command& verb : program.verbs)
    if (std::find(groups.begin(), groups.end(), verb.group) == groups.end())
      groups.push_back(verb.group);
  for (const std::string& group : groups) {
    std::vector<Entry> entries;
    for (const Command& verb : program.verbs)
      if (verb.group == group) entries.emplace_back(fmt::format("{:<10}", verb.name), verb.summary);
    text += section(group + ':', entries_text(entries), paint);
  }
  return text + "\ncoppice COMMAND --help tells more; coppice help E203 explains an error.\n";
}

std::string help_text(std::span<const Command* const> path, HelpDetail detail, const Paint& paint) {
  const Command& program = *path.front();
  if (path.size() == 1) return program_text(program, detail, paint);
  const Command& command = *path.back();
  std::string title;
  for (const Command* word : path) title += (title.empty() ? "" : " ") + word->name;
  std::string text = wrapped(fmt::format("{} - {}", title, command.summary), kColumns, 0);
  text += fmt::format("\nusage: {}\n", usage_line(path));
  if (!command.help.empty()) text += '\n' + wrapped(command.help, kColumns, 0);
  text += section("commands:", verbs_text(command), paint);
  text += section("arguments:", files_text(command.files), paint);
  text += section("options:", options_text(command, detail), paint);
  text += section("options of every command:", options_text(program, detail), paint);
  text += section("examples:", examples_text(command), paint);
  return text;
}

}  // namespace coppice::cli
