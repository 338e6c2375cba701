#include "score/design_builder.h"

#include <limits>
#include <utility>

#include "coppice/base/error.h"

namespace coppice {

void DesignBuilder::add(std::uint64_t key, double value, std::uint32_t group) {
  const std::uint32_t id = dictionary_.add(fold_(key));
  const auto entry = static_cast<std::uint32_t>(design_.attributes.size());
  if (id == last_entry_.size()) {
    last_entry_.push_back(entry);
    groups_.push_back(group);
  } else if (last_entry_[id] >= design_.begin.back()) {
    design_.values[last_entry_[id]] += static_cast<float>(value);
    has_values_ = true;
    return;
  }
  last_entry_[id] = entry;
  design_.attributes.push_back(id);
  design_.values.push_back(static_cast<float>(value));
  has_values_ = has_values_ || value != 1;
}

void DesignBuilder::end_token() {
  design_.begin.push_back(static_cast<std::uint32_t>(design_.attributes.size()));
  require(design_.attributes.size() < std::numeric_limits<std::uint32_t>::max(),
          "more than 2^32 attribute occurrences in the training data");
}

DesignBuilder::Result DesignBuilder::build(std::size_t min_count) && {
  const auto& counts = dictionary_.counts();
  std::vector<std::uint32_t> number(dictionary_.size(), kNoColumn);
  Result result;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    if (counts[a] < min_count) continue;
    number[a] = static_cast<std::uint32_t>(result.keys.size());
    result.keys.push_back(dictionary_.keys()[a]);
    result.groups.push_back(groups_[a]);
  }
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t t = 0; t < design_.num_tokens(); ++t) {
    const std::size_t end = design_.begin[t + 1];
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t id = number[design_.attributes[k]];
      if (id == kNoColumn) continue;
      design_.attributes[kept] = id;
      design_.values[kept++] = design_.values[k];
    }
    begin = end;
    design_.begin[t + 1] = static_cast<std::uint32_t>(kept);
  }
  design_.attributes.resize(kept);
  design_.values.resize(has_values_ ? kept : 0);
  design_.values.shrink_to_fit();
  design_.num_attributes = result.keys.size();
  result.design = std::move(design_);
  return result;
}

}  // namespace coppice
