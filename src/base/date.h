// The date, for cards of models.
#pragma once

#include <string>

namespace coppice {

// "2026-08-31", in UTC.
std::string today();

}  // namespace coppice
