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
constexpr std::size_t kSearchRatio = 16;

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

// Matches the entries of features with the parts of a row, and collects the hits.
class Finder {
 public:
  using Entries = std::span<const SparseLinear::Entry>;

  Finder(std::span<const PartCell> cells, std::vector<SparseLinear::Hit>& hits)
      : cells_(cells), hits_(hits) {
    std::uint32_t outputs = 0;
    for (const PartCell& cell : cells) outputs = std::max(outputs, cell.output + 1);
    part_of_.assign(outputs, kNone);
  }

  void finish() { hits_.resize(count_); }

  // `parts` ascend by output.
  void begin_row(std::span<const std::uint32_t> parts) {
    parts_ = parts;
    has_repetitions_ = false;
    for (const std::uint32_t part : parts) {
      std::uint32_t& place = part_of_[cells_[part].output];
      has_repetitions_ = has_repetitions_ || place != kNone;
      place = part;
    }
  }
  void end_row() {
    for (const std::uint32_t part : parts_) part_of_[cells_[part].output] = kNone;
  }

  // By the shorter way: each entry looks for its part, or each part for its entry.
  void take(Entries known, float value) {
    if (has_repetitions_ || known.size() > kSearchRatio * parts_.size()) {
      return search(known, value, [](std::uint32_t) { return kNone; });
    }
    reserve(known.size());
    for (const SparseLinear::Entry& entry : known) {  // without a branch that one could mispredict
      const std::uint32_t part = entry.output < part_of_.size() ? part_of_[entry.output] : kNone;
      hits_[count_] = {part, entry.parameter, value};
      count_ += part != kNone ? 1 : 0;
    }
  }
  // The same where every part has some parameter: other(output) where no entry has.
  template <class Other>
  void take_all(Entries known, float value, const Other& other) {
    search(known, value, other);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  template <class Other>
  void search(Entries known, float value, const Other& other) {
    reserve(parts_.size());
    auto entry = known.begin();
    for (const std::uint32_t part : parts_) {
      const std::uint32_t output = cells_[part].output;
      entry = std::lower_bound(entry, known.end(), output, is_before);
      const bool is_known = entry != known.end() && entry->output == output;
      const std::uint32_t parameter = is_known ? entry->parameter : other(output);
      if (parameter != kNone) hits_[count_++] = {part, parameter, value};
    }
  }

  void reserve(std::size_t more) {
    if (count_ + more > hits_.size()) hits_.resize(2 * (count_ + more));
  }

  std::span<const PartCell> cells_;
  std::vector<SparseLinear::Hit>& hits_;  // the first count_ are found
  std::size_t count_ = 0;
  std::span<const std::uint32_t> parts_;
  bool has_repetitions_ = false;        // two parts of one output
  std::vector<std::uint32_t> part_of_;  // of the row, by output
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
  const PartsByRow parts_by_row(features);
  Finder finder(features.cells(), hits);
  std::vector<std::span<const Entry>> known;
  for (std::size_t row = 0; row < features.num_rows(); ++row) {
    const auto keys = features.keys(row);
    const auto parts = parts_by_row.of(row);
    if (parts.empty()) continue;
    // The table and the entries are large: ask for all that the row needs before any is read.
    for (const std::uint64_t key : keys) prefetch(key);
    known.clear();
    for (const std::uint64_t key : keys) {
      known.push_back(entries(key));
      __builtin_prefetch(known.back().data());
    }
    finder.begin_row(parts);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const float value = features.values(row)[k];
      if (num_buckets_ > 0) {
        finder.take_all(known[k], value,
                        [&](std::uint32_t output) { return bucket(keys[k], output); });
      } else {
        finder.take(known[k], value);
      }
    }
    finder.end_row();
  }
  finder.finish();
}

void add_scores(std::span<const SparseLinear::Hit> hits, std::span<const float> weights,
                std::span<float> scores) {
  for (const SparseLinear::Hit& hit : hits) scores[hit.part] += hit.value * weights[hit.parameter];
}

}  // namespace coppice
