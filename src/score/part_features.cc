#include "coppice/score/part_features.h"

#include "coppice/base/error.h"

namespace coppice {

std::uint32_t PartFeatures::add_row() {
  require(num_rows() < kMaxIds, "an example of 2^32 - 1 rows has no place for another");
  begin_.push_back(begin_.back());
  return static_cast<std::uint32_t>(num_rows() - 1);
}

PartId PartFeatures::add_parts(std::uint32_t row, std::uint32_t output, std::size_t count) {
  require(row < num_rows(), "a part of row ", row, " of ", num_rows());
  require(cells_.size() + count <= kMaxIds, "an example has more than 2^32 - 1 parts");
  const auto first = static_cast<PartId>(cells_.size());
  for (std::size_t i = 0; i < count; ++i) {
    cells_.push_back({row, output + static_cast<std::uint32_t>(i)});
  }
  return first;
}

void PartFeatures::clear() {
  begin_.assign(1, 0);
  keys_.clear();
  values_.clear();
  cells_.clear();
}

}  // namespace coppice
