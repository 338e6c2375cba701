// coppice version: one line for scripts.
#include "cli/context.h"
#include "cli/globals.h"
#include "cli/verbs.h"

namespace coppice::cli {

Command version_verb() {
  return {.name = "version",
          .summary = "print the version",
          .group = "this program",
          .help = "Prints the program's name and version. More for bug reports: coppice doctor.",
          .examples = {{"coppice version", "prints coppice and a number such as 1.0.0"}},
          .run = [](Context& context) {
            context.out() << "coppice " << version_text() << '\n';
            return ExitStatus::kDone;
          }};
}

}  // namespace coppice::cli
