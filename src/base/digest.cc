#include "coppice/base/digest.h"

#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace coppice {

namespace {

std::string digits_of(std::uint64_t hash) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(hash >> shift) & 15];
  return text;
}

}  // namespace

std::string digest(std::string_view bytes) {
  return digits_of(XXH3_64bits(bytes.data(), bytes.size()));
}

struct Digest::State {
  State() { XXH3_64bits_reset(&hash); }
  XXH3_state_t hash;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::add(std::string_view bytes) {
  XXH3_64bits_update(&state_->hash, bytes.data(), bytes.size());
}

std::string Digest::text() const { return digits_of(XXH3_64bits_digest(&state_->hash)); }

}  // namespace coppice
