// The checkpoint of an interrupted `coppice train tag`: what was asked for, and how far it got.
//
// --resume is to give the model of an uninterrupted run, so the run that goes on must be of the
// same data and options; the limits (--max-iterations, --rounds, --patience) may differ.
#pragma once

#include <ostream>
#include <string>

#include "coppice/base/threads.h"
#include "coppice/tag/training_data.h"
#include "coppice/tag/training_request.h"

namespace coppice::cli {

void save_checkpoint(tag::TrainingRequest& request, const tag::TrainingData& data,
                     std::ostream& out);

// After begin(). Throws ModelError: E430 where the checkpoint is damaged, E431 where it was made of
// other data or with other options; the message names the first that differs.
void load_checkpoint(const std::string& path, tag::TrainingRequest& request,
                     tag::TrainingData& data, const Threads& threads);

}  // namespace coppice::cli
