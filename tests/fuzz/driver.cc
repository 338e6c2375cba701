// Runs a fuzz target without libFuzzer: every seed of the directories given, and fixed mutations of
// each. The same on every machine; a crash names the seed and the mutation first.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "coppice/base/random.h"
#include "fuzz/property.h"
#include "support/seeds.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using coppice::Random;

constexpr std::uint64_t kMutations = 400;  // of each seed; fewer with sanitizers

std::vector<std::filesystem::path> files_in(const char* directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);  // directories have no order of their own
  return files;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t below(Random& random, std::size_t n) {
  return static_cast<std::size_t>(random.below(n));
}

// A flipped bit, a new byte, a truncation, a repeated piece, or a splice with another seed.
void mutate(std::string& text, const std::string& other, Random& random) {
  if (text.empty()) text.push_back('\n');
  const std::size_t at = below(random, text.size());
  const std::size_t length = std::min(below(random, 64) + 1, text.size() - at);
  switch (random.below(5)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      return;
    case 1:
      text[at] = static_cast<char>(random.below(256));
      return;
    case 2:
      text.resize(at);
      return;
    case 3:
      text.insert(at, text.substr(at, length));
      return;
    default:
      text.replace(at, length, other.substr(std::min(at, other.size()), length));
  }
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> seeds;
  for (int i = 1; i < argc; ++i) {
    for (const auto& path : files_in(argv[i])) seeds.push_back(content_of(path));
  }
  if (seeds.empty()) {
    std::cerr << "usage: fuzz_NAME DIRECTORY...  (directories with seeds)\n";
    return EXIT_FAILURE;
  }
  const std::uint64_t mutations = coppice::testing::seeds(kMutations);
  for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
    for (std::uint64_t mutation = 0; mutation <= mutations; ++mutation) {
      Random random(seed, mutation);
      std::string text = seeds[seed];
      const std::string& other = seeds[below(random, seeds.size())];
      // Mutation 0 is the seed itself.
      const auto changes = mutation == 0 ? 0 : 1 + random.below(4);
      for (std::uint64_t i = 0; i < changes; ++i) mutate(text, other, random);
      coppice::testing::set_fuzz_input(seed, mutation);
      run(text);
    }
  }
  std::cout << seeds.size() << " seeds, " << mutations << " mutations of each\n";
  return EXIT_SUCCESS;
}
