// Threads that never change a result.
//
// Work is cut into chunks whose number does not depend on the number of threads; each chunk writes
// its own part of the answer, and the parts are then combined in the order of the chunks (see
// base/reduce.h). So the same bytes come out of one thread and of eight.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace coppice {

class WorkerPool;

// The cores this process may use: those of its affinity mask, or fewer when its control group
// grants less processor time than that (rounded up). At least 1.
unsigned available_cores();

// A number of workers and the pool they run in.
class Threads {
 public:
  // Requires n >= 1; throws InvalidArgument otherwise. More workers than the machine has cores are
  // allowed and share the cores.
  explicit Threads(unsigned n = available_cores());
  ~Threads();
  Threads(Threads&&) noexcept;
  Threads& operator=(Threads&&) noexcept;

  unsigned size() const noexcept { return size_; }

  // Calls work(chunk, worker) once for each chunk in [0, chunks) and returns when all are done.
  // Chunks begin in ascending order. `worker` is in [0, size()), and no two calls that run at the
  // same time share one, so scratch memory may be indexed by it (but which worker gets which chunk
  // is chance: results must not depend on it). With one worker, or one chunk, everything runs in
  // the caller's thread.
  //
  // Throws what `work` throws. No chunk begins after that, and when several chunks throw, the
  // exception of the lowest one is passed on: the same one for every number of threads.
  // Threads: may be called from within `work`, and by several threads at once.
  void for_chunks(std::size_t chunks,
                  const std::function<void(std::size_t chunk, unsigned worker)>& work) const;

 private:
  unsigned size_;
  std::unique_ptr<WorkerPool> pool_;  // absent when size_ is 1
};

}  // namespace coppice
