#include "cli/context.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <streambuf>
#include <thread>

#include "cli/human.h"
#include "cli/signals.h"
#include "cli/terminal.h"

namespace coppice::cli {

namespace {

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

ProgressMode mode_of(const Globals& globals) {
  if (globals.quiet) return ProgressMode::kNone;
  return progress_mode(globals.progress, is_terminal(STDERR_FILENO));
}

}  // namespace

// Passes text on to stderr after wiping the progress bar, or swallows it.
class Context::TalkBuffer final : public std::streambuf {
 public:
  TalkBuffer(ProgressDisplay& progress, bool silent) : progress_(progress), silent_(silent) {}

 private:
  int_type overflow(int_type c) override {
    const char letter = traits_type::to_char_type(c);
    xsputn(&letter, 1);
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (silent_) return size;
    progress_.clear();
    std::cerr.write(text, size);
    return size;
  }

  ProgressDisplay& progress_;
  bool silent_;
};

std::ostream& Output::stream() noexcept {
  if (path_ == "-") context_.used_stdout_ = true;
  return file_.stream();
}

void Output::commit() {
  file_.commit();
  if (path_ != "-") context_.written_.push_back(path_);
}

Context::Context(const Command& program, const Globals& globals, Diagnostics& diagnostics)
    : program_(program),
      globals_(globals),
      diagnostics_(diagnostics),
      progress_(make_progress(mode_of(globals), std::cerr)),
      talk_buffer_(std::make_unique<TalkBuffer>(*progress_, globals.quiet)),
      stage_buffer_(
          std::make_unique<TalkBuffer>(*progress_, mode_of(globals) == ProgressMode::kNone)),
      talk_(talk_buffer_.get()),
      stages_(stage_buffer_.get()),
      flush_records_(!is_regular(STDIN_FILENO) || !is_regular(STDOUT_FILENO)) {}

Context::~Context() { progress_->clear(); }

std::ostream& Context::out() {
  used_stdout_ = true;
  progress_->clear();
  return std::cout;
}

void Context::end_record() {
  if (flush_records_) std::cout.flush();
}

void Context::say(const std::string& line) { talk_ << line + '\n'; }

void Context::warn(const std::string& message, const ErrorDetails& details) {
  progress_->clear();
  diagnostics_.warning(message, details);
}

void Context::report(const std::exception& error) {
  progress_->clear();
  diagnostics_.error(error);
}

Progress& Context::progress() { return *progress_; }

InterruptPoll Context::interrupt_poll() {
  install_signal_handlers();
  return [this, told = false]() mutable {
    if (signal_received() == 0) return false;
    if (!told) talk("interrupted: finishing this step; once more stops at once");
    told = true;
    return true;
  };
}

Table Context::stage_table(std::vector<Column> columns) {
  const bool json = mode_of(globals_) == ProgressMode::kJson;
  return {stages_, std::move(columns),
          TableStyle{.format = json ? TableFormat::kJson : TableFormat::kAligned,
                     .color = wants_color(globals_.color, STDERR_FILENO)}};
}

Table Context::report_table(std::vector<Column> columns, TableFormat format) {
  return {out(), std::move(columns), TableStyle{.format = format, .color = color()}};
}

Output Context::output_file(const std::string& path, Overwrite overwrite) {
  return {*this, path, globals_.force ? Overwrite::kAllow : overwrite};
}

LogFile Context::log_file(const std::string& path, LogFile::Opening opening) const {
  const bool replaces = globals_.force && opening == LogFile::Opening::kNew;
  return {path, replaces ? LogFile::Opening::kReplace : opening};
}

int Context::threads() const { return globals_.threads > 0 ? globals_.threads : usable_cores(); }

bool Context::color() const { return wants_color(globals_.color, STDOUT_FILENO); }

std::string Context::written_text() const {
  if (written_.empty()) return used_stdout_ ? "the output is incomplete" : "nothing was written";
  std::string text = "written before that:";
  for (const std::string& path : written_) text += ' ' + path;
  return text;
}

int usable_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace coppice::cli
