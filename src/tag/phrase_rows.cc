#include "tag/phrase_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace coppice::tag {

namespace {

constexpr std::size_t kFirstEntries = 1024;

struct PhraseHeader {
  std::uint64_t number;
  std::uint64_t is_used;
};

PhraseHeader header_of(const float* entry) noexcept {
  PhraseHeader header;
  std::memcpy(&header, entry, sizeof header);
  return header;
}

}  // namespace

PhraseRows::PhraseRows(std::size_t stride, std::size_t bytes)
    : width_(stride + kHeader), most_entries_(std::bit_floor(bytes / (sizeof(float) * width_))) {
  if (most_entries_ < 4) most_entries_ = 0;
  resize(std::min(kFirstEntries, most_entries_));
}

void PhraseRows::resize(std::size_t entries) {
  floats_.assign(entries * width_, 0.0f);
  mask_ = entries - 1;
  used_ = 0;
}

const float* PhraseRows::find(std::uint64_t number) const noexcept {
  for (std::size_t at = number & mask_;; at = (at + 1) & mask_) {
    const float* entry = floats_.data() + at * width_;
    const PhraseHeader header = header_of(entry);
    if (header.is_used == 0) return nullptr;
    if (header.number == number) return entry + kHeader;
  }
}

float* PhraseRows::place(std::uint64_t number) noexcept {
  std::size_t at = number & mask_;
  while (header_of(floats_.data() + at * width_).is_used != 0) at = (at + 1) & mask_;
  const PhraseHeader header{number, 1};
  std::memcpy(floats_.data() + at * width_, &header, sizeof header);
  ++used_;
  return floats_.data() + at * width_ + kHeader;
}

float* PhraseRows::add(std::uint64_t number) {
  const std::size_t entries = mask_ + 1;
  if (2 * (used_ + 1) > entries && entries == most_entries_) {
    resize(entries);
  } else if (2 * (used_ + 1) > entries) {
    const AlignedVector<float> old = std::exchange(floats_, {});
    resize(2 * entries);
    for (std::size_t at = 0; at < entries; ++at) {
      const float* entry = old.data() + at * width_;
      const PhraseHeader header = header_of(entry);
      if (header.is_used == 0) continue;
      std::memcpy(place(header.number), entry + kHeader, sizeof(float) * (width_ - kHeader));
    }
  }
  return place(number);
}

}  // namespace coppice::tag
