#include "coppice/text/column_names.h"

#include <algorithm>

#include "coppice/base/error.h"
#include "text/lines.h"

namespace coppice::text {

namespace {

[[noreturn]] void refuse(std::string_view list, const std::string& fault) {
  throw InvalidArgument(concat("column list \"", list, "\": ", fault),
                        {.code = "E110", .help = "write names and commas: form,pos,_,ner"});
}

}  // namespace

ColumnNames ColumnNames::parse(std::string_view list) {
  if (list.empty()) refuse(list, "it is empty");
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string name(list.substr(begin, end - begin));
    if (name.empty()) refuse(list, concat("name ", names.size() + 1, " is empty"));
    if (std::any_of(name.begin(), name.end(), is_blank)) {
      refuse(list, concat("name ", names.size() + 1, " has a blank in it"));
    }
    if (name != "_" && std::find(names.begin(), names.end(), name) != names.end()) {
      refuse(list, concat("\"", name, "\" comes twice"));
    }
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return ColumnNames(std::move(names));
}

ColumnNames ColumnNames::defaults(std::size_t num_columns) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= num_columns; ++i) {
    names.push_back(i == 1 ? "form" : i == num_columns ? "label" : concat("c", i));
  }
  return ColumnNames(std::move(names));
}

std::optional<std::size_t> ColumnNames::find(std::string_view name) const noexcept {
  if (name == "_") return std::nullopt;
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::size_t ColumnNames::require(std::string_view name) const {
  if (const auto column = find(name)) return *column;
  throw InvalidArgument(concat("there is no column \"", name, "\""),
                        {.code = "E112", .help = concat("the columns are: ", to_string())});
}

std::string ColumnNames::to_string() const {
  std::string text;
  for (const std::string& name : names_) text.append(text.empty() ? "" : " ").append(name);
  return text;
}

}  // namespace coppice::text
