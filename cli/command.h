// How a verb declares itself. Parsing, help, manual page, completions and configuration files are
// all read off these declarations; a verb adds a file and a line in verbs.cc (docs/command-line.md
// has a worked example).
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
// The variables live in a struct that the verb's `run` keeps alive (a shared_ptr in the lambda).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace coppice::cli {

class Context;

// What the program tells its caller. 130 and 143 (interrupted) and 141 (closed pipe) are added by
// the frame, not by verbs.
enum class ExitStatus : int {
  kDone = 0,
  kInternal = 1,
  kUsage = 2,
  kData = 3,
  kModel = 4,
  kResources = 5,
  kSkippedRecords = 6,
  kCheckFailed = 7,
};

using OptionTarget = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*,
                                  std::vector<std::string>*, std::optional<std::int64_t>*,
                                  std::optional<std::uint64_t>*, std::optional<double>*,
                                  std::optional<std::string>*>;

// What another option of the same verb must be for an option to have any use: one of `values`, or
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
  Company only_with{};    // given on the command line without it, the option is refused
};

// The arguments that are not options.
struct Positionals {
  std::vector<std::string>* values = nullptr;  // none are accepted when null
  std::string metavar = "FILE";
  std::string help{};
  std::size_t min = 0;
  std::size_t max = std::numeric_limits<std::size_t>::max();
};

struct Example {
  std::string command;
  std::string what;
};

struct Command {
  std::string name;
  std::string summary;  // one line, starts in lower case, no full stop
  std::string group{};  // heading in `coppice help`; top-level verbs only
  std::string help{};   // paragraphs separated by an empty line; wrapped for the reader
  std::vector<Example> examples{};
  std::vector<Option> options{};
  Positionals files{};
  bool reports = false;          // adds --json; see Context::json
  bool writes_files = false;     // adds --force; see Context::output_file
  std::vector<Command> verbs{};  // nested verbs; such a command has no run, options or files
  std::function<ExitStatus(Context&)> run{};
};

// The nested verb of that name, or null.
const Command* find_verb(const Command& command, std::string_view name);
// The option of that long or short name, or null.
const Option* find_option(const Command& command, std::string_view name);
const Option* find_option(const Command& command, char letter);

bool is_flag(const Option& option);
bool is_list(const Option& option);

// The bound value as text: "" for an empty string, list or optional; lists are joined by commas.
std::string value_text(const Option& option);

// Sets the bound variable. A list takes all of `values` in place of what it held, anything else
// the last one. Throws UsageError E003, whose message begins with `spelled` ("--beam").
void assign(const Option& option, const std::vector<std::string>& values,
            const std::string& spelled);

}  // namespace coppice::cli
