#include "trees/histogram.h"

#include "base/reduce.h"

namespace coppice::trees {

namespace {

constexpr std::size_t kRowsPerChunk = 4096;
constexpr std::size_t kPrefetchRows = 16;
constexpr std::size_t kSortCost = 16;  // of an entry, beside looking at a bin

void add_rows(const BinMatrix& matrix, std::span<const std::uint32_t> rows,
              const NodeTargets& targets, Sums* dense) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kPrefetchRows < rows.size()) {
      __builtin_prefetch(matrix.bins.data() + matrix.begin[rows[i + kPrefetchRows]]);
    }
    const Sums sums = targets.of(rows[i]);
    for (const std::uint32_t bin : matrix.row(rows[i])) dense[bin] += sums;
  }
}

// The values for which keep(i) holds, in order.
template <class Keep, class Value>
std::vector<BinSums> collect(const Threads& threads, std::size_t size, const Keep& keep,
                             const Value& value) {
  std::vector<std::size_t> begin(num_chunks(size) + 1);
  for_elements(threads, size, [&](std::size_t first, std::size_t last) {
    std::size_t kept = 0;
    for (std::size_t i = first; i < last; ++i) kept += keep(i) ? 1 : 0;
    begin[first / kChunkElements + 1] = kept;
  });
  for (std::size_t chunk = 1; chunk < begin.size(); ++chunk) begin[chunk] += begin[chunk - 1];
  std::vector<BinSums> values(begin.back());
  for_elements(threads, size, [&](std::size_t first, std::size_t last) {
    std::size_t at = begin[first / kChunkElements];
    for (std::size_t i = first; i < last; ++i) {
      if (keep(i)) values[at++] = value(i);
    }
  });
  return values;
}

}  // namespace

void Histogram::add(std::span<const std::uint32_t> rows, const NodeTargets& targets,
                    const Threads& threads) {
  // Several dense arrays pay when they are filled, not when they are mostly merged.
  const std::size_t entries = entries_of(rows.size());
  const bool shared = threads.size() > 1 && entries > 2 * num_bins_ && entries > kChunkElements;
  dense_.resize(std::max<std::size_t>(dense_.size(), shared ? threads.size() : 1));
  dense_[0].resize(num_bins_);
  if (!shared) {
    add_rows(matrix_, rows, targets, dense_[0].data());
    return;
  }
  const std::size_t chunks = (rows.size() + kRowsPerChunk - 1) / kRowsPerChunk;
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned worker) {
    dense_[worker].resize(num_bins_);
    const std::size_t begin = chunk * kRowsPerChunk;
    const std::size_t size = std::min(kRowsPerChunk, rows.size() - begin);
    add_rows(matrix_, rows.subspan(begin, size), targets, dense_[worker].data());
  });
  for_elements(threads, num_bins_, [&](std::size_t first, std::size_t last) {
    for (std::size_t worker = 1; worker < dense_.size(); ++worker) {
      if (dense_[worker].empty()) continue;
      for (std::size_t bin = first; bin < last; ++bin) {
        dense_[0][bin] += dense_[worker][bin];
        dense_[worker][bin] = {};
      }
    }
  });
}

std::vector<BinSums> Histogram::take(const Threads& threads) {
  std::vector<Sums>& dense = dense_[0];
  auto list = collect(
      threads, num_bins_, [&](std::size_t bin) { return dense[bin].curvature != 0; },
      [&](std::size_t bin) {
        return BinSums{static_cast<std::uint32_t>(bin), dense[bin]};
      });
  for (const BinSums& entry : list) dense[entry.bin] = {};
  return list;
}

std::vector<BinSums> Histogram::take(std::span<const std::uint32_t> rows, const Threads& threads) {
  if (kSortCost * entries_of(rows.size()) > num_bins_) return take(threads);
  std::vector<Sums>& dense = dense_[0];
  std::vector<BinSums> list;
  for (const std::uint32_t row : rows) {
    for (const std::uint32_t bin : matrix_.row(row)) {
      if (dense[bin].curvature == 0) continue;
      list.push_back({bin, dense[bin]});
      dense[bin] = {};
    }
  }
  std::sort(list.begin(), list.end(),
            [](const BinSums& a, const BinSums& b) { return a.bin < b.bin; });
  return list;
}

std::vector<BinSums> Histogram::take_from(std::vector<BinSums>& parent, const Threads& threads) {
  std::vector<Sums>& dense = dense_[0];
  if (threads.size() == 1 || num_chunks(parent.size()) < 2) return take_in_one_pass(parent);
  auto child = collect(
      threads, parent.size(), [&](std::size_t i) { return dense[parent[i].bin].curvature != 0; },
      [&](std::size_t i) {
        return BinSums{parent[i].bin, dense[parent[i].bin]};
      });
  parent = collect(
      threads, parent.size(),
      [&](std::size_t i) { return parent[i].sums.curvature != dense[parent[i].bin].curvature; },
      [&](std::size_t i) {
        return BinSums{parent[i].bin, parent[i].sums - dense[parent[i].bin]};
      });
  for (const BinSums& entry : child) dense[entry.bin] = {};
  return child;
}

std::vector<BinSums> Histogram::take_in_one_pass(std::vector<BinSums>& parent) {
  std::vector<Sums>& dense = dense_[0];
  std::vector<BinSums> child;
  std::size_t kept = 0;
  for (const BinSums& entry : parent) {
    Sums& own = dense[entry.bin];
    if (own.curvature == 0) {
      parent[kept++] = entry;
      continue;
    }
    child.push_back({entry.bin, own});
    if (entry.sums.curvature != own.curvature) parent[kept++] = {entry.bin, entry.sums - own};
    own = {};
  }
  parent.resize(kept);
  return child;
}

}  // namespace coppice::trees
