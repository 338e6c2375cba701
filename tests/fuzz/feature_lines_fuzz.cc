// Any bytes are examples or a ParseError; examples can be laid out and learnt from.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/text/feature_lines.h"
#include "coppice/trees/feature_table.h"
#include "fuzz/property.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  coppice::text::FeatureLineReader reader(coppice::LineReader::over(text, "fuzz"));
  coppice::trees::FeatureCounter counter;
  std::vector<coppice::text::FeatureLine> lines;
  try {
    for (coppice::text::FeatureLine line; reader.next(line);) {
      for (const auto& feature : line.features) counter.observe(feature.name, feature.value);
      lines.push_back(line);
    }
  } catch (const coppice::ParseError&) {
  }
  const auto table = counter.table({.min_count = 1, .max_bins = 4});
  std::vector<std::uint32_t> bins;
  for (const auto& line : lines) {
    table.encode(line.features, bins);
    std::size_t on = 0;
    for (const auto& feature : line.features) {
      on += table.bin_of(feature.name, feature.value) != coppice::trees::kNoBin;
    }
    coppice::testing::fuzz_require(bins.size() == on, "every known feature has a bin");
    for (const std::uint32_t bin : bins) {
      coppice::testing::fuzz_require(bin < table.schema().num_bins(),
                                     "bins are those of the schema");
    }
  }
  return 0;
}
