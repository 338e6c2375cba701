#include "cli/model_output.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/human.h"

namespace coppice::cli {

std::string saved_text(const std::string& path, const ModelWriter& model) {
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  return fmt::format("{}{} ({})", path, unknown ? "" : ' ' + file_size(bytes),
                     model.payload_digest().substr(0, 16));
}

}  // namespace coppice::cli
