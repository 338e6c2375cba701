#include "cli/parse.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "coppice/base/suggest.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

std::vector<std::string> verb_names(const Command& command) {
  std::vector<std::string> names;
  names.reserve(command.verbs.size());
  for (const Command& verb : command.verbs) names.push_back(verb.name);
  return names;
}

bool looks_like_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] != '.' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

class Parser {
 public:
  Parser(const Command& program, std::span<const std::string> words) : words_(words) {
    result_.path = {&program};
  }

  Invocation parse() && {
    bool options_ended = false;
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (options_ended || !looks_like_option(word)) {
        plain_word(word);
      } else if (word == "--") {
        options_ended = true;
      } else if (word.starts_with("--")) {
        long_option(word.substr(2));
      } else {
        letters(word.substr(1));
      }
    }
    return std::move(result_);
  }

 private:
  const Command& program() const { return *result_.path.front(); }

  void plain_word(const std::string& word) {
    const Command& command = result_.command();
    if (command.verbs.empty()) {
      result_.files.push_back(word);
    } else if (const Command* verb = find_verb(command, word)) {
      result_.path.push_back(verb);
    } else {
      const std::string of =
          result_.path.size() > 1 ? " of " + verb_name(result_.path) : std::string();
      const std::string meant = did_you_mean(word, verb_names(command));
      throw UsageError(fmt::format("unknown command \"{}\"{}{}", word, of, meant),
                       {.code = "E001", .help = meant.empty() ? commands_help() : ""});
    }
  }

  std::string commands_help() const {
    const std::string topic = result_.path.size() > 1 ? ' ' + verb_name(result_.path) : "";
    return fmt::format("coppice help{} lists the commands", topic);
  }

  [[noreturn]] void unknown_option(const std::string& spelled) const {
    std::vector<std::string> names;
    for (const Command* command : {&result_.command(), &program()})
      for (const Option& option : command->options) names.push_back(option.name);
    const std::string meant =
        spelled.starts_with("--") ? did_you_mean(spelled.substr(2), names, Quoting::kDashes) : "";
    const std::string verb = verb_name(result_.path);
    const std::string topic = result_.path.size() > 1 ? ' ' + verb : "";
    throw UsageError(
        fmt::format("{} has no option {}{}", verb, spelled, meant),
        {.code = "E002",
         .help =
             meant.empty() ? fmt::format("coppice{} --help-all lists the options", topic) : ""});
  }

  template <class Name>
  const Option& option_of(Name name, const std::string& spelled) const {
    if (const Option* option = find_option(result_.command(), name)) return *option;
    if (const Option* option = find_option(program(), name)) return *option;
    unknown_option(spelled);
  }

  void long_option(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const Option& option = option_of(std::string_view(name), "--" + name);
    if (equals != std::string::npos) {
      use(option, "--" + name, {text.substr(equals + 1)});
    } else {
      use(option, "--" + name, following_values(option, "--" + name));
    }
  }

  // -q, -qv, -j4, -o FILE: letters of flags, then at most one option with a value.
  void letters(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string spelled = std::string("-") + text[i];
      const Option& option = option_of(text[i], spelled);
      const std::string rest = text.substr(i + 1);
      if (is_flag(option)) {
        use(option, spelled, {"true"});
      } else {
        use(option, spelled,
            rest.empty() ? following_values(option, spelled) : std::vector<std::string>{rest});
        return;
      }
    }
  }

  // The words after the option that belong to it.
  std::vector<std::string> following_values(const Option& option, const std::string& spelled) {
    if (is_flag(option)) return {"true"};
    if (!option.bare.empty()) return {bare_or_choice(option)};
    std::vector<std::string> values;
    while (values.size() < option.arity && at_ < words_.size() && !looks_like_option(words_[at_]))
      values.push_back(words_[at_++]);
    if (values.size() == option.arity) return values;
    const std::string wanted =
        option.arity > 1 ? fmt::format("{} values", option.arity) : std::string("a value");
    throw UsageError(fmt::format("{} needs {}", spelled, wanted), {.code = "E004"});
  }

  // An option that may stand alone takes the next word only if that is one of its choices.
  std::string bare_or_choice(const Option& option) {
    if (at_ == words_.size()) return option.bare;
    const auto& choices = option.choices;
    if (std::find(choices.begin(), choices.end(), words_[at_]) == choices.end()) return option.bare;
    return words_[at_++];
  }

  void use(const Option& option, std::string spelled, std::vector<std::string> values) {
    result_.uses.push_back({&option, std::move(spelled), std::move(values)});
  }

  std::span<const std::string> words_;
  std::size_t at_ = 0;
  Invocation result_;
};

std::string metavar_of(const Positionals& files) {
  return files.min > 1 ? fmt::format("{} {}s", files.min, files.metavar) : "a " + files.metavar;
}

}  // namespace

bool Invocation::uses_option(std::string_view name) const {
  return std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return use.option->name == name; });
}

std::string verb_name(std::span<const Command* const> path) {
  if (path.size() == 1) return path[0]->name;
  std::string name;
  for (const Command* command : path.subspan(1)) name += (name.empty() ? "" : " ") + command->name;
  return name;
}

Invocation parse(const Command& program, std::span<const std::string> words) {
  return Parser(program, words).parse();
}

void apply(const Invocation& invocation) {
  std::map<const Option*, std::vector<std::string>> lists;  // the values of all uses so far
  for (const auto& [option, spelled, values] : invocation.uses) {
    if (is_list(*option)) {
      auto& all = lists[option];
      all.insert(all.end(), values.begin(), values.end());
      assign(*option, all, spelled);
    } else {
      assign(*option, values, spelled);
    }
  }
  const Positionals& files = invocation.command().files;
  if (files.values != nullptr) *files.values = invocation.files;
}

void check_company(const Invocation& invocation) {
  for (const auto& [option, spelled, values] : invocation.uses) {
    const std::vector<Option>& options = invocation.command().options;
    coppice::check_company(*option, options, spelled);
  }
}

void check_complete(const Invocation& invocation) {
  const Command& command = invocation.command();
  const std::string verb = verb_name(invocation.path);
  if (!command.verbs.empty()) {
    std::string names;
    for (const std::string& name : verb_names(command)) names += (names.empty() ? "" : ", ") + name;
    throw UsageError(fmt::format("{} needs a command: {}", verb, names), {.code = "E004"});
  }
  for (const Option& option : command.options) {
    if (!option.required || !value_text(option).empty()) continue;
    const std::string letter = option.letter == 0 ? "" : fmt::format("-{} or ", option.letter);
    throw UsageError(fmt::format("{} needs the option {}--{}", verb, letter, option.name),
                     {.code = "E004", .help = option.help});
  }
  const std::size_t most = command.files.values == nullptr ? 0 : command.files.max;
  if (invocation.files.size() > most) {
    throw UsageError(
        fmt::format("{}: unexpected argument \"{}\"", verb, invocation.files[most]),
        {.code = "E005", .help = fmt::format("coppice {} --help shows what it takes", verb)});
  }
  if (invocation.files.size() < command.files.min) {
    throw UsageError(fmt::format("{} needs {}", verb, metavar_of(command.files)),
                     {.code = "E004", .help = command.files.help});
  }
}

}  // namespace coppice::cli
