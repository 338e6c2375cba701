// What a verb's run function gets: where to write, whom to tell, and what the global options say.
//
// Data goes to out(), talk to talk(): stdout stays clean for the next program in the pipe.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/globals.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "coppice/base/file.h"
#include "coppice/base/interrupt.h"
#include "coppice/base/log_file.h"
#include "coppice/base/progress.h"

namespace coppice::cli {

// A file that appears whole or not at all (coppice/base/file.h), and is remembered by the context.
class Output {
 public:
  // Ask for it when there is something to write: from then on, an error leaves "-" incomplete.
  std::ostream& stream() noexcept;
  // Throws IoError when any byte could not be written.
  void commit();

 private:
  friend class Context;
  Output(Context& context, const std::string& path, Overwrite overwrite)
      : context_(context), path_(path), file_(path, overwrite) {}

  Context& context_;
  std::string path_;
  OutputFile file_;
};

class Context {
 public:
  // Requires that the arguments outlive the context.
  Context(const Command& program, const Globals& globals, Diagnostics& diagnostics);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Standard output. A write that fails throws, so no verb checks.
  std::ostream& out();
  // Ends a record: flushes when stdin or stdout is not a regular file, so that pipes flow.
  void end_record();

  // A line for people, on stderr; nothing with -q. detail() speaks only with -v.
  template <class... Args>
  void talk(fmt::format_string<Args...> format, Args&&... args) {
    say(fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void detail(fmt::format_string<Args...> format, Args&&... args) {
    if (globals_.verbose) say(fmt::format(format, std::forward<Args>(args)...));
  }

  // Shown once for each code, then counted.
  void warn(const std::string& message, const ErrorDetails& details);

  // An error that does not end the run: a record that was skipped, a problem that a check found.
  void report(const std::exception& error);

  // The listener for long work, as --progress and -q want it.
  Progress& progress();
  // The display itself, for a verb that shows lines of its own.
  ProgressDisplay& display() { return *progress_; }
  // For long work that can stop early with a usable result. The first call takes over SIGINT and
  // SIGTERM; after a stop, the program ends with status 130 or 143 when the verb has returned.
  InterruptPoll interrupt_poll();

  // A table of stages on stderr (training): aligned, or JSON lines with --progress json; unseen
  // with -q or --progress none. Give every column a width.
  Table stage_table(std::vector<Column> columns);
  // A table on stdout, in the format given.
  Table report_table(std::vector<Column> columns, TableFormat format = TableFormat::kAligned);

  // Opens an output file; "-" is stdout. Throws IoError E502 when it exists, unless with --force or
  // when the verb itself allows it. Requires that the verb declares writes_files.
  Output output_file(const std::string& path, Overwrite overwrite = Overwrite::kRefuse);

  // Whether --force was given. Requires that the verb declares writes_files.
  bool overwrites() const { return globals_.force; }

  // Opens a log that grows while the verb works; it must be new, unless with --force (replaced) or
  // when it goes on. Requires that the verb declares writes_files.
  LogFile log_file(const std::string& path, LogFile::Opening opening) const;

  // Whether --json was given. Requires that the verb declares reports.
  bool json() const { return globals_.json; }
  bool verbose() const { return globals_.verbose; }
  // At least 1: -j, or the number of cores that the program may use.
  int threads() const;
  // Whether stdout wants colour.
  bool color() const;

  const Command& program() const { return program_; }

  // What has been written so far, in words, for the end of an error report.
  std::string written_text() const;

 private:
  friend class Output;
  class TalkBuffer;
  void say(const std::string& line);

  const Command& program_;
  const Globals& globals_;
  Diagnostics& diagnostics_;
  std::unique_ptr<ProgressDisplay> progress_;
  std::unique_ptr<TalkBuffer> talk_buffer_;
  std::unique_ptr<TalkBuffer> stage_buffer_;
  std::ostream talk_;
  std::ostream stages_;
  bool flush_records_;
  bool used_stdout_ = false;
  std::vector<std::string> written_;
};

// The number of cores that the program may use (its affinity), at least 1.
int usable_cores();

}  // namespace coppice::cli
