// Expectation maximisation of both directions. Private to training.
#pragma once

#include <memory>

#include "coppice/align/training.h"

namespace coppice::align {

std::unique_ptr<AlignmentTraining> make_em_training(const Bitext& bitext,
                                                    const TrainingOptions& options);

}  // namespace coppice::align
