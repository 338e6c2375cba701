// An evaluation as a page for the browser.
//
// One HTML file that needs nothing else: no script, no font or picture from elsewhere, light or
// dark as the reader's system is. It has the scores with their intervals, the table of labels, the
// confusion matrix, the errors with their lines and contexts, and the signature.
#pragma once

#include <string>

#include "cli/eval_report.h"

namespace coppice::cli {

// Requires pairs that keep their context. Shows --errors errors of each kind, 20 without that
// option. The bytes depend on nothing but the evaluation.
// Cost: that of the intervals (bootstrap_interval()), else linear in the tokens.
std::string evaluation_page(const Evaluation& evaluation);

}  // namespace coppice::cli
