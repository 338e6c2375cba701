#include "cli/verbs.h"

namespace coppice::cli {

std::vector<Command> all_verbs() {
  return {
      train_verb(),   predict_verb(), explain_verb(), calibrate_verb(), align_verb(),
      classes_verb(), lm_verb(),      check_verb(),   convert_verb(),   plot_verb(),
      eval_verb(),    compare_verb(), inspect_verb(), forest_verb(),    doctor_verb(),
      help_verb(),    version_verb(),
  };
}

}  // namespace coppice::cli
