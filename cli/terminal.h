// What stands at the other end of a stream, and how to colour text for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice::cli {

bool is_terminal(int descriptor);
// Columns of the terminal; 80 when the stream is none or does not say.
std::size_t terminal_columns(int descriptor);

// Whether to colour what goes to `descriptor`. `choice` is auto, always or never; auto means a
// terminal that is not "dumb", without NO_COLOR in the environment (no-color.org).
bool wants_color(std::string_view choice, int descriptor);

// Wraps text in escape sequences, or leaves it as it is.
class Paint {
 public:
  explicit Paint(bool enabled) : enabled_(enabled) {}
  std::string bold(std::string_view text) const { return code("1", text); }
  std::string red(std::string_view text) const { return code("1;31", text); }
  std::string yellow(std::string_view text) const { return code("1;33", text); }
  std::string cyan(std::string_view text) const { return code("36", text); }

 private:
  std::string code(std::string_view number, std::string_view text) const;
  bool enabled_;
};

}  // namespace coppice::cli
