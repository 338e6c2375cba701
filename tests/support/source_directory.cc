#include "support/source_directory.h"

namespace coppice::testing {

std::string source_directory() { return COPPICE_SOURCE_DIR; }

}  // namespace coppice::testing
