#include "coppice/base/threads.h"

#include <sched.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "coppice/base/error.h"

namespace coppice {

namespace {

unsigned cores_by_affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  // Fails on machines of more than 1024 processors, where the mask is too small.
  if (::sched_getaffinity(0, sizeof mask, &mask) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&mask)));
  return std::max(1U, std::thread::hardware_concurrency());
}

double cores_of_quota(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : HUGE_VAL;
}

// "max 100000" or "150000 100000" in cpu.max (version 2); two files with one number in version 1.
double cores_by_control_group() {
  double quota = 0;
  double period = 0;
  if (std::ifstream file("/sys/fs/cgroup/cpu.max"); file) {
    std::string first;
    file >> first >> period;
    if (first == "max") return HUGE_VAL;
    return cores_of_quota(std::atof(first.c_str()), period);
  }
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;  // -1 for no limit
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  return cores_of_quota(quota, period);
}

// The chunks of one call: handed out in ascending order, so that all chunks below one that threw
// have begun, and the lowest exception is known when every worker has stopped.
class Queue {
 public:
  Queue(std::size_t chunks, const std::function<void(std::size_t, unsigned)>& work)
      : chunks_(chunks), work_(work) {}

  void run(unsigned worker) noexcept {
    while (!stopped_.load(std::memory_order_relaxed)) {
      const std::size_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks_) return;
      try {
        work_(chunk, worker);
      } catch (...) {
        record(chunk, std::current_exception());
      }
    }
  }

  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  void record(std::size_t chunk, std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    stopped_.store(true, std::memory_order_relaxed);
    if (exception_ && failed_chunk_ < chunk) return;
    exception_ = std::move(exception);
    failed_chunk_ = chunk;
  }

  std::size_t chunks_;
  const std::function<void(std::size_t, unsigned)>& work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr exception_;
  std::size_t failed_chunk_ = 0;
};

}  // namespace

unsigned available_cores() {
  const double quota = std::ceil(cores_by_control_group());
  const unsigned affinity = cores_by_affinity();
  return quota < affinity ? std::max(1U, static_cast<unsigned>(quota)) : affinity;
}

struct Threads::Pool {
  // TBB prints a warning when an arena asks for more threads than it would ever start.
  explicit Pool(unsigned n)
      : arena(std::min(static_cast<int>(n), tbb::info::default_concurrency())) {}
  tbb::task_arena arena;
};

Threads::Threads(unsigned n) : size_(n) {
  require(n >= 1 && n <= 4096, "threads: ", n, " is not in 1..4096");
  if (n > 1) pool_ = std::make_unique<Pool>(n);
}
Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

void Threads::for_chunks(std::size_t chunks,
                         const std::function<void(std::size_t, unsigned)>& work) const {
  if (!pool_ || chunks <= 1) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) work(chunk, 0);
    return;
  }
  Queue queue(chunks, work);
  const auto workers = static_cast<unsigned>(std::min<std::size_t>(size_, chunks));
  pool_->arena.execute([&] {
    tbb::parallel_for(
        0U, workers, [&](unsigned worker) { queue.run(worker); }, tbb::simple_partitioner());
  });
  queue.rethrow();
}

}  // namespace coppice
