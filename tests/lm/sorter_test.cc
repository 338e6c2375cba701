#include <gtest/gtest.h>

#include <algorithm>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "lm/ngram_sorter.h"

namespace coppice::lm {
namespace {

using Record = std::vector<Word>;  // with its payload

std::vector<Record> read_all(const SortedNgrams& sorted, unsigned length) {
  std::vector<Record> records;
  SortedNgrams::Reader reader = sorted.read();
  while (const Word* record = reader.next())
    records.emplace_back(record, record + length + kPayloadWords);
  return records;
}

TEST(NgramSorter, SortsAsTheStandardLibraryDoes) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto length = static_cast<unsigned>(1 + random.below(kMaxOrder));
    const auto order = random.below(2) == 0 ? NgramOrder::kSuffix : NgramOrder::kContext;
    const Combine combine = random.below(2) == 0 ? add_counts : nullptr;
    const Workspace workspace{.memory = random.below(2) == 0 ? 1U : 1U << 24};
    const std::uint64_t most = std::uint64_t{1} << (1 + random.below(31));
    NgramSorter sorter(length, order, combine, workspace);
    std::vector<Record> expected;
    for (std::uint64_t i = 0, n = random.below(3000); i < n; ++i) {
      Record record(length + kPayloadWords);
      for (unsigned w = 0; w < length; ++w)
        record[w] = static_cast<Word>(random.below(random.below(2) == 0 ? 2 : most));
      put_count(&record[length], 1 + random.below(3));
      std::ranges::copy(record, sorter.append());
      expected.push_back(record);
    }
    const auto key = [&](const Record& record) {
      Record words(record.begin(), record.begin() + length);
      if (order == NgramOrder::kContext) std::rotate(words.begin(), words.begin() + 1, words.end());
      return words;
    };
    std::ranges::stable_sort(expected, {}, key);
    if (combine != nullptr) {
      std::vector<Record> unique;
      for (const Record& record : expected) {
        if (!unique.empty() && key(unique.back()) == key(record))
          add_counts(unique.back().data(), record.data(), length);
        else
          unique.push_back(record);
      }
      expected = unique;
    }
    const SortedNgrams sorted = sorter.finish();
    EXPECT_EQ(read_all(sorted, length), expected);
    EXPECT_EQ(sorted.count(), expected.size());
    EXPECT_EQ(read_all(sorted, length), expected) << "it can be read again";
  }
}

TEST(NgramSorter, SaysWhenThereIsNoRoom) {
  NgramSorter sorter(1, NgramOrder::kSuffix, nullptr, {.memory = 1, .folder = "/nowhere/at/all"});
  EXPECT_THROW(
      {
        for (Word i = 0; i < 1000; ++i) {
          const Word payload[kPayloadWords] = {};
          sorter.add(&i, payload);
        }
      },
      IoError);
}

}  // namespace
}  // namespace coppice::lm
