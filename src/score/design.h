// The design matrix of a corpus: which attributes are on at which token.
//
// Rows are tokens, laid end to end over all sentences; a cell holds the attribute's value there
// (1 unless `values` is given). The matrix is sparse and stored by token: token t has the entries
// [begin[t], begin[t + 1]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coppice {

struct DesignMatrix {
  std::size_t num_attributes = 0;
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> attributes;
  std::vector<float> values;  // empty when every value is 1

  std::size_t num_tokens() const noexcept { return begin.size() - 1; }
  std::size_t num_entries() const noexcept { return attributes.size(); }
};

// Attributes that have the same value at every token cannot be told apart: at the optimum of an
// L2-penalised objective they share one weight. `columns` merges them: n equal attributes of weight
// w each become one column of weight u = n w, whose penalty is u^2 / n instead of u^2.
struct MergedColumns {
  std::vector<std::uint32_t> column_of;     // attribute -> column; kNoColumn when it never occurs
  std::vector<std::uint32_t> multiplicity;  // column -> number of attributes in it
  std::vector<std::uint32_t> count;         // column -> number of tokens where it is on
  std::vector<std::uint32_t> first;         // column -> first token where it is on

  std::size_t size() const noexcept { return multiplicity.size(); }
};
inline constexpr std::uint32_t kNoColumn = 0xffffffffu;

// Equal columns are found by a 64-bit hash of their entries and then compared entry by entry.
// O(entries).
MergedColumns merge_equal_columns(const DesignMatrix& design);

// A column for each attribute: what a start needs whose weights tell equal attributes apart.
MergedColumns separate_columns(const DesignMatrix& design);

}  // namespace coppice
