// How fast sentences are read: reader_bench FILE [REPEATS] prints what the file is, tokens a second
// and nanoseconds a token (the median and the best of the repeats), in time of the processor, so
// that a busy machine does not disturb it much.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "coppice/text/reader.h"

namespace {

struct Pass {
  std::string description;
  std::size_t tokens = 0;
  std::size_t characters = 0;  // of all cells, so that the cells are looked at
  double seconds = 0;
};

Pass read_all(const char* path) {
  Pass pass;
  const std::clock_t start = std::clock();
  const auto reader =
      coppice::text::open_sentences(path, {.fallback = coppice::text::Format::kColumns});
  coppice::text::Sentence sentence;
  while (reader->next(sentence)) {
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      for (std::size_t c = 0; c < sentence.num_columns(); ++c) {
        pass.characters += sentence.cell(t, c).size();
      }
    }
  }
  pass.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  pass.tokens = reader->counts().tokens;
  pass.description = reader->description();
  return pass;
}

int run(const char* path, int repeats) {
  std::vector<double> seconds;
  Pass pass;
  for (int i = 0; i < repeats; ++i) {
    pass = read_all(path);
    seconds.push_back(pass.seconds);
  }
  std::sort(seconds.begin(), seconds.end());
  const auto tokens = static_cast<double>(std::max<std::size_t>(pass.tokens, 1));
  const double median = seconds[seconds.size() / 2];
  std::printf("%s: %s, %zu tokens, %zu characters in cells\n", path, pass.description.c_str(),
              pass.tokens, pass.characters);
  std::printf("result: tokens_per_second=%.0f ns_per_token=%.1f best_ns_per_token=%.1f\n",
              tokens / median, 1e9 * median / tokens, 1e9 * seconds.front() / tokens);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: reader_bench FILE [REPEATS]\n");
    return EXIT_FAILURE;
  }
  try {
    return run(argv[1], argc == 3 ? std::max(1, std::atoi(argv[2])) : 9);
  } catch (const coppice::Error& error) {
    std::fprintf(stderr, "%s: %s\n", coppice::to_string(error.where()).c_str(), error.what());
    return EXIT_FAILURE;
  }
}
