#include "score/design.h"

#include <bit>
#include <unordered_map>

#include "coppice/base/error.h"

namespace coppice {

namespace {

// Entries by attribute: attribute a is on at tokens[begin[a] .. begin[a + 1]).
struct Transposed {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> tokens;
  std::vector<float> values;

  explicit Transposed(const DesignMatrix& design)
      : begin(design.num_attributes + 1, 0),
        tokens(design.num_entries()),
        values(design.values.size()) {
    for (const std::uint32_t attribute : design.attributes) ++begin[attribute + 1];
    for (std::size_t a = 1; a < begin.size(); ++a) begin[a] += begin[a - 1];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t t = 0; t < design.num_tokens(); ++t) {
      for (std::uint32_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
        const std::uint32_t at = next[design.attributes[k]]++;
        tokens[at] = t;
        if (!values.empty()) values[at] = design.values[k];
      }
    }
  }

  std::size_t count(std::size_t a) const { return begin[a + 1] - begin[a]; }

  std::uint64_t hash(std::size_t a) const {
    std::uint64_t h = count(a);
    for (std::uint32_t k = begin[a]; k < begin[a + 1]; ++k) {
      h = (h ^ tokens[k]) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
      if (!values.empty()) h = (h ^ std::bit_cast<std::uint32_t>(values[k])) * 0xd1342543de82ef95u;
    }
    return h;
  }

  bool equal(std::size_t a, std::size_t b) const {
    if (count(a) != count(b)) return false;
    for (std::size_t k = 0; k < count(a); ++k) {
      if (tokens[begin[a] + k] != tokens[begin[b] + k]) return false;
      if (!values.empty() && values[begin[a] + k] != values[begin[b] + k]) return false;
    }
    return true;
  }
};

void add_column(const Transposed& by_attribute, std::uint32_t a, MergedColumns& merged) {
  merged.column_of[a] = static_cast<std::uint32_t>(merged.size());
  merged.multiplicity.push_back(1);
  merged.count.push_back(static_cast<std::uint32_t>(by_attribute.count(a)));
  merged.first.push_back(by_attribute.tokens[by_attribute.begin[a]]);
}

}  // namespace

MergedColumns separate_columns(const DesignMatrix& design) {
  const Transposed by_attribute(design);
  MergedColumns columns;
  columns.column_of.assign(design.num_attributes, kNoColumn);
  for (std::uint32_t a = 0; a < design.num_attributes; ++a) {
    if (by_attribute.count(a) > 0) add_column(by_attribute, a, columns);
  }
  return columns;
}

MergedColumns merge_equal_columns(const DesignMatrix& design) {
  const Transposed by_attribute(design);
  MergedColumns merged;
  merged.column_of.assign(design.num_attributes, kNoColumn);
  std::unordered_map<std::uint64_t, std::uint32_t> seen;  // hash -> attribute that came first
  seen.reserve(design.num_attributes);
  for (std::uint32_t a = 0; a < design.num_attributes; ++a) {
    if (by_attribute.count(a) == 0) continue;
    const auto [entry, is_new] = seen.emplace(by_attribute.hash(a), a);
    if (!is_new && by_attribute.equal(a, entry->second)) {
      merged.column_of[a] = merged.column_of[entry->second];
      ++merged.multiplicity[merged.column_of[a]];
      continue;
    }
    add_column(by_attribute, a, merged);
  }
  return merged;
}

}  // namespace coppice
