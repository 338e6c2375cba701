// The verbs of `coppice forest`, one function each; forest.cc lists them.
#pragma once

#include "cli/command.h"

namespace coppice::cli {

Command forest_check_verb();
Command forest_convert_verb();
Command forest_count_verb();
Command forest_draw_verb();
Command forest_entropy_verb();
Command forest_expect_verb();
Command forest_grad_verb();
Command forest_inside_verb();
Command forest_kbest_verb();
Command forest_kl_verb();
Command forest_marginals_verb();
Command forest_outside_verb();
Command forest_parse_verb();
Command forest_prune_verb();
Command forest_risk_verb();
Command forest_sample_verb();
Command forest_split_verb();
Command forest_variance_verb();

}  // namespace coppice::cli
