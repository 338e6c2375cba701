#include "score/linear.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "coppice/base/assert.h"
#include "coppice/base/error.h"
#include "score/rows.h"

namespace coppice {

namespace {

// A column with more than one in so many of the labels is stored as a dense row, and so is one with
// more labels than a list may have.
constexpr std::size_t kDenseShare = 4;
constexpr std::size_t kMaxList = 255;
// Rows with more tokens are summed in runs of this length, and the runs in double: float sums of
// hundreds of thousands of terms would lose the small ones.
constexpr std::size_t kRun = 1024;
// Entries in a block of gradient work.
constexpr std::size_t kBlockEntries = 1 << 16;
// Entries of lists between asking for a token's derivatives and reading them.
constexpr std::size_t kFetchAhead = 16;

}  // namespace

LinearPotential::LinearPotential(const DesignMatrix& design, TokenLabels gold, std::size_t labels,
                                 FeatureSet features, std::span<const AttributeLabel> further)
    : labels_(labels), stride_(row_stride(labels)) {
  require(labels > 0 && labels <= std::numeric_limits<std::uint16_t>::max(),
          "linear potential: ", labels, " labels, expected 1 to 65535");
  columns_ = further.empty() ? merge_equal_columns(design) : separate_columns(design);
  choose_columns(design, gold, features, further);
  lay_out_entries(design);
  cut_blocks();
}

// Which labels each column has, which columns are dense, and where their parameters are.
void LinearPotential::choose_columns(const DesignMatrix& design, TokenLabels gold,
                                     FeatureSet features, std::span<const AttributeLabel> further) {
  const std::size_t columns = columns_.size();
  // Labels by column, as a bit set in words of 64.
  const std::size_t words = (labels_ + 63) / 64;
  std::vector<std::uint64_t> seen(columns * words, 0);
  if (features == FeatureSet::kAllPairs) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t y = 0; y < labels_; ++y)
        seen[c * words + y / 64] |= std::uint64_t{1} << y % 64;
    }
  } else {
    for (std::size_t t = 0; t < design.num_tokens(); ++t) {
      for (std::uint32_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
        const std::size_t c = columns_.column_of[design.attributes[k]];
        for (std::uint32_t g = gold.begin[t]; g < gold.begin[t + 1]; ++g) {
          seen[c * words + gold.labels[g] / 64] |= std::uint64_t{1} << gold.labels[g] % 64;
        }
      }
    }
  }
  for (const auto& [attribute, label] : further) {
    const std::uint32_t c = columns_.column_of[attribute];
    if (c != kNoColumn) seen[c * words + label / 64] |= std::uint64_t{1} << label % 64;
  }
  const auto has = [&](std::size_t c, std::size_t y) {
    return seen[c * words + y / 64] >> y % 64 & 1;
  };
  const auto num_labels = [&](std::size_t c) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < words; ++w) {
      n += static_cast<std::size_t>(__builtin_popcountll(seen[c * words + w]));
    }
    return n;
  };

  std::vector<std::uint32_t> order(columns);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (columns_.count[a] != columns_.count[b]) return columns_.count[a] > columns_.count[b];
    return columns_.first[a] != columns_.first[b] ? columns_.first[a] < columns_.first[b] : a < b;
  });
  const auto middle = std::stable_partition(order.begin(), order.end(), [&](std::uint32_t c) {
    return num_labels(c) * kDenseShare > labels_ || num_labels(c) > kMaxList;
  });
  num_dense_ = static_cast<std::size_t>(middle - order.begin());
  column_of_row_ = order;
  row_of_column_.resize(columns);
  for (std::uint32_t r = 0; r < columns; ++r) row_of_column_[order[r]] = r;

  const std::size_t dense_parameters = num_dense_ * stride_;
  mask_.assign(dense_parameters, 0);
  multiplicity_.assign(dense_parameters, 1.0f);
  list_begin_.push_back(static_cast<std::uint32_t>(dense_parameters));
  for (std::size_t r = 0; r < columns; ++r) {
    const std::uint32_t c = order[r];
    const auto copies = static_cast<float>(columns_.multiplicity[c]);
    num_features_ += num_labels(c) * columns_.multiplicity[c];
    for (std::size_t y = 0; y < labels_; ++y) {
      if (!has(c, y)) continue;
      if (r < num_dense_) {
        mask_[r * stride_ + y] = 1;
        multiplicity_[r * stride_ + y] = copies;
      } else {
        mask_.push_back(1);
        multiplicity_.push_back(copies);
        list_label_.push_back(static_cast<std::uint16_t>(y));
      }
    }
    if (r >= num_dense_) list_begin_.push_back(static_cast<std::uint32_t>(mask_.size()));
  }
  require(mask_.size() < std::numeric_limits<std::uint32_t>::max(),
          "linear potential: more than 2^32 parameters");
}

