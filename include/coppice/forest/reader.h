// Reading files of forests, whichever of the two formats they are in.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "coppice/base/error.h"
#include "coppice/forest/record.h"

namespace coppice {

// Yields the records of a file one by one, each when it is there: a pipe is not read ahead.
class ForestReader {
 public:
  virtual ~ForestReader() = default;

  // The next record, or nothing at the end of the file. Throws ParseError on malformed data, with
  // its place. After the error of a record the next call goes on behind it, unless the format no
  // longer tells where that is: then the same error comes again.
  virtual std::optional<ForestRecord> next() = 0;

  // Where the record that next() returned last stands: file and line, or file alone.
  virtual Location where() const = 0;
};

// Opens JSON lines (json.h) or the binary format (binary.h), told apart by the first bytes; "-" is
// standard input. Throws IoError when the file cannot be read.
std::unique_ptr<ForestReader> open_forests(const std::string& path);

}  // namespace coppice
