// Items come out in order and worked on, whatever the number of threads; exceptions come in order
// too.
#include "coppice/base/pipeline.h"

#include <gtest/gtest.h>

#include <string>

#include "coppice/base/error.h"

namespace coppice {
namespace {

struct Item {
  std::size_t number = 0;
  std::size_t square = 0;
};

constexpr std::size_t kNever = static_cast<std::size_t>(-1);

struct Troubles {
  std::size_t read = kNever, work = kNever, write = kNever;  // the item at which each throws
};

// What was written, and then the error if there was one.
std::string run(unsigned num_threads, std::size_t items, const PipelineOptions& options,
                const Troubles& troubles = {}) {
  std::string written;
  std::size_t next = 0;
  try {
    run_pipeline<Item>(
        Threads(num_threads),
        [&](Item& item) {
          if (next == troubles.read) throw Error("read");
          if (next == items) return false;
          item = {.number = next++};
          return true;
        },
        [&](Item& item, unsigned worker) {
          if (item.number == troubles.work) throw Error("work");
          EXPECT_LT(worker, num_threads);
          item.square = item.number * item.number;
        },
        [&](Item& item) {
          if (item.number == troubles.write) throw Error("write");
          written += std::to_string(item.square) + ' ';
        },
        options);
  } catch (const Error& error) {
    written += error.what();
  }
  return written;
}

TEST(Pipeline, WritesEveryItemInOrder) {
  for (std::size_t items : {0U, 1U, 4U, 5U, 6U, 9U, 10U, 11U, 40U, 1003U}) {
    const std::string expected = run(1, items, {});
    for (unsigned threads : {2U, 3U, 8U}) {
      EXPECT_EQ(run(threads, items, {.batch = 5, .chunk = 2}), expected) << items;
      EXPECT_EQ(run(threads, items, {}), expected) << items;
    }
  }
}

TEST(Pipeline, StopsWhereOneThreadWould) {
  constexpr std::size_t items = 30;
  for (std::size_t at : {0U, 1U, 4U, 5U, 14U, 29U}) {
    for (const Troubles& troubles :
         {Troubles{.read = at}, Troubles{.work = at}, Troubles{.write = at},
          Troubles{.read = at, .work = 7}, Troubles{.work = at, .write = 6},
          Troubles{.read = 12, .work = at, .write = 11}}) {
      const std::string expected = run(1, items, {}, troubles);
      for (unsigned threads : {2U, 4U}) {
        EXPECT_EQ(run(threads, items, {.batch = 5, .chunk = 2}, troubles), expected) << at;
      }
    }
  }
}

}  // namespace
}  // namespace coppice
