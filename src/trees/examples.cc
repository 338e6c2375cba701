#include "coppice/trees/examples.h"

#include <limits>

#include "coppice/base/error.h"

namespace coppice::trees {

void ExampleTable::add(std::span<const std::uint32_t> bins, std::uint16_t label, float importance) {
  require(bins_.size() + bins.size() <= std::numeric_limits<std::uint32_t>::max(),
          "examples: more than 2^32 - 1 features that are on");
  bins_.insert(bins_.end(), bins.begin(), bins.end());
  begin_.push_back(static_cast<std::uint32_t>(bins_.size()));
  if (importance != 1 && importance_.empty()) importance_.assign(classes_.size(), 1.0f);
  if (importance != 1 || !importance_.empty()) importance_.push_back(importance);
  classes_.push_back(label);
}

ExampleView ExampleTable::view() const noexcept { return {{begin_, bins_}, classes_, importance_}; }

}  // namespace coppice::trees
