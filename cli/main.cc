#include <string>
#include <vector>

#include "cli/program.h"

int main(int argc, char** argv) {
  return coppice::cli::run_program(std::vector<std::string>(argv + (argc > 0), argv + argc));
}
