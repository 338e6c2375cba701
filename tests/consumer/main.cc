// Uses what is in headers, what is in the library, and what links other libraries (threads).
#include <coppice/base/threads.h>
#include <coppice/forest/inside.h>
#include <coppice/forest/kbest.h>
#include <coppice/semiring/log.h>
#include <coppice/span/parse.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

int main() {
  const auto grammar = coppice::span::parse_grammar("S -> S S [0.5] | 'a' [0.5]");
  const std::vector<std::string> words(4, "a");
  const auto parsed = coppice::span::parse(grammar, words);
  const auto inside = coppice::inside<coppice::LogSemiring>(parsed.forest, parsed.scores);
  const double expected = std::log(5 / 128.0);  // five trees of seven rules
  if (std::fabs(inside[parsed.forest.root()] - expected) > 1e-12) return 1;
  if (coppice::k_best(parsed.forest, parsed.scores, 10).size() != 5) return 1;
  std::atomic<std::size_t> chunks = 0;
  coppice::Threads(2).for_chunks(8, [&](std::size_t, unsigned) { ++chunks; });
  return chunks == 8 ? 0 : 1;
}
