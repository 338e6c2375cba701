// Any bytes are lines of links or a ParseError; links are sorted, written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "coppice/align/symmetrise.h"
#include "coppice/base/error.h"
#include "coppice/eval/alignment_score.h"
#include "coppice/text/pharaoh.h"
#include "fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using coppice::testing::fuzz_require;
  using Links = std::vector<coppice::text::AlignmentLink>;
  coppice::text::PharaohReader reader(
      coppice::LineReader::over({reinterpret_cast<const char*>(data), size}, "fuzz"));
  Links links, last, again;
  try {
    for (; reader.next(links); last = links) {
      const std::string line = coppice::text::pharaoh_line(links);
      coppice::text::PharaohReader second(coppice::LineReader::over(line, "written"));
      if (!second.next(again)) again.clear();
      fuzz_require(line == coppice::text::pharaoh_line(again), "what is written is read again");
      const auto counts = coppice::eval::score_alignment(links, last);
      fuzz_require(counts.error_rate() >= 0 && counts.error_rate() <= 1, "AER is a share");
      bool is_small = true;  // a grid of all positions is laid out
      for (const auto& link : links) is_small = is_small && link.source < 300 && link.target < 300;
      for (const auto& link : last) is_small = is_small && link.source < 300 && link.target < 300;
      if (!is_small) continue;
      const auto grown = coppice::align::symmetrise(
          links, last, coppice::align::Symmetrisation::kGrowDiagFinalAnd);
      const auto all =
          coppice::align::symmetrise(links, last, coppice::align::Symmetrisation::kUnion);
      fuzz_require(grown.size() <= all.size(), "growing takes links of the union");
    }
  } catch (const coppice::ParseError&) {
  }
  return 0;
}
