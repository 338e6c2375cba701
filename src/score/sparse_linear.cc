#include "coppice/score/sparse_linear.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "coppice/base/error.h"

namespace coppice {

namespace {

constexpr std::size_t kFewestPairsToMerge = std::size_t{1} << 16;
constexpr unsigned kMostBucketBits = 30;
// Where a feature has so many times as many outputs as a row has parts, parts search outputs.
constexpr std::size_t kSearchRatio = 8;

// The finaliser of MurmurHash3: keys are hashes, outputs are not.
std::uint64_t mixed(std::uint64_t h) noexcept {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

bool is_before(const SparseLinear::Entry& entry, std::uint32_t output) noexcept {
  return entry.output < output;
}

// The parts of each row, ascending by output.
class PartsByRow {
 public:
  explicit PartsByRow(const PartFeatures& features)
      : begin_(features.num_rows() + 1, 0), order_(features.num_parts()) {
    const auto cells = features.cells();
    for (const PartCell& cell : cells) ++begin_[cell.row + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t part = 0; part < cells.size(); ++part) {
      order_[next[cells[part].row]++] = part;
    }
    const auto by_output = [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(cells[a].output, a) < std::tie(cells[b].output, b);
    };
    for (std::size_t row = 0; row < features.num_rows(); ++row) {
      const auto first = order_.begin() + begin_[row], last = order_.begin() + begin_[row + 1];
      if (!std::is_sorted(first, last, by_output)) std::sort(first, last, by_output);
    }
  }

  std::span<const std::uint32_t> of(std::size_t row) const noexcept {
    return {order_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

void SparseLinear::Builder::observe(const PartFeatures& features,
                                    std::span<const unsigned char> wanted) {
  require(wanted.empty() || wanted.size() == features.num_parts(), "observe: ", wanted.size(),
          " flags for ", features.num_parts(), " parts");
  for (std::size_t part = 0; part < features.num_parts(); ++part) {
    if (!wanted.empty() && wanted[part] == 0) continue;
    const PartCell& cell = features.cells()[part];
    for (const std::uint64_t key : features.keys(cell.row)) pairs_.push_back({key, cell.output, 1});
  }
  if (pairs_.size() >= 2 * std::max(merged_, kFewestPairsToMerge)) merge();
}

void SparseLinear::Builder::merge() {
  const auto pair = [](const Pair& one) { return std::tie(one.key, one.output); };
  const auto first_new = pairs_.begin() + static_cast<std::ptrdiff_t>(merged_);
  const auto before = [&](const Pair& a, const Pair& b) { return pair(a) < pair(b); };
  std::sort(first_new, pairs_.end(), before);
  std::inplace_merge(pairs_.begin(), first_new, pairs_.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (kept > 0 && pair(pairs_[kept - 1]) == pair(pairs_[i])) {
      pairs_[kept - 1].count += pairs_[i].count;
    } else {
      pairs_[kept++] = pairs_[i];
    }
  }
  pairs_.resize(kept);
  merged_ = kept;
}

SparseLinear SparseLinear::Builder::build(std::size_t min_count, unsigned bucket_bits) && {
  require(bucket_bits <= kMostBucketBits, "2^", bucket_bits, " hashed weights; at most 2^",
          kMostBucketBits, " are allowed");
  merge();
  std::erase_if(pairs_, [&](const Pair& one) { return one.count < min_count; });
  SparseLinear made;
  made.num_buckets_ = bucket_bits == 0 ? 0 : std::size_t{1} << bucket_bits;
  require(pairs_.size() + made.num_buckets_ <= kMaxIds, pairs_.size(),
          " pairs of a feature and an output; at most 2^32 - 1 have weights");
  std::vector<Feature> used;
  for (const Pair& one : pairs_) {
    const auto number = static_cast<std::uint32_t>(made.entries_.size());
    if (used.empty() || used.back().key != one.key) used.push_back({one.key, number, 0});
    ++used.back().size;
    made.entries_.push_back({one.output, number});
  }
  made.fill_slots(used);
  return made;
}

void SparseLinear::fill_slots(std::span<const Feature> used) {
  slots_.assign(std::bit_ceil(used.size() + used.size() / 3 + 1), Feature{});
  const std::size_t mask = slots_.size() - 1;
  for (const Feature& slot : used) {
    std::size_t at = slot.key & mask;
    while (slots_[at].size != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

SparseLinear::SparseLinear(std::span<const Feature> features, std::vector<Entry> entries,
                           std::size_t num_buckets)
    : entries_(std::move(entries)), num_buckets_(num_buckets) {
  require(num_buckets == 0 || (std::has_single_bit(num_buckets) &&
                               num_buckets <= (std::size_t{1} << kMostBucketBits)),
          "sparse weights: ", num_buckets, " buckets");
  std::size_t end = 0;
  for (const Feature& feature : features) {
    require(feature.begin == end && feature.size > 0 && feature.size <= entries_.size() - end,
            "sparse weights: a feature without its own entries");
    end += feature.size;
    for (std::size_t i = feature.begin; i < end; ++i) {
      require(entries_[i].parameter == i, "sparse weights: entry ", i, " has another parameter");
      require(i == feature.begin || entries_[i - 1].output < entries_[i].output,
              "sparse weights: outputs of a feature do not ascend");
    }
  }
  require(end == entries_.size(), "sparse weights: entries without a feature");
  fill_slots(features);
}

std::vector<SparseLinear::Feature> SparseLinear::features() const {
  std::vector<Feature> used;
  for (const Feature& slot : slots_) {
    if (slot.size > 0) used.push_back(slot);
  }
  std::sort(used.begin(), used.end(),
            [](const Feature& a, const Feature& b) { return a.begin < b.begin; });
  return used;
}

std::span<const SparseLinear::Entry> SparseLinear::entries(std::uint64_t key) const noexcept {
  if (slots_.empty()) return {};
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = key & mask;; at = (at + 1) & mask) {
    const Feature& slot = slots_[at];
    if (slot.size == 0) return {};
    if (slot.key == key) return {entries_.data() + slot.begin, slot.size};
  }
}

std::optional<std::uint32_t> SparseLinear::parameter(std::uint64_t key,
                                                     std::uint32_t output) const noexcept {
  const auto known = entries(key);
  const auto found = std::lower_bound(known.begin(), known.end(), output, is_before);
  if (found != known.end() && found->output == output) return found->parameter;
  if (num_buckets_ == 0) return std::nullopt;
  return bucket(key, output);
}

std::uint32_t SparseLinear::bucket(std::uint64_t key, std::uint32_t output) const noexcept {
  const std::uint64_t hash = mixed(key ^ (std::uint64_t{output} * 0x9e3779b97f4a7c15ULL));
  return static_cast<std::uint32_t>(entries_.size() + (hash & (num_buckets_ - 1)));
}

void SparseLinear::find(const PartFeatures& features, std::vector<Hit>& hits) const {
  hits.clear();
  const PartsByRow parts_by_row(features);
  const auto cells = features.cells();
  for (std::size_t row = 0; row < features.num_rows(); ++row) {
    const auto parts = parts_by_row.of(row);
    const auto keys = features.keys(row);
    const auto values = features.values(row);
    for (std::size_t k = 0; k < keys.size() && !parts.empty(); ++k) {
      const auto known = entries(keys[k]);
      const bool searches = known.size() > kSearchRatio * parts.size();
      auto entry = known.begin();
      for (const std::uint32_t part : parts) {
        const std::uint32_t output = cells[part].output;
        if (searches) {
          entry = std::lower_bound(
              entry, known.end(), output,
              [](const Entry& one, std::uint32_t wanted) { return one.output < wanted; });
        } else {
          while (entry != known.end() && entry->output < output) ++entry;
        }
        if (entry != known.end() && entry->output == output) {
          hits.push_back({part, entry->parameter, values[k]});
        } else if (num_buckets_ > 0) {
          hits.push_back({part, bucket(keys[k], output), values[k]});
        }
      }
    }
  }
}

void add_scores(std::span<const SparseLinear::Hit> hits, std::span<const float> weights,
                std::span<float> scores) {
  for (const SparseLinear::Hit& hit : hits) scores[hit.part] += hit.value * weights[hit.parameter];
}

}  // namespace coppice
