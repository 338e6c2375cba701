// The verbs of `coppice lm`, one function each; lm.cc lists them.
#pragma once

#include "cli/command.h"

namespace coppice::cli {

Command lm_convert_verb();
Command lm_query_verb();
Command lm_train_verb();

}  // namespace coppice::cli
