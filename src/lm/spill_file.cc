#include "lm/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/io_failure.h"

namespace coppice::lm {

SpillFile::SpillFile(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) {
    std::error_code none;
    folder_ = std::filesystem::temp_directory_path(none).string();
    if (none) folder_ = "/tmp";
  }
  std::string name = folder_ + "/coppice-XXXXXX";
  fd_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd_ < 0) coppice::detail::fail_io(folder_, "create a temporary file in");
  ::unlink(name.c_str());
}

SpillFile::~SpillFile() { ::close(fd_); }

void SpillFile::extend(std::uint64_t size) {
  // A mapped page that the disk has no room for would end the program when it is written.
  errno = ::posix_fallocate(fd_, 0, static_cast<off_t>(size));
  if (errno != 0) coppice::detail::fail_io(folder_, "write a temporary file in");
  size_ = size;
}

void SpillFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) coppice::detail::fail_io(folder_, "write a temporary file in");
    size_ += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void SpillFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t done = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) coppice::detail::fail_io(folder_, "read a temporary file in");
    offset += static_cast<std::uint64_t>(done);
    to = to.subspan(static_cast<std::size_t>(done));
  }
}

}  // namespace coppice::lm
