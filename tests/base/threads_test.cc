// Every chunk runs once, results do not depend on the number of threads, exceptions come through.
#include "coppice/base/threads.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"

namespace coppice {
namespace {

TEST(Threads, RunsEveryChunkOnce) {
  for (unsigned n : {1U, 2U, 3U, 8U}) {
    const Threads threads(n);
    EXPECT_EQ(threads.size(), n);
    for (std::size_t chunks : {0U, 1U, 2U, 100U}) {
      std::vector<int> runs(chunks, 0);
      threads.for_chunks(chunks, [&](std::size_t chunk, unsigned worker) {
        ASSERT_LT(worker, n);
        ++runs[chunk];
      });
      EXPECT_EQ(runs, std::vector<int>(chunks, 1));
    }
  }
}

TEST(Threads, NeverRunsTwoChunksOfOneWorkerAtOnce) {
  const Threads threads(4);
  std::array<std::atomic<int>, 4> busy{};
  std::atomic<int> clashes{0};
  threads.for_chunks(200, [&](std::size_t, unsigned worker) {
    if (busy[worker].fetch_add(1) != 0) ++clashes;
    threads.for_chunks(3, [](std::size_t, unsigned) {});  // a nested call may run other tasks
    busy[worker].fetch_sub(1);
  });
  EXPECT_EQ(clashes, 0);
}

TEST(Threads, PassesOnTheExceptionOfTheLowestChunk) {
  for (unsigned n : {1U, 2U, 4U}) {
    const Threads threads(n);
    for (int round = 0; round < 50; ++round) {
      try {
        threads.for_chunks(64, [](std::size_t chunk, unsigned) {
          if (chunk % 10 == 7) throw Error(concat("chunk ", chunk));
        });
        FAIL() << "expected Error";
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "chunk 7");
      }
    }
  }
}

TEST(Threads, RefusesNoThreads) {
  try {
    const Threads threads(0);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "threads: 0 is not in 1..4096");
  }
}

TEST(AvailableCores, IsAtLeastOne) { EXPECT_GE(available_cores(), 1U); }

std::vector<float> random_floats(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.uniform() - 0.5);
  return values;
}

TEST(Dot, IsTheSameToTheLastBitForAnyNumberOfThreads) {
  for (std::size_t n : {0U, 1U, 7U, 8U, 65535U, 65536U, 65537U, 500'003U}) {
    SCOPED_TRACE(n);
    const auto a = random_floats(n, 1);
    const auto b = random_floats(n, 2);
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i) expected += double{a[i]} * double{b[i]};
    const double single = dot(Threads(1), std::span(a), std::span(b));
    EXPECT_NEAR(single, expected, 1e-9);
    for (unsigned threads : {2U, 3U, 5U})
      EXPECT_EQ(dot(Threads(threads), std::span(a), std::span(b)), single);
  }
}

TEST(Axpy, AddsAMultiple) {
  const auto x = random_floats(200'000, 3);
  std::vector<double> y(x.size(), 1.0);
  axpy(Threads(2), 3.0, std::span(x), std::span(y));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], 1.0 + 3.0 * double{x[i]});
}

TEST(Axpy, NamesBothSizesWhenTheyDiffer) {
  const std::vector<float> x(2);
  std::vector<float> y(3);
  try {
    axpy(Threads(1), 1.0, std::span(x), std::span(y));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "axpy: 2 elements against 3");
  }
}

TEST(PairwiseSum, HandlesEveryLength) {
  for (int n = 0; n < 40; ++n) {
    std::vector<int> values;
    for (int i = 0; i < n; ++i) values.push_back(i);
    EXPECT_EQ(pairwise_sum(values), n * (n - 1) / 2);
  }
}

}  // namespace
}  // namespace coppice
