// What trees may ask of a token: attributes, as the features of a schema (trees/schema.h).
//
// Attributes come in groups, one for each template. An attribute that a token has several times, as
// templates of one bag give it, has the sum of its values there. An attribute that ever has another
// value than 1 becomes an ordered feature. A group that gives a token at most one attribute, out of
// few, becomes a categorical feature, whose values are the attributes: trees can then ask for any
// set of them at once. The attributes of any other group are binary features, each for itself. A
// token that has none of a categorical feature's attributes, or not an ordered feature's, lacks the
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/score/key_fold.h"
#include "coppice/trees/examples.h"
#include "coppice/trees/schema.h"
#include "coppice/trees/tree.h"

namespace coppice {

struct DesignMatrix;  // of src/score/design.h

inline constexpr std::uint32_t kNoGroup = 0xffffffffu;  // an attribute for itself

struct TreeInputOptions {
  std::size_t max_categories = 64;  // a group with more is taken attribute by attribute
  std::size_t max_bins = 255;       // of an ordered feature
  KeyFold fold{};                   // that of the keys
};

class TreeInputs {
 public:
  struct Entry {  // as model files hold it
    std::uint64_t key = 0;
    std::uint32_t feature = 0;
    std::uint32_t bin = 0;  // trees::kNoBin for an ordered feature: its value decides
  };

  TreeInputs() = default;
  // `keys` and `groups` are those of the design's attributes.
  TreeInputs(const DesignMatrix& design, std::span<const std::uint64_t> keys,
             std::span<const std::uint32_t> groups, const TreeInputOptions& options);
  // Of a model file. Throws InvalidArgument unless the parts fit together.
  TreeInputs(trees::Schema schema, std::span<const Entry> entries, KeyFold fold = {});

  const trees::Schema& schema() const noexcept { return schema_; }
  // Ascending by key.
  std::span<const Entry> entries() const noexcept { return entries_; }
  // The entry of `key` (a whole one: it is folded here), or null. O(log entries).
  const Entry* find(std::uint64_t key) const noexcept;
  // The keys of all attributes of the features that these trees ask for, ascending.
  std::vector<std::uint64_t> asked_keys(const trees::EnsembleView& trees) const;

  // The bins of a token with these attributes, ascending, each feature once. No values: all are 1.
  // An attribute may come several times, as bags give it: its values are summed, as those of a
  // design are already.
  void encode(std::span<const std::uint64_t> keys, std::span<const float> values,
              std::vector<std::uint32_t>& bins) const;
  // All tokens of a design matrix over the given keys.
  trees::ExampleTable encode(const DesignMatrix& design, std::span<const std::uint64_t> keys) const;

 private:
  void finish(std::vector<std::uint32_t>& bins) const;

  trees::Schema schema_;
  std::vector<Entry> entries_;
  KeyFold fold_;
};

}  // namespace coppice
