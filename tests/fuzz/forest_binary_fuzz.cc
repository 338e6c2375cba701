// Any bytes: binary forests are refused with ParseError, or read, written and read again as the
// same. An input without the magic is taken for the content of a record, and gets the frame that
// makes it reach the decoder behind the checksum.
#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "coppice/forest/binary.h"
#include "fuzz/property.h"

namespace {

using coppice::ForestRecord;

std::string to_binary(const std::vector<ForestRecord>& records) {
  std::ostringstream out;
  coppice::ForestBinaryWriter writer(out);
  for (const ForestRecord& record : records) writer.write(record);
  writer.finish();
  return out.str();
}

std::vector<ForestRecord> from_binary(const std::string& bytes) {
  const auto reader = coppice::read_forest_binary(std::as_bytes(std::span(bytes)), "fuzz");
  std::vector<ForestRecord> records;
  while (auto record = reader->next()) records.push_back(std::move(*record));
  return records;
}

void append_fixed(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

std::string framed(const std::string& content) {
  constexpr std::size_t kHeaderBytes = 16;
  std::string bytes = to_binary({}).substr(0, kHeaderBytes);
  append_fixed(bytes, content.size());
  append_fixed(bytes, XXH3_64bits_withSeed(content.data(), content.size(), content.size()));
  bytes += content;
  append_fixed(bytes, 0);
  append_fixed(bytes, 1);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using coppice::testing::fuzz_require;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const bool is_file =
      std::equal(std::begin(coppice::kForestMagic), std::end(coppice::kForestMagic), data,
                 data + std::min(size, sizeof coppice::kForestMagic));
  if (!is_file && !bytes.empty()) bytes = framed(bytes);
  try {
    const std::vector<ForestRecord> records = from_binary(bytes);
    const std::string written = to_binary(records);
    const std::vector<ForestRecord> again = from_binary(written);
    fuzz_require(again == records, "what is written is read as the same records");
    fuzz_require(to_binary(again) == written, "what is read is written as the same bytes");
  } catch (const coppice::ParseError& error) {
    fuzz_require(!error.code().empty(), "an error has a code");
  }
  return 0;
}
