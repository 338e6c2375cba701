// The linear potential over sparse features: parts to scores, and derivatives back.
//
// A part (token t, label y) has the score
//
//     s[t][y] = sum over attributes a on at t of  value(t, a) * weight[a][y]
//
// over the pairs (a, y) that are features: those seen in training, or all. Derivatives of an
// objective by the scores go back to derivatives by the weights through the same sum, transposed.
//
// Layout. Equal attributes are merged (design.h). A column with many labels is stored as a dense
// row of `stride` floats, so that adding it is vector work; one with few labels as a short list of
// (label, weight). Columns are ordered by frequency, so that the hot ones lie together. Parameters
// are one vector of floats: the dense rows, then the lists. Slots of dense rows that are no
// features stay zero: `mask` says which count.
//
// Cost of either direction: one row addition of stride / 8 vector operations for an entry of a
// dense column, one scalar addition a label for an entry of a short one; 4 bytes of index an entry
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "coppice/score/feature_set.h"
#include "score/design.h"

namespace coppice {

// The number of floats that a row of `labels` scores takes: a multiple of the vector width.
constexpr std::size_t row_stride(std::size_t labels) noexcept { return (labels + 7) / 8 * 8; }

// Labels seen at a token; for partly labelled data there may be several.
struct TokenLabels {
  std::span<const std::uint32_t> begin;  // token t has labels[begin[t] .. begin[t + 1])
  std::span<const std::uint16_t> labels;
};

// A pair (attribute, label), the attribute by its number in the design matrix.
struct AttributeLabel {
  std::uint32_t attribute;
  std::uint16_t label;
};

class LinearPotential {
 public:
  // `further` pairs are features whether they were seen or not; where there are any, equal
  // attributes are not merged, since their weights may begin apart. Throws InvalidArgument when
  // there are no labels, more than 65535, or more parameters than 2^32.
  LinearPotential(const DesignMatrix& design, TokenLabels gold, std::size_t labels,
                  FeatureSet features, std::span<const AttributeLabel> further = {});

  std::size_t num_labels() const noexcept { return labels_; }
  std::size_t stride() const noexcept { return stride_; }
  std::size_t num_tokens() const noexcept { return dense_begin_.size() - 1; }
  // Length of the parameter vector, padding included.
  std::size_t num_parameters() const noexcept { return mask_.size(); }
  // Number of (attribute, label) features, equal attributes counted one by one.
  std::size_t num_features() const noexcept { return num_features_; }
  // 1 for a parameter, 0 for padding.
  std::span<const unsigned char> mask() const noexcept { return mask_; }
  // For each parameter, how many equal attributes it stands for (its penalty is divided by it).
  std::span<const float> multiplicity() const noexcept { return multiplicity_; }

  // Writes the scores of tokens [first, last) to scores + t * stride. `scores` is indexed from
  // token 0. Requires weights and scores that are aligned to 32 bytes.
  void score(std::span<const float> weights, std::size_t first, std::size_t last,
             float* scores) const;

  // The transpose: gradient[parameter] = sum over its tokens of value * derivatives[t][y]. Work is
  // cut into num_blocks() independent pieces, so that threads can share it and the sums do not
  // depend on how. Every parameter is written, padding with 0.
  std::size_t num_blocks() const noexcept { return blocks_.size() - 1; }
  void gradient(const float* derivatives, std::size_t block, std::span<float> gradient) const;

  // The weight of (attribute, label) under `weights`, 0 where it is no feature: for reading a model
  // off. Equal attributes get equal shares.
  struct Entry {
    std::uint16_t label;
    float weight;
  };
  void read_row(std::span<const float> weights, std::size_t column, std::vector<Entry>& row) const;
  // The other way round: adds the weights of one of the column's attributes to its parameters, as
  // far as they are features.
  void add_row(std::size_t column, std::span<const Entry> row, std::span<float> weights) const;
  const MergedColumns& columns() const noexcept { return columns_; }
  // Adds value times the weights of one attribute to a row of scores: for tokens of other data.
  void add_attribute(std::span<const float> weights, std::uint32_t attribute, float value,
                     float* scores) const;

 private:
  friend class RowAdaGrad;

  void choose_columns(const DesignMatrix& design, TokenLabels gold, FeatureSet features,
                      std::span<const AttributeLabel> further);
  void lay_out_entries(const DesignMatrix& design);
  // A row on at a token; `list_size` is 0 for a dense row.
  struct TokenEntry {
    std::uint32_t row;
    std::uint8_t list_size;
    float value;
  };
  void add_entry(const TokenEntry& entry, bool with_value);
  std::uint8_t list_size(std::uint32_t row) const noexcept;
  void cut_blocks();
  void add_lists(std::span<const float> weights, std::size_t token, float* row, float* odd) const;
  void dense_gradient(const float* derivatives, std::size_t row, AlignedVector<float>& run,
                      std::vector<double>& total, float* out) const;
  void list_gradient(const float* derivatives, std::size_t row, std::span<float> gradient) const;

  static std::span<const std::uint32_t> slice(const std::vector<std::uint32_t>& all,
                                              const std::vector<std::uint32_t>& begin,
                                              std::size_t i) noexcept {
    return {all.data() + begin[i], begin[i + 1] - begin[i]};
  }

  std::size_t labels_;
  std::size_t stride_;
  std::size_t num_features_ = 0;
  MergedColumns columns_;
  // Position of a column: row number below num_dense_, else num_dense_ + number of its list.
  std::vector<std::uint32_t> row_of_column_;
  std::vector<std::uint32_t> column_of_row_;
  std::size_t num_dense_ = 0;
  std::vector<std::uint32_t>
      list_begin_;  // short row r has parameters [list_begin_[r], ...[r + 1])
  std::vector<std::uint16_t> list_label_;  // by parameter, from the first list on

  // By token.
  std::vector<std::uint32_t> dense_begin_, dense_;  // rows
  std::vector<std::uint32_t> short_begin_, short_;  // first parameters of lists ...
  std::vector<std::uint8_t> short_size_;            // ... and how many they have
  std::vector<float> dense_value_, short_value_;    // empty when every value is 1
  // By row.
  std::vector<std::uint32_t> tokens_begin_, tokens_;
  std::vector<float> tokens_value_;
  std::vector<std::uint32_t> blocks_;  // block b is rows [blocks_[b], blocks_[b + 1])

  std::vector<unsigned char> mask_;
  std::vector<float> multiplicity_;
};

}  // namespace coppice
