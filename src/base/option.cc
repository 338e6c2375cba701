#include "coppice/base/option.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <iterator>
#include <type_traits>
#include <utility>

#include "coppice/base/suggest.h"
#include "coppice/base/usage_error.h"

namespace coppice {

namespace {

template <class T>
struct OptionalValue : std::false_type {};
template <class T>
struct OptionalValue<std::optional<T>> : std::true_type {};

// The fewest digits that read back as the same number; without an exponent where that is readable.
std::string number_text(double value) {
  std::array<char, 64> digits{};
  const double size = std::abs(value);
  const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e16);
  char* const begin = digits.data();
  char* const end = begin + digits.size();
  return {begin, is_plain ? std::to_chars(begin, end, value, std::chars_format::fixed).ptr
                          : std::to_chars(begin, end, value).ptr};
}
std::string number_text(std::integral auto value) { return std::to_string(value); }

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
  reject(spelled, concat("unknown value \"", value, "\"", ending));
}

void read(const Option&, const std::string& text, bool& value, const std::string& spelled) {
  if (text != "true" && text != "false")
    reject(spelled, concat("\"", text, "\" is neither true nor false"));
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
  if (error == std::errc::result_out_of_range) reject(spelled, text + " is out of range");
  if (error != std::errc{} || stop != end || !std::isfinite(static_cast<double>(number)))
    reject(spelled, concat("\"", text, "\" is not ", kind));
  if (static_cast<double>(number) < option.min)
    reject(spelled, concat(text, " is too small; the least is ", number_text(option.min)));
  if (static_cast<double>(number) > option.max)
    reject(spelled, concat(text, " is too large; the most is ", number_text(option.max)));
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
    return number_text(value);
  }
}

bool is_in_company(const Company& company, const Option& other) {
  const std::string text = value_text(other);
  const auto is_met = [&](const std::string& value) {
    if (!is_list(other)) return text == value;
    const auto& list = *std::get<std::vector<std::string>*>(other.value);
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  return std::any_of(company.values.begin(), company.values.end(), is_met);
}

// "does not go with --json", "goes only with --of risk or annealed-risk, not with logz".
std::string company_text(const Company& company, const Option& other) {
  if (is_flag(other)) {
    const bool wanted = company.values.front() == "true";
    return concat(wanted ? "goes only with" : "does not go with", " --", other.name);
  }
  std::string wanted;
  for (const std::string& value : company.values) wanted += (wanted.empty() ? "" : " or ") + value;
  return concat("goes only with --", other.name, " ", wanted, ", not with ", value_text(other));
}

}  // namespace

const Option* find_option(std::span<const Option> options, std::string_view name) {
  for (const Option& option : options)
    if (option.name == name) return &option;
  return nullptr;
}

void insert_before(std::vector<Option>& options, std::string_view name, std::vector<Option> more) {
  const auto place = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.name == name; });
  options.insert(place, std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
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

void check_company(const Option& option, std::span<const Option> options,
                   const std::string& spelled) {
  const Company& company = option.only_with;
  if (company.option.empty() || (is_flag(option) && value_text(option) == "false")) return;
  const Option& other = *find_option(options, company.option);
  if (is_in_company(company, other)) return;
  throw UsageError(concat(spelled, " ", company_text(company, other)), {.code = "E006"});
}

}  // namespace coppice