// Entries by token, and by row.
void LinearPotential::lay_out_entries(const DesignMatrix& design) {
  const std::size_t rows = columns_.size();
  const bool with_values = !design.values.empty();
  tokens_begin_.assign(rows + 1, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    tokens_begin_[r + 1] = tokens_begin_[r] + columns_.count[column_of_row_[r]];
  }
  tokens_.resize(tokens_begin_.back());
  if (with_values) tokens_value_.resize(tokens_.size());
  std::vector<std::uint32_t> next(tokens_begin_.begin(), tokens_begin_.end() - 1);
  std::vector<std::uint32_t> done(rows, kNoColumn);  // the token that a row was last put at

  dense_begin_.push_back(0);
  short_begin_.push_back(0);
  std::vector<TokenEntry> entries;
  for (std::uint32_t t = 0; t < design.num_tokens(); ++t) {
    entries.clear();
    for (std::uint32_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
      const std::uint32_t row = row_of_column_[columns_.column_of[design.attributes[k]]];
      if (done[row] == t) continue;  // another of its equal attributes
      done[row] = t;
      tokens_[next[row]] = t;
      if (with_values) tokens_value_[next[row]] = design.values[k];
      ++next[row];
      entries.push_back({row, list_size(row), with_values ? design.values[k] : 1.0f});
    }
    // Lists of one length follow each other: the loop over a list is then easy to predict.
    std::stable_sort(entries.begin(), entries.end(), [](const TokenEntry& a, const TokenEntry& b) {
      return a.list_size < b.list_size;
    });
    for (const TokenEntry& entry : entries) add_entry(entry, with_values);
    dense_begin_.push_back(static_cast<std::uint32_t>(dense_.size()));
    short_begin_.push_back(static_cast<std::uint32_t>(short_.size()));
  }
}

void LinearPotential::add_entry(const TokenEntry& entry, bool with_value) {
  const bool dense = entry.row < num_dense_;
  if (!dense && entry.list_size == 0) return;  // no label was seen with it: unlabelled tokens only
  if (with_value) (dense ? dense_value_ : short_value_).push_back(entry.value);
  if (dense) {
    dense_.push_back(entry.row);
  } else {
    short_.push_back(list_begin_[entry.row - num_dense_]);
    short_size_.push_back(entry.list_size);
  }
}

std::uint8_t LinearPotential::list_size(std::uint32_t row) const noexcept {
  if (row < num_dense_) return 0;
  const std::size_t list = row - num_dense_;
  return static_cast<std::uint8_t>(list_begin_[list + 1] - list_begin_[list]);
}

void LinearPotential::cut_blocks() {
  blocks_.push_back(0);
  std::size_t entries = 0;
  for (std::uint32_t r = 0; r < columns_.size(); ++r) {
    entries += tokens_begin_[r + 1] - tokens_begin_[r];
    if (entries >= kBlockEntries || r + 1 == columns_.size()) {
      blocks_.push_back(r + 1);
      entries = 0;
    }
  }
}

void LinearPotential::score(std::span<const float> weights, std::size_t first, std::size_t last,
                            float* scores) const {
  COPPICE_ASSERT(reinterpret_cast<std::uintptr_t>(weights.data()) % 32 == 0);
  AlignedVector<float> odd(stride_);
  for (std::size_t t = first; t < last; ++t) {
    float* row = scores + t * stride_;
    const std::span values = dense_value_.empty()
                                 ? std::span<const float>()
                                 : std::span(dense_value_).subspan(dense_begin_[t]);
    sum_rows(weights.data(), stride_, slice(dense_, dense_begin_, t), values, row);
    add_lists(weights, t, row, odd.data());
  }
}

// Every second list goes to `odd`, added at the end: most lists of a token have its own label, and
// additions to one place would wait for each other.
void LinearPotential::add_lists(std::span<const float> weights, std::size_t token, float* row,
                                float* odd) const {
  const std::size_t begin = short_begin_[token], end = short_begin_[token + 1];
  if (begin == end) return;
  std::fill_n(odd, stride_, 0.0f);
  for (std::size_t k = begin; k < end; ++k) {
    const float value = short_value_.empty() ? 1.0f : short_value_[k];
    const float* weight = weights.data() + short_[k];
    const std::uint16_t* label = list_label_.data() + (short_[k] - list_begin_[0]);
    float* out = (k & 1) != 0 ? odd : row;
    for (std::size_t i = 0; i < short_size_[k]; ++i) out[label[i]] += value * weight[i];
  }
  for (std::size_t y = 0; y < stride_; ++y) row[y] += odd[y];
}

