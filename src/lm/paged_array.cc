#include "lm/paged_array.h"

#include <sys/mman.h>

#include <new>

namespace coppice::lm {

namespace {

constexpr std::uint64_t kShareOfMemory = 8;

}  // namespace

PagedBytes::PagedBytes(std::uint64_t size, const Workspace& workspace)
    : size_(static_cast<std::size_t>(size)) {
  if (size_ == 0) return;
  const bool in_memory = size_ <= workspace.memory / kShareOfMemory;
  if (!in_memory) {
    file_ = std::make_unique<SpillFile>(workspace.folder);
    file_->extend(size_);
  }
  void* const data = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                            in_memory ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
                            in_memory ? -1 : file_->descriptor(), 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(data);
}

PagedBytes::~PagedBytes() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace coppice::lm
