#include "coppice/text/template.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "text/template_lexis.h"

namespace coppice::text {

namespace {

constexpr std::array<FunctionInfo, 17> kFunctions{{
    {Function::kLower, "lower", Argument::kNone, Yield::kText, false, false},
    {Function::kPrefix, "prefix", Argument::kNumber, Yield::kTextOrAbsent, false, false},
    {Function::kSuffix, "suffix", Argument::kNumber, Yield::kTextOrAbsent, false, false},
    {Function::kShape, "shape", Argument::kNone, Yield::kText, false, false},
    {Function::kCollapsed, "collapsed", Argument::kNone, Yield::kText, false, false},
    {Function::kClass, "class", Argument::kNone, Yield::kText, false, false},
    {Function::kLength, "length", Argument::kNone, Yield::kText, false, false},
    {Function::kTest, "test", Argument::kRegex, Yield::kText, false, false},
    {Function::kFind, "find", Argument::kRegex, Yield::kText, false, false},
    {Function::kCluster, "cluster", Argument::kClasses, Yield::kTextOrAbsent, false, false},
    {Function::kMatch, "match", Argument::kRegex, Yield::kYes, false, true},
    {Function::kIn, "in", Argument::kList, Yield::kTextOrAbsent, false, true},
    {Function::kValue, "value", Argument::kNone, Yield::kNumber, false, true},
    {Function::kPosition, "position", Argument::kNone, Yield::kText, true, true},
    {Function::kFirst, "first", Argument::kNone, Yield::kYes, true, true},
    {Function::kLast, "last", Argument::kNone, Yield::kYes, true, true},
    {Function::kBias, "bias", Argument::kNone, Yield::kYes, true, true},
}};

std::string argument_text(const Step& step) {
  switch (info(step.function).argument) {
    case Argument::kNone:
      return "";
    case Argument::kNumber:
      return concat(",", step.number);
    case Argument::kRegex:
      return concat(",/", step.argument, step.letter_case == LetterCase::kIgnored ? "/i" : "/");
    case Argument::kList:
      return concat(",", quoted_name(step.argument));
    case Argument::kClasses:
      return concat(",", quoted_name(step.argument),
                    step.number == 0 ? "" : concat(",", step.number));
  }
  return "";
}

std::string cell_text(const Term& term, const TemplateSet& set) {
  if (term.column < set.columns.size()) {
    return concat(quoted_name(set.columns[term.column]), "[", term.offset, "]");
  }
  return concat("%x[", term.offset, ",", term.column, "]");
}

}  // namespace

const FunctionInfo& info(Function function) noexcept {
  return kFunctions[static_cast<std::size_t>(function)];
}

const FunctionInfo* find_function(std::string_view name) noexcept {
  const auto* found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                   [name](const FunctionInfo& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

std::string function_names() {
  std::string names;
  for (const FunctionInfo& function : kFunctions) {
    if (!names.empty()) names += ", ";
    names += function.name;
  }
  return names;
}

bool reads_cell(const Term& term) noexcept {
  return term.steps.empty() || !info(term.steps.front().function).of_position;
}

Yield yield(const Term& term) noexcept {
  Yield result = Yield::kText;
  for (const Step& step : term.steps) {
    const Yield own = info(step.function).yield;
    // Once absent, no later function brings a text back.
    result = result == Yield::kTextOrAbsent && own == Yield::kText ? result : own;
  }
  return result;
}

std::string to_text(const Term& term, const TemplateSet& set) {
  if (!reads_cell(term)) return concat(info(term.steps.front().function).name, "()");
  std::string text = cell_text(term, set);
  for (const Step& step : term.steps) {
    text = concat(info(step.function).name, "(", text, argument_text(step), ")");
  }
  return text;
}

std::string to_text(const Template& one, const TemplateSet& set) {
  std::string text = one.scope == Scope::kTransition ? "transition: " : "";
  if (!one.bag.empty()) text += quoted_bag(one.bag) + ": ";
  for (std::size_t i = 0; i < one.terms.size(); ++i) {
    if (i > 0) text += '|';
    text += to_text(one.terms[i], set);
  }
  return text;
}

std::string to_text(const TemplateSet& set) {
  std::string text = set.columns.empty() ? "" : "columns";
  for (const std::string& column : set.columns) text += concat(" ", quoted_name(column));
  if (!text.empty()) text += '\n';
  for (const Resource& resource : set.resources) {
    text += resource.kind == Resource::Kind::kList ? "list " : "classes ";
    text += quoted_name(resource.name) + " = " + quoted_path(resource.path) + "\n";
  }
  text += set.outside == Outside::kMark ? "outside mark\n" : "outside omit\n";
  for (const Template& one : set.templates) text += to_text(one, set) + "\n";
  if (set.transition) text += "transition\n";
  return text;
}

ResourceTexts load_resources(const TemplateSet& set, const std::string& directory) {
  ResourceTexts texts;
  for (const Resource& resource : set.resources) {
    texts[resource.name] = read_file((std::filesystem::path(directory) / resource.path).string());
  }
  return texts;
}

}  // namespace coppice::text
