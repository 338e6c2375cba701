// An option is unknown, has a value that it cannot have, or does not fit the others: the command
// line exits with status 2, Python raises coppice.UsageError.
#pragma once

#include "coppice/base/error.h"

namespace coppice {

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace coppice
