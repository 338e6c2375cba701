#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0), argv + argc);
  return coppice::cli::run_program(words, coppice::cli::all_verbs());
}
