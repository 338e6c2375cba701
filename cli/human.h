// Numbers and text as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::cli {

// 1204411 -> "1 204 411"; four digits stay together.
std::string thousands(std::uint64_t number);
// Seconds as "0:06", "12:34" or "1:02:03", rounded down; negative or unknown (NaN) as "-:--".
std::string duration(double seconds);
// Bytes as "312 B", "38.4 MB" (powers of 1000).
std::string file_size(std::uint64_t bytes);
// Two or three digits and a letter: 950 -> "950", 7040 -> "7.0k", 1234567 -> "1.2M".
std::string compact(double number);
// 0.25 -> 25.
constexpr double percent(double share) { return 100 * share; }
// "1 error", "2 errors".
std::string counted(std::uint64_t count, std::string_view noun);

// The number of code points of UTF-8 text.
std::size_t width(std::string_view text);
// At most `limit` code points of `text`, the last three being "..." when some are left out.
// Requires limit >= 3.
std::string shortened(std::string_view text, std::size_t limit);

// `text` with each byte of a control character, which would move the cursor, written \xHH.
std::string visible(std::string_view text);

// `text` as one word of a shell's command line: in quotes where it has other characters than
// letters, digits and those of plain paths.
std::string shell_word(std::string_view text);

// `text` broken at blanks into lines of at most `columns` code points, each after `indent` blanks,
// each ended by '\n'. A longer word has a line of its own; an empty line separates paragraphs.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace coppice::cli
