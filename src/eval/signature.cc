#include "coppice/eval/signature.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "coppice/base/error.h"

namespace coppice::eval {

std::string digest(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  const std::uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(hash >> shift) & 15];
  return text;
}

Signature& Signature::add(std::string_view key, std::string_view value) {
  require(!key.empty() && key.find_first_of(":|\r\n") == std::string_view::npos, "signature: \"",
          key, "\" is no key");
  require(!value.empty() && value.find_first_of("|\r\n") == std::string_view::npos, "signature: \"",
          value, "\" is no value for ", key);
  if (!text_.empty()) text_ += '|';
  text_.append(key).append(":").append(value);
  return *this;
}

}  // namespace coppice::eval
