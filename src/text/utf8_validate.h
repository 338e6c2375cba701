// Is this text UTF-8? The check that every reader makes of every line.
//
// Accepts exactly the well-formed sequences of Unicode 15, table 3-7: no overlong forms, no
// surrogates, nothing above U+10FFFF. Cost: eight bytes a step in ASCII.
#pragma once

#include <cstddef>
#include <string_view>

namespace coppice::text {

// The offset of the first byte that belongs to no well-formed character; text.size() when every
// byte does.
std::size_t first_invalid_utf8(std::string_view text) noexcept;

}  // namespace coppice::text
