#include "cli/signals.h"

#include <csignal>

namespace coppice::cli {

namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note_signal(int number) {
  received = number;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void handle(int number) {
  struct sigaction action {};
  ::sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT);
  handle(SIGTERM);
}

int signal_received() { return received; }

void ignore_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace coppice::cli
