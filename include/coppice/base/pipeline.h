// A stream of items read, worked on and written: in order, by several threads, in flat memory.
//
//     run_pipeline<Item>(threads, read, work, write);
//
//     bool read(Item&)                     the next item into one used before; false at the end
//     void work(Item&, unsigned worker)    what takes the time; `worker` as in Threads::for_chunks
//     void write(Item&)                    in the order of reading
//
// While one batch is worked on, one worker writes the batch before it and reads the one after it,
// so that three batches exist at a time, however long the stream is. read and write are never
// called at the same time. With one thread each item is written before the next is read.
//
// When read, work or write throws, the items before that one have been written and none after it
// is, and the exception is passed on: the same that one thread would meet.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <vector>

#include "coppice/base/threads.h"

namespace coppice {

struct PipelineOptions {
  std::size_t batch = 256;  // items
  std::size_t chunk = 8;    // items that a worker takes at once
};

namespace detail {

template <class Item>
class PipelineBatch {
 public:
  explicit PipelineBatch(const PipelineOptions& options)
      : options_(options), items_(options.batch) {}

  std::size_t num_chunks() const { return (size_ + options_.chunk - 1) / options_.chunk; }

  // False when there is nothing more to read.
  template <class Read>
  bool fill(const Read& read) {
    size_ = 0;
    exception_ = nullptr;
    try {
      while (size_ < items_.size() && read(items_[size_])) ++size_;
    } catch (...) {
      exception_ = std::current_exception();
    }
    failures_.assign(num_chunks(), {});
    return size_ == items_.size();
  }

  // May run for several chunks at once.
  template <class Work>
  void work_chunk(std::size_t chunk, unsigned worker, const Work& work) noexcept {
    std::size_t i = chunk * options_.chunk;
    try {
      for (; i < std::min(size_, (chunk + 1) * options_.chunk); ++i) work(items_[i], worker);
    } catch (...) {
      failures_[chunk] = {i, std::current_exception()};
    }
  }

  // Throws, after the items before it, what came in place of an item.
  template <class Write>
  void write_out(const Write& write) {
    for (const Failure& failure : failures_) {
      if (!failure.exception) continue;
      size_ = failure.item;
      exception_ = failure.exception;
      break;
    }
    for (std::size_t i = 0; i < size_; ++i) write(items_[i]);
    if (exception_) std::rethrow_exception(exception_);
    size_ = 0;
    failures_.clear();
  }

 private:
  struct Failure {
    std::size_t item = 0;
    std::exception_ptr exception{};
  };

  PipelineOptions options_;
  std::vector<Item> items_;
  std::size_t size_ = 0;             // of them are there
  std::exception_ptr exception_{};   // of reading
  std::vector<Failure> failures_{};  // of working, one a chunk
};

}  // namespace detail

// Requires options of at least 1.
template <class Item, class Read, class Work, class Write>
void run_pipeline(const Threads& threads, const Read& read, const Work& work, const Write& write,
                  const PipelineOptions& options = {}) {
  if (threads.size() == 1) {
    for (Item item; read(item);) {
      work(item, 0U);
      write(item);
    }
    return;
  }
  using Batch = detail::PipelineBatch<Item>;
  std::array<Batch, 3> batches{Batch(options), Batch(options), Batch(options)};
  bool more = true;
  // Each batch is filled in one step, worked on in the next and written in the one after that.
  for (std::size_t step = 0, left = 3; left > 0; ++step, left = more ? 3 : left - 1) {
    Batch& next = batches[step % 3];
    Batch& current = batches[(step + 2) % 3];
    Batch& previous = batches[(step + 1) % 3];
    threads.for_chunks(1 + current.num_chunks(), [&](std::size_t chunk, unsigned worker) {
      if (chunk > 0) {
        current.work_chunk(chunk - 1, worker, work);
        return;
      }
      previous.write_out(write);
      more = more && next.fill(read);
    });
  }
}

}  // namespace coppice
