#include "base/worker_pool.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace coppice {

struct WorkerPool::Arena {
  // TBB prints a warning when an arena asks for more threads than it would ever start.
  explicit Arena(unsigned n)
      : tasks(std::min(static_cast<int>(n), tbb::info::default_concurrency())) {}
  tbb::task_arena tasks;
};

WorkerPool::WorkerPool(unsigned n) : arena_(std::make_unique<Arena>(n)) {}
WorkerPool::~WorkerPool() = default;

void WorkerPool::run(unsigned workers, void (*body)(void* argument, unsigned worker),
                     void* argument) {
  arena_->tasks.execute([&] {
    tbb::parallel_for(
        0U, workers, [&](unsigned worker) { body(argument, worker); }, tbb::simple_partitioner());
  });
}

}  // namespace coppice
