// The values of options as JSON: numbers, text, lists, and null for what was not given.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "coppice/base/option.h"

namespace coppice::learn {

// Those that shape a model: not the names of --train and --dev, whose data is told elsewhere.
nlohmann::ordered_json option_values(std::span<const Option> options);

}  // namespace coppice::learn
