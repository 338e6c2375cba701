#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/human.h"
#include "cli/terminal.h"

namespace coppice::cli {

namespace {

double rate(const ProgressState& state) {
  return state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : NAN;
}

double seconds_left(const ProgressState& state) {
  if (state.done == 0 || state.total < state.done) return NAN;
  return static_cast<double>(state.total - state.done) / rate(state);
}

std::string fields_text(const ProgressState& state) {
  std::string text;
  for (const auto& [name, value] : state.fields) text += fmt::format("  {} {:.6g}", name, value);
  return text;
}

// Keeps the state and asks the derived class to show it when enough time has passed.
class TimedDisplay : public ProgressDisplay {
 public:
  TimedDisplay(std::ostream& out, Clock clock, double interval)
      : out_(out), clock_(std::move(clock)), interval_(interval) {}

  void begin(std::string_view what, std::uint64_t total) override {
    state_ = {.what = std::string(what), .total = total};
    begun_ = shown_ = clock_();
    active_ = true;
  }

  void update(std::uint64_t done, std::span<const Field> fields) override {
    if (!active_) return;
    state_.done = done;
    state_.fields.clear();
    for (const Field& field : fields) state_.fields.emplace_back(field.name, field.value);
    const double now = clock_();
    if (now - shown_ < interval_) return;
    shown_ = now;
    state_.seconds = now - begun_;
    show();
  }

  void end() override {
    if (!active_) return;
    state_.seconds = clock_() - begun_;
    active_ = false;
    show_end();
  }

 protected:
  virtual void show() = 0;
  virtual void show_end() { show(); }
  const ProgressState& state() const { return state_; }
  double interval() const { return interval_; }
  double now() const { return clock_(); }
  std::ostream& out() { return out_; }

 private:
  std::ostream& out_;
  Clock clock_;
  double interval_;
  double begun_ = 0;
  double shown_ = 0;
  bool active_ = false;
  ProgressState state_;
};

class BarDisplay final : public TimedDisplay {
 public:
  BarDisplay(std::ostream& out, Clock clock) : TimedDisplay(out, std::move(clock), 0.1) {}
  bool redraws() const override { return true; }
  void show_line(std::string_view text) override {
    if (drawn_ && now() - drawn_at_ < interval()) return;
    draw(shortened(text, columns()));
    drawn_at_ = now();
  }
  void clear() override {
    if (!drawn_) return;
    out() << "\r\033[K" << std::flush;
    drawn_ = false;
  }

 private:
  // One column stays free: a full line would wrap on some terminals.
  static std::size_t columns() { return terminal_columns(STDERR_FILENO) - 1; }
  void draw(const std::string& text) {
    out() << '\r' << text << "\033[K" << std::flush;
    drawn_ = true;
  }
  void show() override { draw(bar_text(state(), columns())); }
  void show_end() override { clear(); }
  bool drawn_ = false;
  double drawn_at_ = 0;  // by show_line()
};

class LineDisplay final : public TimedDisplay {
 public:
  using Text = std::string (*)(const ProgressState&);
  LineDisplay(std::ostream& out, Clock clock, double interval, Text text)
      : TimedDisplay(out, std::move(clock), interval), text_(text) {}

 private:
  void show() override { out() << text_(state()) << '\n' << std::flush; }
  Text text_;
};

class SilentDisplay final : public ProgressDisplay {
 public:
  void begin(std::string_view, std::uint64_t) override {}
  void update(std::uint64_t, std::span<const Field>) override {}
  void end() override {}
};

}  // namespace

ProgressMode progress_mode(const std::string& choice, bool on_terminal) {
  if (choice == "bar") return ProgressMode::kBar;
  if (choice == "plain") return ProgressMode::kPlain;
  if (choice == "json") return ProgressMode::kJson;
  if (choice == "none") return ProgressMode::kNone;
  return on_terminal ? ProgressMode::kBar : ProgressMode::kPlain;
}

std::string bar(double share, std::size_t columns) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(columns));
  std::string text(filled, '=');
  if (filled < columns) text += '>';
  text.resize(columns, ' ');
  return '[' + text + ']';
}

std::string bar_text(const ProgressState& state, std::size_t columns) {
  constexpr std::size_t bar_columns = 20;
  std::string text = state.what;
  if (state.total > 0) {
    const double share =
        std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
    text += fmt::format("  {} {:3.0f}%", bar(share, bar_columns), std::floor(100 * share));
  } else {
    text += "  " + thousands(state.done);
  }
  text += fmt::format("  {}/s", compact(rate(state)));
  text += state.total > 0 ? fmt::format("  {} left", duration(seconds_left(state)))
                          : "  " + duration(state.seconds);
  return shortened(text + fields_text(state), std::max<std::size_t>(3, columns));
}

std::string plain_text(const ProgressState& state) {
  std::string count = thousands(state.done);
  if (state.total > 0 && state.total != state.done) count += " of " + thousands(state.total);
  return fmt::format("{}: {} in {} ({}/s){}", state.what, count, duration(state.seconds),
                     compact(rate(state)), fields_text(state));
}

std::string json_text(const ProgressState& state) {
  nlohmann::ordered_json line = {{"task", state.what}, {"done", state.done}};
  if (state.total > 0) line["total"] = state.total;
  line["seconds"] = std::round(state.seconds * 1000) / 1000;
  for (const auto& [name, value] : state.fields) line[name] = value;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::unique_ptr<ProgressDisplay> make_progress(ProgressMode mode, std::ostream& out, Clock clock) {
  switch (mode) {
    case ProgressMode::kBar:
      return std::make_unique<BarDisplay>(out, std::move(clock));
    case ProgressMode::kPlain:
      return std::make_unique<LineDisplay>(out, std::move(clock), 10.0, plain_text);
    case ProgressMode::kJson:
      return std::make_unique<LineDisplay>(out, std::move(clock), 1.0, json_text);
    case ProgressMode::kNone:
      break;
  }
  return std::make_unique<SilentDisplay>();
}

}  // namespace coppice::cli
