// coppice check: what is in data files, and what is wrong with them.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/context.h"
#include "cli/data_check.h"
#include "cli/human.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxLabels = 20;  // listed for people; --json has all

struct CheckOptions {
  text::DataOptions data;
  DerivationOptions derivations;
  std::uint64_t max_errors = 100;
  std::vector<std::string> strip;
  std::vector<std::string> files;
};

using LabelCount = std::pair<std::string, std::uint64_t>;

bool has_trees(const DataCheck& check) { return check.trees.trees > 0; }

template <class Labels>
std::vector<LabelCount> most_frequent_first(const Labels& counts) {
  std::vector<LabelCount> labels(counts.begin(), counts.end());
  std::ranges::stable_sort(labels, std::ranges::greater{}, &LabelCount::second);
  return labels;
}

// " NP 12, VP 7, ..."
template <class Labels>
std::string commonest_text(const Labels& counts) {
  const std::vector<LabelCount> labels = most_frequent_first(counts);
  std::string text;
  for (std::size_t i = 0; i < std::min(labels.size(), kMaxLabels); ++i)
    text += fmt::format("{} {} {}", i > 0 ? "," : "",
                        labels[i].first.empty() ? "(none)" : labels[i].first,
                        thousands(labels[i].second));
  return labels.size() > kMaxLabels ? text + ", ..." : text;
}

std::string labels_text(const DataCheck& check) {
  return fmt::format("{} in column {}:{}", check.labels.size(), check.label_column,
                     commonest_text(check.labels));
}

// The words that describe trees, by key.
std::vector<std::pair<const char*, std::string>> tree_lines(const TreeCheck& trees) {
  std::vector<std::pair<const char*, std::string>> lines;
  lines.emplace_back(
      "trees", fmt::format("{}, {} without words, {}", thousands(trees.trees), trees.without_words,
                           counted(trees.empty_elements, "empty element")));
  lines.emplace_back(
      "phrases", fmt::format("{} labels:{}", trees.labels.size(), commonest_text(trees.labels)));
  lines.emplace_back("chains", fmt::format("{} of two phrases or more over the same words, the "
                                           "longest of {}{}",
                                           trees.chains.size(), trees.longest_chain,
                                           trees.chains.empty() ? "" : ":") +
                                   commonest_text(trees.chains));
  lines.emplace_back("deepest",
                     fmt::format("{}, line {}", counted(trees.deepest, "phrase") + " above a word",
                                 trees.deepest_line));
  lines.emplace_back(
      "widest", fmt::format("{} children, line {}", trees.most_children, trees.most_children_line));
  return lines;
}

Json tree_json(const TreeCheck& trees) {
  Json json = {{"trees", trees.trees},
               {"without_words", trees.without_words},
               {"empty_elements", trees.empty_elements},
               {"labels", Json::object()},
               {"chains", Json::object()},
               {"longest_chain", trees.longest_chain},
               {"deepest", {{"phrases", trees.deepest}, {"line", trees.deepest_line}}},
               {"widest", {{"children", trees.most_children}, {"line", trees.most_children_line}}}};
  for (const auto& [label, count] : most_frequent_first(trees.labels))
    json["labels"][label] = count;
  for (const auto& [chain, count] : most_frequent_first(trees.chains))
    json["chains"][chain] = count;
  return json;
}

std::string scheme_text(const DataCheck& check) {
  if (check.scheme == text::Scheme::kRaw) return "none: labels of tokens, not of spans";
  const char* scheme = text::to_string(check.scheme);
  if (check.broken_labels == 0) return fmt::format("{}, unbroken", scheme);
  return fmt::format("{}, broken {}", scheme, counted(check.broken_labels, "time"));
}

void print_file(const DataCheck& check, std::uint64_t repeated, Context& context) {
  const auto line = [&](const char* key, const std::string& text) {
    context.out() << fmt::format("  {:<10} {}\n", key, text);
  };
  const text::ReadCounts& counts = check.counts;
  context.out() << check.name << '\n';
  line("read as", check.description);
  line("size", fmt::format("{}, {}, {}", counted(counts.sentences, "sentence"),
                           counted(counts.tokens, "token"), counted(counts.documents, "document")));
  if (counts.skipped > 0)
    line("bad", fmt::format("{}, not counted above", counted(counts.skipped, "sentence")));
  if (check.longest > 0)
    line("longest",
         fmt::format("{}, line {}", counted(check.longest, "token"), check.longest_line));
  if (!check.labels.empty()) {
    line("labels", labels_text(check));
    line("scheme", scheme_text(check));
  }
  if (has_trees(check))
    for (const auto& [key, text] : tree_lines(check.trees)) line(key, text);
  if (repeated > 0) line("repeated", fmt::format("{}", counted(repeated, "sentence")));
  if (check.odd_characters > 0)
    line("odd", fmt::format("{} (U+FFFD or control) in words, the first in line {}",
                            counted(check.odd_characters, "character"), check.odd_line));
}

std::string shared_text(const std::string& first, const std::string& second,
                        const SentenceRegister::Shared& shared) {
  return fmt::format("shared: {} of {} {} in {} too; the first is {}:{} and {}:{}",
                     counted(shared.count, "sentence"), second, shared.count == 1 ? "is" : "are",
                     first, first, shared.line_in_first, second, shared.line_in_second);
}

