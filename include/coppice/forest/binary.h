// Forests in a compact binary file: a header, records with a length and a checksum each, and an
// end mark that counts them. The layout stands in docs/forest-format.md.
//
// What is written is read back bit for bit. Numbers are little-endian on every machine. Every
// length is checked against what is left before anything is allocated, so memory is linear in the
// bytes there are, whatever they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>

#include "coppice/base/file.h"
#include "coppice/forest/reader.h"

namespace coppice {

// The first eight bytes: no text file begins so, and a transfer that rewrites line ends breaks it.
inline constexpr unsigned char kForestMagic[8] = {0x89, 'C', 'P', 'F', '\r', '\n', 0x1a, '\n'};

class ForestBinaryWriter {
 public:
  // Writes the header. The stream must outlive the writer, and is checked by its owner.
  explicit ForestBinaryWriter(std::ostream& out);

  // Throws InvalidArgument when the record does not hold its invariants, and writes nothing then.
  void write(const ForestRecord& record);

  // Writes the end mark. A file without one is taken for truncated; nothing may be written after.
  void finish();

 private:
  std::ostream* out_;
  std::uint64_t records_ = 0;
};

// Reads the header at once. Each throws ParseError (E226) when the file is of another kind or of a
// version that this library does not read. next() throws ParseError (E225), with the byte at which
// the fault was found, on damaged or truncated records; a record whose checksum is wrong, or whose
// content is, is skipped by the next call.
std::unique_ptr<ForestReader> read_forest_binary(MappedFile file, std::string name);
std::unique_ptr<ForestReader> read_forest_binary(LineReader stream);
// The bytes must outlive the reader.
std::unique_ptr<ForestReader> read_forest_binary(std::span<const std::byte> bytes,
                                                 std::string name);

}  // namespace coppice
