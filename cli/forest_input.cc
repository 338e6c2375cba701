#include "cli/forest_input.h"

#include <fmt/core.h>

#include "coppice/base/suggest.h"
#include "coppice/forest/reader.h"

namespace coppice::cli {

namespace {

bool is_of_a_record(const Error& error) {
  return error.code().starts_with("E2") || error.code().starts_with("E3");
}

ErrorDetails placed(const Error& error, const Location& where) {
  const bool has_place = !error.where().file.empty();
  return {error.code(), has_place ? error.where() : where, error.excerpt(), error.help()};
}

std::string numbered(std::size_t number) { return fmt::format("#{}", number); }

// The next record; nothing at the end of the file, or after an error, which the guard then has.
// A reader that cannot go on after an error reports it for ever: the file ends there.
class GuardedReader {
 public:
  GuardedReader(const std::string& path, RecordGuard& guard)
      : reader_(open_forests(path)), guard_(guard) {}

  std::optional<ForestRecord> next(const std::string& name) {
    try {
      auto record = reader_->next();
      at_end_ = !record;
      return record;
    } catch (const ParseError& error) {
      std::string text = to_string(error.where()) + error.what();
      at_end_ = text == last_error_;
      if (at_end_) return std::nullopt;
      last_error_ = std::move(text);
      guard_.fail(name, {}, error);
      return std::nullopt;
    }
  }
  bool at_end() const { return at_end_; }
  Location where() const { return reader_->where(); }

 private:
  std::unique_ptr<ForestReader> reader_;
  RecordGuard& guard_;
  std::string last_error_;
  bool at_end_ = false;
};

}  // namespace

Option on_error_option(std::string& on_error) {
  return {.name = "on-error",
          .value = &on_error,
          .choices = {"stop", "skip", "null"},
          .help = "bad records: end the program, leave them out, or write a null in their place"};
}

Positionals forest_files(ForestInput& input) {
  return {.values = &input.files,
          .help = "forests, as JSON lines or binary; - is standard input",
          .min = 1};
}

void RecordGuard::run(const std::string& name, const Location& where,
                      const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (!is_of_a_record(error)) throw;
    fail(name, where, error);
  }
}

void RecordGuard::fail(const std::string& name, const Location& where, const Error& error) {
  const ErrorDetails details = placed(error, where);
  if (on_error_ == "stop") throw ParseError(error.what(), details);
  ++failures_;
  context_.warn(error.what(), details);
  if (on_error_ == "null") on_failure_(name, error);
}

ExitStatus RecordGuard::status() const {
  return failures_ > 0 ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

ExitStatus for_each_forest(const ForestInput& input, Context& context, const UseForest& use,
                           const RecordGuard::OnFailure& on_failure) {
  RecordGuard guard(context, input.on_error, on_failure);
  std::size_t number = 0;
  for (const std::string& path : input.files) {
    GuardedReader reader(path, guard);
    while (true) {
      const auto record = reader.next(numbered(number + 1));
      if (reader.at_end()) break;
      ++number;
      if (!record) continue;
      const std::string name = record->id.empty() ? numbered(number) : record->id;
      guard.run(name, reader.where(), [&] { use(*record, name); });
    }
  }
  return guard.status();
}

EdgeMap<double> ValueColumn::of(const ForestRecord& record) {
  const Symbols& names = record.edge_values.names;
  if (names.find(name_)) {
    seen_ = true;
    return record.values(name_);
  }
  if (!any_record_) {
    for (SymbolId id : names.ids()) others_.emplace_back(names[id]);
  }
  any_record_ = true;
  return {record.forest.num_edges(), 0.0};
}

void ValueColumn::require_seen() const {
  if (seen_ || !any_record_) return;
  std::string known;
  for (const std::string& other : others_) known += (known.empty() ? "" : ", ") + other;
  throw InvalidArgument(
      fmt::format("no forest of the input has a value \"{}\" on an edge{}", name_,
                  did_you_mean(name_, others_)),
      {.code = "E130",
       .help = known.empty() ? "the edges have no named values" : "the first forest has " + known});
}

}  // namespace coppice::cli
