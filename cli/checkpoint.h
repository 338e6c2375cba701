// The checkpoint of an interrupted `coppice train tag`: what was asked for, and how far it got.
//
// --resume is to give the model of an uninterrupted run, so the run that goes on must be of the
// same data and options; the limits (--max-iterations, --rounds, --patience) may differ.
#pragma once

#include <ostream>
#include <string>

#include "cli/train_options.h"
#include "cli/train_setup.h"
#include "coppice/base/threads.h"

namespace coppice::cli {

void save_checkpoint(TrainTagOptions& options, const TrainingData& data, std::ostream& out);

// After begin(). Throws ModelError: E430 where the checkpoint is damaged, E431 where it was made of
// other data or with other options; the message names the first that differs.
void load_checkpoint(const std::string& path, TrainTagOptions& options, TrainingData& data,
                     const Threads& threads);

}  // namespace coppice::cli
