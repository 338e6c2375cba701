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

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

int signal_received() { return received; }

void ignore_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace coppice::cli
