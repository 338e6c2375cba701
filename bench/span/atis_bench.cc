// Counts the parses of the 98 ATIS sentences and compares them with the published numbers.
//
//     atis_bench DIRECTORY      (with atis.cfg and atis_sentences.txt)
//
// Prints a table and `result: sentences=98 equal=98 seconds=...`; the time is that of building and
// counting the forests, without reading files. Exit status 1 when a number differs.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "coppice/base/big_count.h"
#include "coppice/forest/count.h"
#include "coppice/span/parse.h"
#include "span/atis.h"

namespace {

using coppice::testing::AtisSentence;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int run(const std::string& directory) {
  const auto start = Clock::now();
  const coppice::span::Parser parser(coppice::span::read_grammar(directory + "/atis.cfg"));
  const double preparation = seconds_since(start);
  const auto sentences = coppice::testing::read_atis_sentences(directory + "/atis_sentences.txt");
  std::printf("%8s %6s %10s %9s %6s %8s %8s %9s\n", "sentence", "words", "published", "counted", "",
              "nodes", "edges", "ms");
  std::size_t equal = 0, edges = 0;
  coppice::BigCount parses;
  double total = 0;
  std::size_t number = 0;
  for (const AtisSentence& sentence : sentences) {
    const auto before = Clock::now();
    const auto parsed = parser.parse(sentence.words);
    const coppice::BigCount count = coppice::count_derivations(parsed.forest);
    const bool is_equal = count == coppice::BigCount(sentence.parses);
    const double seconds = seconds_since(before);
    total += seconds;
    parses += count;
    edges += parsed.forest.num_edges();
    equal += is_equal ? 1 : 0;
    std::printf("%8zu %6zu %10llu %9s %6s %8zu %8zu %9.2f\n", ++number, sentence.words.size(),
                static_cast<unsigned long long>(sentence.parses), count.to_string().c_str(),
                is_equal ? "equal" : "DIFFER", parsed.forest.num_nodes(), parsed.forest.num_edges(),
                1e3 * seconds);
  }
  std::printf("\n%zu rules, %s parses, %zu forest edges; grammar ready in %.3f s\n",
              parser.grammar().num_rules(), parses.to_string().c_str(), edges, preparation);
  std::printf("result: sentences=%zu equal=%zu seconds=%.3f\n", sentences.size(), equal, total);
  return equal == sentences.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: atis_bench DIRECTORY\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "atis_bench: %s\n", error.what());
    return 1;
  }
}
