#include "cli/run_log.h"

#include "coppice/tag/training_card.h"

namespace coppice::cli {

void RunLog::write(const tag::TaggerTraining& training) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  file_.add(tag::iteration_json(training, seconds));
}

}  // namespace coppice::cli
