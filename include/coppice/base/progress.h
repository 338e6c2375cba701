// How long work says how far it is, without knowing who listens.
//
// A function that may take more than a second takes a Progress& (no_progress() by default) and
// calls begin, then update as often as it likes, then end; tasks do not nest. The listener decides
// what to show and how often: an update costs the work one virtual call and, at most, a look at
// the clock. The program shows a bar, plain lines or JSON lines; the bindings may show anything.
//
// Threads: all calls come from the thread that called the long function.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace coppice {

class Progress {
 public:
  // A number worth seeing next to the position, such as {"loss", 41203.7}.
  struct Field {
    std::string_view name;
    double value = 0;
  };

  virtual ~Progress() = default;

  // `what` says what is being done, as in "reading train.conll"; it need not outlive the call.
  // `total` is the number of steps, 0 when it is unknown.
  virtual void begin(std::string_view what, std::uint64_t total) = 0;

  // `done` steps are over; it never falls within a task.
  virtual void update(std::uint64_t done, std::span<const Field> fields) = 0;
  void update(std::uint64_t done) { update(done, {}); }

  // The task is over, finished or not. Without a task it does nothing.
  virtual void end() = 0;
};

// The listener that hears nothing.
class NoProgress final : public Progress {
 public:
  using Progress::update;
  void begin(std::string_view, std::uint64_t) override {}
  void update(std::uint64_t, std::span<const Field>) override {}
  void end() override {}
};

// A NoProgress that lives as long as the program; it has no state, so threads may share it.
inline Progress& no_progress() noexcept {
  static NoProgress none;
  return none;
}

}  // namespace coppice
