#include "cli/run_log.h"

#include "coppice/chain/training_card.h"

namespace coppice::cli {

void RunLog::write(const chain::TaggerTraining& training) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  file_.add(chain::iteration_json(training, seconds));
}

}  // namespace coppice::cli
