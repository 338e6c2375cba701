// The table of verbs. A new verb is declared here and listed in verbs.cc.
#pragma once

#include <vector>

#include "cli/command.h"

namespace coppice::cli {

// All top-level verbs, in the order in which `coppice help` lists them.
std::vector<Command> all_verbs();

Command align_verb();
Command calibrate_verb();
Command check_verb();
Command classes_verb();
Command compare_verb();
Command convert_verb();
Command doctor_verb();
Command eval_verb();
Command explain_verb();
Command forest_verb();
Command help_verb();
Command inspect_verb();
Command lm_verb();
Command plot_verb();
Command predict_verb();
Command train_verb();
Command version_verb();

}  // namespace coppice::cli
