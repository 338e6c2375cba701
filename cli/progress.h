// The program's listeners to long work: a bar on a terminal, plain lines elsewhere, JSON lines for
// other programs. All of them write to stderr.
//
//     bar     one line, redrawn at most ten times a second, wiped when the task ends:
//             reading train.conll  [=========>          ]  47%  1.2M/s  0:33 left  loss 41203.7
//     plain   a line when the task ends, and one every ten seconds until then
//     json    {"task":"reading","done":5,"total":9,"seconds":1.5,"loss":41203.7}, once a second
//             and at the end
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "coppice/base/progress.h"

namespace coppice::cli {

enum class ProgressMode { kBar, kPlain, kJson, kNone };

// `choice` is auto, bar, plain, json or none. auto is a bar on a terminal, plain lines elsewhere.
ProgressMode progress_mode(const std::string& choice, bool on_terminal);

// What is known of a task at one moment.
struct ProgressState {
  std::string what;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: unknown
  double seconds = 0;       // since begin
  std::vector<std::pair<std::string, double>> fields{};
};

// "[====>     ]", with so many columns between the brackets, for a share from 0 to 1.
std::string bar(double share, std::size_t columns);

// The three ways to write it, without the line's end. bar_text is at most `columns` wide.
std::string bar_text(const ProgressState& state, std::size_t columns);
std::string plain_text(const ProgressState& state);
std::string json_text(const ProgressState& state);

class ProgressDisplay : public Progress {
 public:
  // Wipes what stands on the current line, so that something else can be written there.
  virtual void clear() {}
  // Whether the current line can be redrawn, as a bar is.
  virtual bool redraws() const { return false; }
  // Draws a line of the caller's own, cut to the terminal's width, at most ten times a second; it
  // stands until clear(). Nothing where lines cannot be redrawn. Requires that no task is shown.
  virtual void show_line(std::string_view /*text*/) {}
};

// Seconds from any fixed moment on; the tests' clocks do not tick by themselves.
using Clock = std::function<double()>;
double steady_seconds();

// Requires that `out` outlives the display.
std::unique_ptr<ProgressDisplay> make_progress(ProgressMode mode, std::ostream& out,
                                               Clock clock = steady_seconds);

}  // namespace coppice::cli
