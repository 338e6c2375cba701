// Bytes that arrive in pieces: a file descriptor, or what is packed in one.
#pragma once

#include <cstddef>

namespace coppice::detail {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Stores up to `size` bytes, as many as are there without waiting for more; 0 only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

}  // namespace coppice::detail