void LinearPotential::gradient(const float* derivatives, std::size_t block,
                               std::span<float> gradient) const {
  const std::size_t first = blocks_[block], last = blocks_[block + 1];
  const std::size_t dense_end = std::clamp<std::size_t>(num_dense_, first, last);
  AlignedVector<float> run(stride_);
  std::vector<double> total(stride_);
  for (std::size_t r = first; r < dense_end; ++r) {
    dense_gradient(derivatives, r, run, total, gradient.data() + r * stride_);
  }
  for (std::size_t r = dense_end; r < last; ++r) list_gradient(derivatives, r, gradient);
}

void LinearPotential::dense_gradient(const float* derivatives, std::size_t row,
                                     AlignedVector<float>& run, std::vector<double>& total,
                                     float* out) const {
  const std::size_t begin = tokens_begin_[row], end = tokens_begin_[row + 1];
  const std::span tokens(tokens_);
  const std::span values(tokens_value_);
  const auto sum = [&](std::size_t first, std::size_t n, float* sums) {
    sum_rows(derivatives, stride_, tokens.subspan(first, n),
             values.empty() ? values : values.subspan(first, n), sums);
  };
  if (end - begin <= kRun) {
    sum(begin, end - begin, out);
  } else {
    std::fill(total.begin(), total.end(), 0.0);
    for (std::size_t k = begin; k < end; k += kRun) {
      sum(k, std::min(kRun, end - k), run.data());
      for (std::size_t y = 0; y < stride_; ++y) total[y] += run[y];
    }
    for (std::size_t y = 0; y < stride_; ++y) out[y] = static_cast<float>(total[y]);
  }
  for (std::size_t y = 0; y < stride_; ++y) {
    if (mask_[row * stride_ + y] == 0) out[y] = 0;
  }
}

void LinearPotential::list_gradient(const float* derivatives, std::size_t row,
                                    std::span<float> gradient) const {
  const std::size_t begin = tokens_begin_[row], end = tokens_begin_[row + 1];
  const std::size_t list = row - num_dense_;
  // The tokens of rare columns lie all over the corpus: their derivatives are fetched ahead.
  for (std::size_t k = begin + kFetchAhead; k < std::min(end + kFetchAhead, tokens_.size()); ++k) {
    __builtin_prefetch(derivatives + tokens_[k] * stride_);
  }
  for (std::uint32_t p = list_begin_[list]; p < list_begin_[list + 1]; ++p) {
    const std::size_t y = list_label_[p - list_begin_[0]];
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const float value = tokens_value_.empty() ? 1.0f : tokens_value_[k];
      sum += value * derivatives[tokens_[k] * stride_ + y];
    }
    gradient[p] = static_cast<float>(sum);
  }
}

void LinearPotential::read_row(std::span<const float> weights, std::size_t column,
                               std::vector<Entry>& row) const {
  row.clear();
  const std::size_t r = row_of_column_[column];
  const auto share = 1.0f / static_cast<float>(columns_.multiplicity[column]);
  if (r < num_dense_) {
    for (std::size_t y = 0; y < labels_; ++y) {
      const float weight = weights[r * stride_ + y] * share;
      if (weight != 0) row.push_back({static_cast<std::uint16_t>(y), weight});
    }
  } else {
    const std::size_t list = r - num_dense_;
    for (std::uint32_t p = list_begin_[list]; p < list_begin_[list + 1]; ++p) {
      const float weight = weights[p] * share;
      if (weight != 0) row.push_back({list_label_[p - list_begin_[0]], weight});
    }
  }
}

void LinearPotential::add_row(std::size_t column, std::span<const Entry> row,
                              std::span<float> weights) const {
  const std::size_t r = row_of_column_[column];
  for (const auto& [label, weight] : row) {
    if (r < num_dense_) {
      const std::size_t at = r * stride_ + label;
      if (mask_[at] != 0) weights[at] += weight;
      continue;
    }
    const std::size_t list = r - num_dense_;
    for (std::uint32_t p = list_begin_[list]; p < list_begin_[list + 1]; ++p) {
      if (list_label_[p - list_begin_[0]] == label) weights[p] += weight;
    }
  }
}

void LinearPotential::add_attribute(std::span<const float> weights, std::uint32_t attribute,
                                    float value, float* scores) const {
  const std::uint32_t column = columns_.column_of[attribute];
  if (column == kNoColumn) return;
  const std::size_t r = row_of_column_[column];
  const float factor = value / static_cast<float>(columns_.multiplicity[column]);
  if (r < num_dense_) {
    for (std::size_t y = 0; y < stride_; ++y) scores[y] += factor * weights[r * stride_ + y];
    return;
  }
  const std::size_t list = r - num_dense_;
  for (std::uint32_t p = list_begin_[list]; p < list_begin_[list + 1]; ++p) {
    scores[list_label_[p - list_begin_[0]]] += factor * weights[p];
  }
}

}  // namespace coppice
