// The first SIGINT or SIGTERM asks long work to stop; the second ends the program.
//
// Until install_signal_handlers is called, both end the program at once, which is right for work
// that has nothing to save. A signal that the caller ignores (nohup) stays ignored. One flag of
// type sig_atomic_t is all the state there is.
#pragma once

namespace coppice::cli {

void install_signal_handlers();

// SIGINT or SIGTERM once one has arrived, else 0.
int signal_received();

// A write to a closed pipe fails instead of ending the program, so that temporary files go away.
void ignore_closed_pipes();

}  // namespace coppice::cli
