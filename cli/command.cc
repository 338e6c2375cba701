#include "cli/command.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "cli/suggest.h"
#include "cli/usage_error.h"

namespace coppice::cli {

namespace {

template <class T>
struct OptionalValue : std::false_type {};
template <class T>
struct OptionalValue<std::optional<T>> : std::true_type {};

[[noreturn]] void reject(const std::string& spelled, const std::string& reason) {
  throw UsageError(spelled + ": " + reason, {.code = "E003"});
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

void check_choice(const Option& option, const std::string& value, const std::string& spelled) {
  if (option.choices.empty()) return;
  for (const std::string& choice : option.choices)
    if (choice == value) return;
  std::string ending = did_you_mean(value, option.choices);
  if (ending.empty()) ending = "; use one of " + join(option.choices, ", ");
  reject(spelled, fmt::format("unknown value \"{}\"{}", value, ending));
}

void read(const Option&, const std::string& text, bool& value, const std::string& spelled) {
  if (text != "true" && text != "false")
    reject(spelled, fmt::format("\"{}\" is neither true nor false", text));
  value = text == "true";
}

void read(const Option& option, const std::string& text, std::string& value,
          const std::string& spelled) {
  check_choice(option, text, spelled);
  value = text;
}

template <class Number>
void read(const Option& option, const std::string& text, Number& value,
          const std::string& spelled) {
  constexpr const char* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range)
    reject(spelled, fmt::format("{} is out of range", text));
  if (error != std::errc{} || stop != end || !std::isfinite(static_cast<double>(number)))
    reject(spelled, fmt::format("\"{}\" is not {}", text, kind));
  if (static_cast<double>(number) < option.min)
    reject(spelled, fmt::format("{} is too small; the least is {}", text, option.min));
  if (static_cast<double>(number) > option.max)
    reject(spelled, fmt::format("{} is too large; the most is {}", text, option.max));
  value = number;
}

template <class T>
void read(const Option& option, const std::string& text, std::optional<T>& value,
          const std::string& spelled) {
  T inner{};
  read(option, text, inner, spelled);
  value = std::move(inner);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    if (comma > begin) parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

void assign_list(const Option& option, const std::vector<std::string>& values,
                 std::vector<std::string>& list, const std::string& spelled) {
  std::vector<std::string> parts;
  for (const std::string& value : values) {
    if (option.separate || option.arity > 1) {
      parts.push_back(value);
    } else {
      for (std::string& part : split(value)) parts.push_back(std::move(part));
    }
  }
  for (const std::string& part : parts) check_choice(option, part, spelled);
  list = std::move(parts);
}

std::string text_of(const std::string& value) { return value; }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(const std::vector<std::string>& value) { return join(value, ","); }
template <class Number>
std::string text_of(const Number& value) {
  if constexpr (OptionalValue<Number>::value) {
    return value ? text_of(*value) : "";
  } else {
    return fmt::format("{}", value);
  }
}

}  // namespace

const Command* find_verb(const Command& command, std::string_view name) {
  for (const Command& verb : command.verbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

const Option* find_option(const Command& command, std::string_view name) {
  for (const Option& option : command.options)
    if (option.name == name) return &option;
  return nullptr;
}

const Option* find_option(const Command& command, char letter) {
  for (const Option& option : command.options)
    if (option.letter == letter) return &option;
  return nullptr;
}

bool is_flag(const Option& option) { return std::holds_alternative<bool*>(option.value); }

bool is_list(const Option& option) {
  return std::holds_alternative<std::vector<std::string>*>(option.value);
}

std::string value_text(const Option& option) {
  return std::visit([](const auto* value) { return text_of(*value); }, option.value);
}

void assign(const Option& option, const std::vector<std::string>& values,
            const std::string& spelled) {
  if (is_list(option)) {
    assign_list(option, values, *std::get<std::vector<std::string>*>(option.value), spelled);
    return;
  }
  if (values.empty()) reject(spelled, "needs a value");
  std::visit(
      [&](auto* value) {
        using Value = std::remove_pointer_t<decltype(value)>;
        if constexpr (!std::is_same_v<Value, std::vector<std::string>>)
          read(option, values.back(), *value, spelled);
      },
      option.value);
}

}  // namespace coppice::cli
