// The pool that Threads runs its workers in: all that is used of TBB, behind one function.
//
// Debian's TBB is not built for ThreadSanitizer, which therefore cannot see that TBB orders what
// one thread did before a task with what another does in it, and reports a race wherever work
// changes hands. So worker_pool.cc is compiled without it, the arguments are plain, and the caller
// states the order by atomics of its own (see threads.cc).
#pragma once

#include <memory>

namespace coppice {

class WorkerPool {
 public:
  // Requires n >= 1. Threads are started when there is work.
  explicit WorkerPool(unsigned n);
  ~WorkerPool();

  // Calls body(argument, worker) once for each worker in [0, workers), some of them at the same
  // time, and returns when all have returned. Requires that body does not throw.
  // Threads: may be called from within `body`, and by several threads at once.
  void run(unsigned workers, void (*body)(void* argument, unsigned worker), void* argument);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace coppice
