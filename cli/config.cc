#include "cli/config.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <sstream>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/globals.h"
#include "cli/parse.h"
#include "coppice/base/file.h"
#include "coppice/base/suggest.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

Location location(const std::string& file, const toml::source_region& source) {
  return {.file = file, .line = source.begin.line, .column = source.begin.column};
}

std::vector<std::string> key_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options)
    if (is_configurable(option)) names.push_back(option.name);
  for (const Command& verb : command.verbs) names.push_back(verb.name);
  return names;
}

const Option* find_configurable(const Command& command, std::string_view name) {
  const Option* option = find_option(command, name);
  return option != nullptr && is_configurable(*option) ? option : nullptr;
}

// "train.tag", or "" for the program.
std::string table_name(std::span<const Command* const> path) {
  std::string name;
  for (const Command* command : path.subspan(1)) name += (name.empty() ? "" : ".") + command->name;
  return name;
}

// One walk through a file. The path leads to the command whose table is being read.
class ConfigReader {
 public:
  ConfigReader(const std::string& file, const Command& program) : file_(file), path_{&program} {}

  void read(const toml::table& table) {
    const Command& command = *path_.back();
    for (const auto& [key, node] : table) {
      const Command* verb = find_verb(command, key.str());
      if (verb != nullptr && node.is_table()) {
        path_.push_back(verb);
        read(*node.as_table());
        path_.pop_back();
      } else if (const Option* option = find_configurable(command, key.str())) {
        set(*option, node);
      } else if (verb != nullptr) {
        throw UsageError(fmt::format("{}: expected a table of options", key.str()),
                         {.code = "E102", .where = location(file_, node.source())});
      } else {
        unknown(key);
      }
    }
  }

 private:
  [[noreturn]] void unknown(const toml::key& key) const {
    const std::string table = table_name(path_);
    const std::string in = table.empty() ? "" : fmt::format(" in [{}]", table);
    throw UsageError(fmt::format("unknown key \"{}\"{}{}", key.str(), in,
                                 did_you_mean(key.str(), key_names(*path_.back()))),
                     {.code = "E101", .where = location(file_, key.source())});
  }

  void set(const Option& option, const toml::node& node) const {
    try {
      assign(option, values(option, node), option.name);
    } catch (const UsageError& error) {
      throw UsageError(error.what(), {.code = "E102", .where = location(file_, node.source())});
    }
  }

  static std::vector<std::string> values(const Option& option, const toml::node& node) {
    std::vector<std::string> texts;
    if (is_list(option) && node.is_array()) {
      for (const toml::node& item : *node.as_array()) texts.push_back(text(option, item));
    } else {
      texts.push_back(text(option, node));
    }
    return texts;
  }

  static std::string text(const Option& option, const toml::node& node) {
    if (const auto* string = node.as_string()) return string->get();
    if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
    if (const auto* floating = node.as_floating_point()) return fmt::format("{}", floating->get());
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    throw UsageError(option.name + ": expected a single value");
  }

  std::string file_;
  std::vector<const Command*> path_;
};

template <class T>
std::string toml_text(const T& value) {
  std::ostringstream out;
  out << toml::toml_formatter(value, toml::format_flags::none);
  return out.str();
}

std::string toml_value(const Option& option) {
  const auto text = [](const auto* value) -> std::string {
    using Value = std::remove_cvref_t<decltype(*value)>;
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      toml::array array;
      for (const std::string& item : *value) array.push_back(item);
      return toml_text(array);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      return toml_text(toml::value<std::string>(*value));
    } else if constexpr (std::is_same_v<Value, std::optional<std::string>>) {
      return toml_text(toml::value<std::string>(value->value_or("")));
    } else {
      return "";  // numbers and booleans are written alike in TOML and on the command line
    }
  };
  const std::string quoted = std::visit(text, option.value);
  return quoted.empty() ? value_text(option) : quoted;
}

// Unset: an optional without a value, or a choice not made.
bool is_set(const Option& option) {
  const auto has_value = [](const auto* value) {
    if constexpr (requires { value->has_value(); }) return value->has_value();
    return true;
  };
  if (!option.choices.empty() && !is_list(option)) return !value_text(option).empty();
  return std::visit(has_value, option.value);
}

std::string options_text(const Command& command) {
  std::string text;
  for (const Option& option : command.options) {
    if (!is_configurable(option)) continue;
    text += is_set(option) ? fmt::format("{} = {}\n", option.name, toml_value(option))
                           : fmt::format("# {} is not set\n", option.name);
  }
  return text;
}

}  // namespace

void apply_config(const std::string& path, const Command& program) {
  const std::string content = read_file(path);
  toml::table table;
  try {
    table = toml::parse(content, path);
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("not TOML: {}", error.description()),
                     {.code = "E103", .where = location(path, error.source())});
  }
  ConfigReader(path, program).read(table);
}

void apply_setting(const std::string& setting, std::span<const Command* const> path) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) {
    throw UsageError(fmt::format("--set: expected KEY=VALUE, found \"{}\"", setting),
                     {.code = "E003"});
  }
  std::string key = setting.substr(0, equals);
  const std::string qualifier = table_name(path) + '.';
  if (key.starts_with(qualifier)) key.erase(0, qualifier.size());
  const Option* option = find_configurable(*path.back(), key);
  if (option == nullptr) option = find_configurable(*path.front(), key);
  if (option == nullptr) {
    throw UsageError(fmt::format("--set: {} has no key \"{}\"{}", verb_name(path), key,
                                 did_you_mean(key, key_names(*path.back()))),
                     {.code = "E101"});
  }
  assign(*option, {setting.substr(equals + 1)}, "--set " + key);
}

std::string config_text(std::span<const Command* const> path) {
  std::string text = options_text(*path.front());
  if (path.size() > 1 && !path.back()->options.empty())
    text += fmt::format("\n[{}]\n{}", table_name(path), options_text(*path.back()));
  return text;
}

}  // namespace coppice::cli
