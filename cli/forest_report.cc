#include "cli/forest_report.h"

#include <fmt/core.h>

#include <cmath>

namespace coppice::cli {

namespace {

constexpr std::uint64_t kExactInDouble = std::uint64_t{1} << 53;

std::string text_of(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& member : value) {
    if (!text.empty()) text += ' ';
    text += text_of(member);
  }
  return text;
}

void write_failure(Context& context, const std::string& name, const Error& error) {
  context.out() << failure_line(name, error);
  context.end_record();
}

}  // namespace

std::string failure_line(const std::string& name, const Error& error) {
  const Json line = {
      {"v", 1}, {"id", name}, {"error", {{"code", error.code()}, {"message", error.what()}}}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json json_of(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  return number == 0 ? 0.0 : number;  // never -0
}

Json json_of(const BigCount& count) {
  if (count.fits_uint64() && count.to_uint64() <= kExactInDouble) return count.to_uint64();
  return count.to_string();
}

Json json_of(const SemiringValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* count = std::get_if<BigCount>(&value)) return json_of(*count);
  if (const auto* number = std::get_if<double>(&value)) return json_of(*number);
  Json list = Json::array();
  for (const double number : std::get<std::vector<double>>(value)) list.push_back(json_of(number));
  return list;
}

std::string describe(const ForestRecord& record, NodeId node) {
  const std::string_view label = record.label(node);
  std::string text = label.empty() ? fmt::format("#{}", index(node)) : std::string(label);
  if (record.has_spans())
    text += fmt::format("[{},{})", record.spans[node].begin, record.spans[node].end);
  return text;
}

std::string describe(const ForestRecord& record, EdgeId edge) {
  if (!record.label(edge).empty()) return std::string(record.label(edge));
  std::string text = describe(record, record.forest.head(edge)) + " <-";
  for (NodeId tail : record.forest.tails(edge)) text += ' ' + describe(record, tail);
  return text;
}

Json json_of(const ForestRecord& record, NodeId node) {
  Json object = {{"node", index(node)}};
  if (!record.label(node).empty()) object["label"] = record.label(node);
  if (record.has_spans()) object["span"] = {record.spans[node].begin, record.spans[node].end};
  return object;
}

RowReport::RowReport(Context& context, std::vector<std::string> columns)
    : context_(context), columns_(std::move(columns)) {
  if (context.json()) return;
  std::vector<Column> shown{{.name = "id"}};
  for (const std::string& column : columns_)
    shown.push_back({.name = column, .align = Align::kRight});
  table_.emplace(context.report_table(std::move(shown)));
}

void RowReport::row(const std::string& name, std::vector<Json> values) {
  if (!table_) {
    Json line = {{"v", 1}, {"id", name}};
    for (std::size_t i = 0; i < columns_.size(); ++i) line[columns_[i]] = std::move(values[i]);
    context_.out() << line.dump() << '\n';
    context_.end_record();
    return;
  }
  std::vector<Cell> cells{name};
  for (const Json& value : values) cells.emplace_back(text_of(value));
  table_->row(std::move(cells));
}

void RowReport::failure(const std::string& name, const Error& error) {
  if (table_) {
    row(name, std::vector<Json>(columns_.size()));
  } else {
    write_failure(context_, name, error);
  }
}

void RowReport::finish() {
  if (table_) table_->finish();
}

ExitStatus report_rows(const ForestInput& input, Context& context, std::vector<std::string> columns,
                       const RowOf& row_of, const std::function<void()>& check) {
  RowReport report(context, std::move(columns));
  ExitStatus status = ExitStatus::kDone;
  try {
    status = for_each_forest(
        input, context,
        [&](const ForestRecord& record, const std::string& name) {
          report.row(name, row_of(record));
        },
        [&](const std::string& name, const Error& error) { report.failure(name, error); });
  } catch (const Error&) {
    report.finish();  // what was found before
    throw;
  }
  if (check) check();
  report.finish();
  return status;
}

void ListReport::list(const ForestRecord& record, const std::string& name, const Json& about,
                      std::span<const Item> items) {
  if (context_.json()) return print_json(name, about, items);
  std::ostream& out = context_.out();
  if (has_printed_) out << '\n';
  has_printed_ = true;
  out << name << ':';
  if (record.tokens)
    for (const std::string& token : *record.tokens) out << ' ' << token;
  out << '\n';
  for (const auto& [key, value] : about.items()) out << key << ' ' << text_of(value) << '\n';
  print_table(items);
  context_.end_record();
}

void ListReport::print_json(const std::string& name, const Json& about,
                            std::span<const Item> items) {
  Json line = {{"v", 1}, {"id", name}};
  for (const auto& [key, value] : about.items()) line[key] = value;
  Json& list = line[key_] = Json::array();
  for (const Item& item : items) {
    Json object = item.json;
    for (std::size_t i = 0; item.json.is_null() && i < columns_.size(); ++i)
      object[columns_[i].name] = item.values[i];
    list.push_back(std::move(object));
  }
  context_.out() << line.dump() << '\n';
  context_.end_record();
}

void ListReport::print_table(std::span<const Item> items) {
  std::optional<Table> table;
  for (const Item& item : items) {
    if (!table) table.emplace(context_.report_table(columns_));
    std::vector<Cell> cells;
    cells.reserve(item.values.size());
    for (const Json& value : item.values) cells.emplace_back(text_of(value));
    table->row(std::move(cells));
    if (item.below.empty()) continue;
    table->finish();
    table.reset();
    context_.out() << item.below;
  }
  if (table) table->finish();
}

void ListReport::failure(const std::string& name, const Error& error) {
  if (context_.json()) write_failure(context_, name, error);
}

}  // namespace coppice::cli
