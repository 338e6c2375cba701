// Compressed input, known by its first bytes: gzip (several members after each other, too) and zstd
// (several frames). Streams in flat memory: 64 KiB of input, and a window of 32 KiB (gzip) or of up
// to 128 MiB as the file wants it (zstd), however much comes out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/byte_source.h"

namespace coppice::detail {

enum class Compression { kNone, kGzip, kZstd, kUndecided };

// What a file that begins with `start` is; kUndecided where that is the beginning of a longer mark.
Compression compression_of(std::string_view start) noexcept;

// An input and what its first bytes said.
struct OpenedInput {
  std::unique_ptr<ByteSource> bytes;  // decompressed
  Compression compression = Compression::kNone;
};

// Reads the first bytes of `source`. Input that is not compressed passes through as it is. Reading
// `bytes` throws ParseError (E216) with the file `name` where compressed data are damaged or end
// too early, besides what `source` throws.
OpenedInput open_input(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace coppice::detail
