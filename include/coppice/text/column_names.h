// Names of columns, as in `--columns form,pos,_,ner`. "_" is a column that nobody asks for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::text {

class ColumnNames {
 public:
  ColumnNames() = default;
  explicit ColumnNames(std::vector<std::string> names) : names_(std::move(names)) {}

  // Reads a comma-separated list. Throws InvalidArgument (E110) when the list or a name is empty,
  // a name has a blank in it, or a name other than "_" comes twice.
  static ColumnNames parse(std::string_view list);

  // For a file whose columns nobody named: the first is "form", the last of several "label", and
  // those between are "c2", "c3", ...
  static ColumnNames defaults(std::size_t num_columns);

  std::size_t size() const noexcept { return names_.size(); }
  bool empty() const noexcept { return names_.empty(); }
  const std::string& operator[](std::size_t column) const noexcept { return names_[column]; }

  // The column of that name. "_" is never found.
  std::optional<std::size_t> find(std::string_view name) const noexcept;
  // The same; throws InvalidArgument (E112), which lists the names there are, when there is none.
  std::size_t require(std::string_view name) const;

  // "form pos _ ner"
  std::string to_string() const;

  bool operator==(const ColumnNames&) const = default;

 private:
  std::vector<std::string> names_;
};

}  // namespace coppice::text
