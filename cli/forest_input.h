// What the verbs on forest files have in common: which files they read, and what becomes of records
// that cannot be read or worked on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "coppice/base/error.h"
#include "coppice/forest/record.h"

namespace coppice::cli {

struct ForestInput {
  std::vector<std::string> files;
  std::string on_error = "stop";
};

// --on-error, and the files.
Option on_error_option(std::string& on_error);
Positionals forest_files(ForestInput& input);

// Applies --on-error to one record after another.
//
//     stop   the error is thrown, with the record's place
//     skip   a warning; the record leaves nothing behind
//     null   a warning; on_failure writes what stands in the record's place
class RecordGuard {
 public:
  using OnFailure = std::function<void(const std::string& name, const Error& error)>;
  RecordGuard(Context& context, std::string on_error, OnFailure on_failure)
      : context_(context), on_error_(std::move(on_error)), on_failure_(std::move(on_failure)) {}

  // Runs `work`. Errors of data (E2xx) and of single records (E3xx) are the record's; others pass.
  void run(const std::string& name, const Location& where, const std::function<void()>& work);

  // The record has that error.
  void fail(const std::string& name, const Location& where, const Error& error);

  // kSkippedRecords when an error was met.
  ExitStatus status() const;

 private:
  Context& context_;
  std::string on_error_;
  OnFailure on_failure_;
  std::size_t failures_ = 0;
};

// A record, and what to call it: its id, or "#3" for the third record of the input.
using UseForest = std::function<void(const ForestRecord& record, const std::string& name)>;

// Calls `use` for every record of the files, in order; returns kSkippedRecords when some failed.
// `on_failure` is called for those with --on-error null.
ExitStatus for_each_forest(const ForestInput& input, Context& context, const UseForest& use,
                           const RecordGuard::OnFailure& on_failure);

// A named value of the edges, of records some of which may lack it: a sentence without a PP has no
// edge with the value PP, and that counts as 0. But a name that no record has is a slip.
class ValueColumn {
 public:
  explicit ValueColumn(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  EdgeMap<double> of(const ForestRecord& record);
  // Throws InvalidArgument E130, with a suggestion, when there were records and none had the name.
  void require_seen() const;

 private:
  std::string name_;
  bool seen_ = false;
  std::vector<std::string> others_;  // the names that the first record has instead
  bool any_record_ = false;
};

}  // namespace coppice::cli
