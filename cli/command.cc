#include "cli/command.h"

#include <string_view>

namespace coppice::cli {

const Command* find_verb(const Command& command, std::string_view name) {
  for (const Command& verb : command.verbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

const Option* find_option(const Command& command, std::string_view name) {
  return coppice::find_option(command.options, name);
}

const Option* find_option(const Command& command, char letter) {
  for (const Option& option : command.options)
    if (option.letter == letter) return &option;
  return nullptr;
}

}  // namespace coppice::cli
