#include "coppice/base/threads.h"

#include <sched.h>

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

#include "base/worker_pool.h"
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
//
// begin() and end() of the caller and run() of the workers order the chunks with what stands before
// and after the call. The pool does that too, but ThreadSanitizer does not see it.
class Queue {
 public:
  Queue(std::size_t chunks, const std::function<void(std::size_t, unsigned)>& work)
      : chunks_(chunks), work_(work) {}

  void begin() noexcept { begun_.store(true, std::memory_order_release); }

  void run(unsigned worker) noexcept {
    begun_.load(std::memory_order_acquire);
    take_chunks(worker);
    stopped_workers_.fetch_add(1, std::memory_order_release);
  }

  // Throws what the lowest chunk threw.
  void end() const {
    stopped_workers_.load(std::memory_order_acquire);
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  void take_chunks(unsigned worker) noexcept {
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

  void record(std::size_t chunk, std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    stopped_.store(true, std::memory_order_relaxed);
    if (exception_ && failed_chunk_ < chunk) return;
    exception_ = std::move(exception);
    failed_chunk_ = chunk;
  }

  std::size_t chunks_;
  const std::function<void(std::size_t, unsigned)>& work_;
  std::atomic<bool> begun_{false};
  std::atomic<unsigned> stopped_workers_{0};
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

Threads::Threads(unsigned n) : size_(n) {
  require(n >= 1 && n <= 4096, "threads: ", n, " is not in 1..4096");
  if (n > 1) pool_ = std::make_unique<WorkerPool>(n);
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
  queue.begin();
  pool_->run(
      workers, [](void* shared, unsigned worker) { static_cast<Queue*>(shared)->run(worker); },
      &queue);
  queue.end();
}

}  // namespace coppice
