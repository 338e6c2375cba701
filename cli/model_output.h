// What is said of a model that has been written.
#pragma once

#include <string>

#include "coppice/base/model_file.h"

namespace coppice::cli {

// "ner.cop 38.4 MB (5f0c1e2d3a4b5c6d)": file, size, the beginning of its identity. Without the size
// where the path is no file, such as "-".
std::string saved_text(const std::string& path, const ModelWriter& model);

}  // namespace coppice::cli