Json problem_json(const ParseError& problem) {
  const auto known = [](std::size_t number) { return number > 0 ? Json(number) : Json(); };
  return {{"code", problem.code()},
          {"line", known(problem.where().line)},
          {"column", known(problem.where().column)},
          {"message", problem.what()},
          {"excerpt", problem.excerpt()}};
}

Json file_json(const DataCheck& check, std::uint64_t repeated) {
  const text::ReadCounts& counts = check.counts;
  Json file = {{"file", check.name},
               {"read_as", check.description},
               {"sentences", counts.sentences},
               {"tokens", counts.tokens},
               {"documents", counts.documents},
               {"skipped", counts.skipped},
               {"repeated", repeated},
               {"longest", {{"tokens", check.longest}, {"line", check.longest_line}}},
               {"odd_characters", check.odd_characters},
               {"label_column", check.label_column.empty() ? Json() : Json(check.label_column)},
               {"scheme", check.labels.empty() ? Json() : Json(text::to_string(check.scheme))},
               {"broken_labels", check.broken_labels},
               {"labels", Json::object()},
               {"num_problems", check.num_problems},
               {"problems", Json::array()}};
  for (const auto& [label, count] : most_frequent_first(check.labels))
    file["labels"][label] = count;
  file["trees"] = has_trees(check) ? tree_json(check.trees) : Json();
  for (const ParseError& problem : check.problems)
    file["problems"].push_back(problem_json(problem));
  return file;
}

class Report {
 public:
  Report(const CheckOptions& options, Context& context) : context_(context) {
    for (const std::string& path : options.files)
      checks_.push_back(
          check_data(path, {options.data, options.derivations, text::tree_edits(options.strip)},
                     options.max_errors, checks_.size(), sentences_));
    if (!options.strip.empty() && std::ranges::none_of(checks_, &has_trees))
      throw UsageError("--strip is for trees, and the data has none", {.code = "E006"});
  }

  std::uint64_t num_problems() const {
    std::uint64_t count = 0;
    for (const DataCheck& check : checks_) count += check.num_problems;
    return count;
  }

  void print() const {
    for (const DataCheck& check : checks_) {
      for (const ParseError& problem : check.problems) context_.report(problem);
      if (check.num_problems > check.problems.size())
        context_.talk("{} more in {}; --max-errors shows more",
                      counted(check.num_problems - check.problems.size(), "problem"), check.name);
    }
    for (std::size_t i = 0; i < checks_.size(); ++i) print_file(checks_[i], repeated(i), context_);
    for (const auto& [pair, shared] : sentences_.shared()) {
      const auto& [first, second] = pair;
      if (first == second) continue;
      context_.out() << shared_text(checks_[first].name, checks_[second].name, shared) << '\n';
    }
    context_.out() << counted(num_problems(), "problem") << '\n';
  }

  Json json() const {
    Json document = {{"v", 1},
                     {"files", Json::array()},
                     {"shared", Json::array()},
                     {"problems", num_problems()}};
    for (std::size_t i = 0; i < checks_.size(); ++i)
      document["files"].push_back(file_json(checks_[i], repeated(i)));
    for (const auto& [pair, shared] : sentences_.shared())
      if (pair.first != pair.second)
        document["shared"].push_back({{"first", checks_[pair.first].name},
                                      {"second", checks_[pair.second].name},
                                      {"count", shared.count},
                                      {"line_in_first", shared.line_in_first},
                                      {"line_in_second", shared.line_in_second}});
    return document;
  }

 private:
  std::uint64_t repeated(std::size_t file) const {
    const auto found = sentences_.shared().find({file, file});
    return found == sentences_.shared().end() ? 0 : found->second.count;
  }

  Context& context_;
  SentenceRegister sentences_;
  std::vector<DataCheck> checks_;
};

ExitStatus run(const CheckOptions& options, Context& context) {
  const Report report(options, context);
  if (context.json())
    context.out() << report.json().dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else
    report.print();
  return report.num_problems() > 0 ? ExitStatus::kCheckFailed : ExitStatus::kDone;
}

}  // namespace

Command check_verb() {
  auto options = std::make_shared<CheckOptions>();
  std::vector<Option> list = text::data_options_without_skipping(options->data);
  for (Option& option : derivation_options(options->derivations)) list.push_back(std::move(option));
  list.push_back({.name = "max-errors",
                  .value = &options->max_errors,
                  .metavar = "N",
                  .help = "list at most N problems of a file; all are counted"});
  list.push_back({.name = "strip",
                  .value = &options->strip,
                  .choices = {"functions", "traces", "repeats", "unary-top"},
                  .help = "of trees, before they are described: functions, traces, repeats (a "
                          "phrase over its like), unary-top (the outermost bracket)"});
  return {.name = "check",
          .summary = "describe data and list its problems",
          .group = "data",
          .help =
              "Reads all of the files, lists every problem with its line, and says what is in "
              "them: format, sizes, labels, the scheme of the labels and where they break it. "
              "Sentences that stand in two of the files are reported, because test data that was "
              "trained on gives scores that are too good.\n\n"
              "The status is 7 when there are problems.",
          .examples = {{"coppice check train.conll test.conll", "both files, and what they share"},
                       {"coppice check train.conll --columns form,pos,_,ner", "with columns named"},
                       {"coppice check train.mrg --strip functions,traces", "trees"}},
          .options = list,
          .files = {.values = &options->files, .help = "data files; - is stdin", .min = 1},
          .reports = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli
