// The numbers behind attributes' keys. Private; the only place that knows the hash function.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

#include "coppice/base/random.h"

namespace coppice::text {

// Seeds that keep the kinds of hashed text apart.
inline constexpr std::uint64_t kTemplateSeed = 0x74656d706c617465u;
inline constexpr std::uint64_t kBoundarySeed = 0x626f756e64617279u;
inline constexpr std::uint64_t kUserNameSeed = 0x75736572206e616du;
inline constexpr std::uint64_t kPhraseSeed = 0x706872617365206eu;

// Never 0, which stands for an absent term.
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) noexcept {
  const std::uint64_t hash = XXH3_64bits_withSeed(text.data(), text.size(), seed);
  return hash != 0 ? hash : 1;
}

// Not symmetric: mix(a, b) != mix(b, a).
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  const auto product =
      static_cast<coppice::detail::Uint128>(a ^ 0xa0761d6478bd642fu) * (b ^ 0xe7037ed1a0b428dbu);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace coppice::text
