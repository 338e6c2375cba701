#include "cli/completions.h"

#include <fmt/core.h>

#include <vector>

namespace coppice::cli {

namespace {

using Path = std::vector<const Command*>;

std::string joined(const std::vector<std::string>& words, char separator) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : std::string(1, separator)) + word;
  return text;
}

// "coppice/forest/inside": how the script names a command.
std::string key(const Path& path) {
  std::vector<std::string> names;
  for (const Command* command : path) names.push_back(command->name);
  return joined(names, '/');
}

void collect_keys(Path& path, std::vector<std::string>& keys) {
  keys.push_back(key(path));
  for (const Command& verb : path.back()->verbs) {
    path.push_back(&verb);
    collect_keys(path, keys);
    path.pop_back();
  }
}

// A line of a shell case for every command: its verbs and options.
void word_cases(Path& path, std::string& out) {
  std::vector<std::string> words;
  for (const Command& verb : path.back()->verbs) words.push_back(verb.name);
  for (const Option& option : path.back()->options) words.push_back("--" + option.name);
  if (path.size() > 1)
    for (const Option& option : path.front()->options) words.push_back("--" + option.name);
  out += fmt::format("    {}) coppice_words='{}' ;;\n", key(path), joined(words, ' '));
  for (const Command& verb : path.back()->verbs) {
    path.push_back(&verb);
    word_cases(path, out);
    path.pop_back();
  }
}

// A line of a shell case for every option with a value: its choices, or nothing for a file name.
void value_cases(Path& path, std::string& out) {
  for (const Option& option : path.back()->options) {
    if (is_flag(option) || !option.bare.empty()) continue;
    const std::string command = path.size() == 1 ? "*" : key(path);
    std::string patterns = fmt::format("{}:--{}", command, option.name);
    if (option.letter != 0) patterns += fmt::format("|{}:-{}", command, option.letter);
    out += fmt::format("    {}) coppice_words='{}' ; return ;;\n", patterns,
                       joined(option.choices, ' '));
  }
  for (const Command& verb : path.back()->verbs) {
    path.push_back(&verb);
    value_cases(path, out);
    path.pop_back();
  }
}

// A function for both shells: takes the words before the one to complete, sets `coppice_words`.
std::string lookup_function(const Command& program) {
  Path path = {&program};
  std::vector<std::string> keys;
  std::string words;
  std::string values;
  collect_keys(path, keys);
  word_cases(path, words);
  value_cases(path, values);
  return fmt::format(R"(_coppice_words() {{
  local word at=coppice last=
  coppice_words=
  for word in "$@"; do
    case "$at/$word" in
      {}) at="$at/$word" ;;
    esac
    last=$word
  done
  case "$at:$last" in
{}  esac
  case "$at" in
{}  esac
}}
)",
                     joined(keys, '|'), values, words);
}

}  // namespace

std::string bash_completions(const Command& program) {
  return "# bash completion for coppice\n" + lookup_function(program) + R"(_coppice() {
  local coppice_words current=${COMP_WORDS[COMP_CWORD]}
  _coppice_words "${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "$coppice_words" -- "$current"))
}
complete -o default -F _coppice coppice
)";
}

std::string zsh_completions(const Command& program) {
  return "#compdef coppice\n" + lookup_function(program) + R"(_coppice() {
  local coppice_words
  _coppice_words "${(@)words[2,CURRENT-1]}"
  local -a found=(${=coppice_words})
  if (( $#found )) && compadd -a found; then return 0; fi
  _files
}
_coppice "$@"
)";
}

}  // namespace coppice::cli
