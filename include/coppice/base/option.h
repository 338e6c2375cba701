// Options as data: a name, a variable, what it may be. Whoever takes options reads these
// declarations: the command line (parsing, help, manual page, completions, configuration files) and
// Python (keyword arguments, with '_' for '-').
//
// An option is bound to a variable, whose value at declaration is the default. The type of the
// variable is the type of the option:
//
//     bool                  a flag: --force, or --force=false
//     int, int64, uint64    a whole number
//     double                a finite number
//     std::string           any text, or one of `choices`
//     vector<string>        a list: --metrics bleu,chrf, or given several times; see `separate`
//     optional<T>           T is int64, uint64, double or string: a value without a default
//
// Messages name options as the command line spells them, "--max-span".
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace coppice {

using OptionTarget = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*,
                                  std::vector<std::string>*, std::optional<std::int64_t>*,
                                  std::optional<std::uint64_t>*, std::optional<double>*,
                                  std::optional<std::string>*>;

// What another option of the same list must be for an option to have any use: one of `values`, or
// for a list, to hold one of them. {"of", {"risk"}}, or {"json", {"false"}} for what --json
// excludes.
struct Company {
  std::string option{};  // long name; empty: none is needed
  std::vector<std::string> values{};
};

struct Option {
  std::string name;  // long name and TOML key, such as "max-span"
  char letter = 0;   // short name, for the common ones only
  OptionTarget value;
  std::string metavar{};               // what stands for the value in the help: "FILE"
  std::vector<std::string> choices{};  // the only values allowed, when not empty
  std::string help;                    // starts in lower case, no full stop
  bool advanced = false;               // shown by --help-all only
  bool required = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string bare{};     // the value of the option when given without one, as in --draw
  std::size_t arity = 1;  // lists: so many arguments follow each use, as in --dev dev.fr dev.en
  bool separate = false;  // lists: values are not split at commas (file names)
  Company only_with{};    // given without it, the option is refused
};

// The option of that long name, or null.
const Option* find_option(std::span<const Option> options, std::string_view name);

// Puts `more` before the option of that name, or at the end when there is none: options are listed
// in the order in which a reader of the help looks for them.
void insert_before(std::vector<Option>& options, std::string_view name, std::vector<Option> more);

bool is_flag(const Option& option);
bool is_list(const Option& option);

// The bound value as text: "" for an empty string, list or optional; lists are joined by commas.
std::string value_text(const Option& option);

// Sets the bound variable. A list takes all of `values` in place of what it held, anything else
// the last one. Throws UsageError E003, whose message begins with `spelled` ("--beam").
void assign(const Option& option, const std::vector<std::string>& values,
            const std::string& spelled);

// Throws UsageError E006 when `option`, one of `options`, was given and has no use beside the
// values of the others; see Company. The message begins with `spelled`.
void check_company(const Option& option, std::span<const Option> options,
                   const std::string& spelled);

}  // namespace coppice
