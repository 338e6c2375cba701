// Large data that the repository does not hold; tests that want it skip without it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "support/source_directory.h"

namespace coppice::testing {

// The path of a file or folder under $COPPICE_SHARED_DATA, or else under ../shared/data beside the
// sources, if it is there.
inline std::optional<std::string> shared_data(const std::string& relative) {
  const char* variable = std::getenv("COPPICE_SHARED_DATA");
  const std::filesystem::path root =
      variable != nullptr ? variable : source_directory() + "/../shared/data";
  const std::filesystem::path path = root / relative;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path.string();
}

}  // namespace coppice::testing
