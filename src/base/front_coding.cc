#include "base/front_coding.h"

#include <algorithm>

namespace coppice {

namespace {

constexpr std::size_t kMaxLength = std::size_t{1} << 32;  // of a string, so that numbers fit

void append_number(std::string& bytes, std::size_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  bytes += static_cast<char>(number);
}

}  // namespace

void FrontCoder::add(std::string_view text) {
  const auto shared = static_cast<std::size_t>(
      std::mismatch(text.begin(), text.end(), last_.begin(), last_.end()).first - text.begin());
  append_number(bytes_, shared);
  append_number(bytes_, text.size() - shared);
  bytes_.append(text.substr(shared));
  last_ = text;
}

bool FrontDecoder::read_number(std::size_t& number) {
  number = 0;
  for (unsigned shift = 0; !rest_.empty() && number < kMaxLength; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= std::size_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return number < kMaxLength;
    if (shift > 28) return false;
  }
  return false;
}

bool FrontDecoder::next() {
  if (rest_.empty() || is_damaged_) return false;
  std::size_t shared = 0, rest = 0;
  is_damaged_ =
      !read_number(shared) || !read_number(rest) || shared > text_.size() || rest > rest_.size();
  if (is_damaged_) return false;
  text_.resize(shared);
  text_.append(rest_.substr(0, rest));
  rest_.remove_prefix(rest);
  return true;
}

}  // namespace coppice
