// How the verbs on forest files print their results: tables for people, and with --json one object
// a record and line, {"v":1,"id":"s1", ...}.
//
// JSON: minus and plus infinity are "-inf" and "inf", what is undefined is null, and a count that a
// double cannot hold is a string of digits. Tables: six digits, "-" for null.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/forest_input.h"
#include "coppice/base/big_count.h"
#include "coppice/base/error.h"
#include "coppice/forest/named_semiring.h"
#include "coppice/forest/record.h"

namespace coppice::cli {

using Json = nlohmann::ordered_json;

Json json_of(double number);
Json json_of(const BigCount& count);
Json json_of(const SemiringValue& value);

// {"v":1,"id":"s7","error":{"code":"E301","message":"..."}}, and '\n'.
std::string failure_line(const std::string& name, const Error& error);

// "NP[0,2)", "NP", or "#3" where the node has no label.
std::string describe(const ForestRecord& record, NodeId node);
// The label, or "NP[0,2) <- Det[0,1) N[1,2)" where the edge has none.
std::string describe(const ForestRecord& record, EdgeId edge);
// {"label":"NP","span":[0,2]}, as far as there is one.
Json json_of(const ForestRecord& record, NodeId node);

// One row a record: its name, and a value for each column.
class RowReport {
 public:
  RowReport(Context& context, std::vector<std::string> columns);

  void row(const std::string& name, std::vector<Json> values);
  // A row of nulls, or the failure_line.
  void failure(const std::string& name, const Error& error);
  void finish();

 private:
  Context& context_;
  std::vector<std::string> columns_;
  std::optional<Table> table_;
};

// Reports a row for every record of the input: the values that `row_of` gives for the columns.
// `check` runs when all records have been seen, before anything of a table is shown. Where an error
// ends the program, the rows before it are shown.
using RowOf = std::function<std::vector<Json>(const ForestRecord& record)>;
ExitStatus report_rows(const ForestInput& input, Context& context, std::vector<std::string> columns,
                       const RowOf& row_of, const std::function<void()>& check = {});

// A list a record: its name and tokens, a line about the whole, then a table of rows. In JSON the
// list stands under `key`, and beside it what `about` holds.
class ListReport {
 public:
  ListReport(Context& context, std::string key, std::vector<Column> columns)
      : context_(context), key_(std::move(key)), columns_(std::move(columns)) {}

  struct Item {
    std::vector<Json> values;  // one a column
    Json json{};               // the object, where it is not just columns and values
    std::string below{};       // lines for people that follow the row
  };
  void list(const ForestRecord& record, const std::string& name, const Json& about,
            std::span<const Item> items);
  void failure(const std::string& name, const Error& error);

 private:
  void print_json(const std::string& name, const Json& about, std::span<const Item> items);
  void print_table(std::span<const Item> items);

  Context& context_;
  std::string key_;
  std::vector<Column> columns_;
  bool has_printed_ = false;
};

}  // namespace coppice::cli
