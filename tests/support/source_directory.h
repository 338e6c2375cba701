// Where the repository is, for tests that read its files. A function and not a macro, so that no
// other object depends on the path, and ccache serves every clone.
#pragma once

#include <string>

namespace coppice::testing {

std::string source_directory();

}  // namespace coppice::testing
