// The linear potential over features of parts that are made when an example is visited: anchored
// rules, spans, dependencies, translation rules.
//
//     score(part) = sum over the features f of its row of  value(f) * weight(f, output)
//
// The pairs (feature, output) with a weight of their own are fixed before training: a frozen
// dictionary of what examples were shown. All other pairs share 2^bucket_bits hashed weights, or
// have none. Memory does not grow with the corpus: it is that of the dictionary.
//
// An example is looked up once, to a list of hits (part, weight, value), which then scores the
// parts and takes derivatives back. Cost: one probe of a hash table per feature of a row, then one
// step per pair (feature, part) of the narrower of the two lists, and 12 bytes and two additions
// per hit (`./dev bench seam` prints nanoseconds). Where linear.h wants the corpus as a matrix and
// every output at every row, this wants neither; chains of a few labels are faster there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coppice/score/part_features.h"

namespace coppice {

class SparseLinear {
 public:
  // A weight that a part's score adds, `value` times.
  struct Hit {
    std::uint32_t part;
    std::uint32_t parameter;
    float value;
  };
  struct Entry {  // a weight of a feature's own, by output
    std::uint32_t output;
    std::uint32_t parameter;
  };

  // Collects the pairs that get weights of their own.
  class Builder {
   public:
    // Counts the pairs of the parts for which wanted[part] is not 0; of all where it is empty.
    // Throws InvalidArgument unless it has the size of one of these.
    void observe(const PartFeatures& features, std::span<const unsigned char> wanted = {});
    // Leaves out pairs seen less than `min_count` times. Throws InvalidArgument for more than 2^32
    // parameters or more than 30 bits of buckets.
    SparseLinear build(std::size_t min_count = 1, unsigned bucket_bits = 0) &&;

   private:
    struct Pair {
      std::uint64_t key;
      std::uint32_t output;
      std::uint32_t count;
    };
    void merge();

    std::vector<Pair> pairs_;
    std::size_t merged_ = 0;  // so many at the beginning are sorted and differ
  };

  // A feature and where its entries begin; as model files hold the dictionary.
  struct Feature {
    std::uint64_t key = 0;
    std::uint32_t begin = 0, size = 0;
  };

  SparseLinear() = default;
  // The dictionary of a model file. Throws InvalidArgument unless features have entries, one after
  // another and all of them, outputs of a feature ascend, and parameters count up.
  SparseLinear(std::span<const Feature> features, std::vector<Entry> entries,
               std::size_t num_buckets);

  // One for each pair, then the buckets.
  std::size_t num_parameters() const noexcept { return entries_.size() + num_buckets_; }
  std::size_t num_features() const noexcept { return entries_.size(); }
  std::size_t num_buckets() const noexcept { return num_buckets_; }
  // In the order of their entries.
  std::vector<Feature> features() const;
  std::span<const Entry> all_entries() const noexcept { return entries_; }

  // Replaces `hits` by those of an example, row by row.
  void find(const PartFeatures& features, std::vector<Hit>& hits) const;

  // The weight of a feature and an output; none where the pair has no weight. O(log outputs).
  std::optional<std::uint32_t> parameter(std::uint64_t key, std::uint32_t output) const noexcept;

  // The outputs that have weights of their own with the feature, ascending; none if it is unknown.
  std::span<const Entry> entries(std::uint64_t key) const noexcept;

 private:
  std::uint32_t bucket(std::uint64_t key, std::uint32_t output) const noexcept;
  void fill_slots(std::span<const Feature> used);

  // Open addressing, at most 3/4 full; a power of 2. A free slot has size 0.
  std::vector<Feature> slots_;
  std::vector<Entry> entries_;
  std::size_t num_buckets_ = 0;
};

// Adds to the scores of the parts. Requires hits of the same example and weights.
void add_scores(std::span<const SparseLinear::Hit> hits, std::span<const float> weights,
                std::span<float> scores);

}  // namespace coppice
