// How long work learns that it should stop early.
//
// The library keeps no flag of its own. Long work takes an InterruptPoll and asks it between two
// steps; when it says true, the work finishes what keeps its result usable and returns that result
// as if it had been told to do fewer steps. A function, and not std::stop_token, because the
// listeners differ: the program reads a flag that its signal handler set (which may not call
// request_stop), Python asks its interpreter.
//
// Threads: polled from the thread that called the long function.
#pragma once

#include <functional>

namespace coppice {

// Returns true from the moment on that the work should stop; empty means never.
using InterruptPoll = std::function<bool()>;

inline bool interrupted(const InterruptPoll& poll) { return poll && poll(); }

}  // namespace coppice
