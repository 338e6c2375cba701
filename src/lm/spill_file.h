// A file without a name for what does not fit in memory; the system removes it when the program
// ends, by whatever cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace coppice::lm {

class SpillFile {
 public:
  // Throws IoError when no file can be made in the folder; empty: $TMPDIR, or else /tmp.
  explicit SpillFile(std::string folder);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  std::uint64_t size() const noexcept { return size_; }
  int descriptor() const noexcept { return fd_; }

  // Makes it so large, with zeros, and sees to it that the disk has the room. Throws IoError.
  void extend(std::uint64_t size);
  // Throws IoError (a full disk).
  void append(std::span<const std::byte> bytes);
  // Requires that so many bytes are there. Throws IoError. Threads: several may read.
  void read(std::uint64_t offset, std::span<std::byte> to) const;

 private:
  std::string folder_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace coppice::lm
