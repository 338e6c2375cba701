#include "cli/verbs.h"

namespace coppice::cli {

std::vector<Command> all_verbs() {
  return {
      eval_verb(),
      compare_verb(),
      inspect_verb(),
      doctor_verb(),
      help_verb(),
      version_verb(),
  };
}

}  // namespace coppice::cli
