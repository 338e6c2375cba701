// The user's command line or configuration is wrong; exit status 2.
#pragma once

#include "coppice/base/error.h"

namespace coppice::cli {

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace coppice::cli
