// What every file of ours says when the system refuses.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "coppice/base/error.h"

namespace coppice::detail {

// Throws IoError with errno's reason; `verb` is what could not be done.
[[noreturn]] inline void fail_io(const std::string& path, const char* verb) {
  throw IoError(concat("cannot ", verb, " ", path, ": ", std::strerror(errno)),
                {.code = "E501", .where = {.file = path}});
}

}  // namespace coppice::detail
