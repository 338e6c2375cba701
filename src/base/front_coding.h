// Front coding: a sorted list of strings in little space, each as how many bytes it shares with the
// one before it and the bytes that follow.
//
//     shared, rest (as LEB128 numbers), then `rest` bytes; the first string shares nothing
//
// Strings in any order come back as they were; sorted ones are small.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice {

class FrontCoder {
 public:
  void add(std::string_view text);
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
  std::string last_;
};

// Reads the strings one by one, from bytes that may be damaged in any way.
class FrontDecoder {
 public:
  explicit FrontDecoder(std::string_view bytes) noexcept : rest_(bytes) {}

  // False at the end, and where the bytes make no sense.
  bool next();
  // Valid until the next call of next().
  std::string_view text() const noexcept { return text_; }
  bool is_damaged() const noexcept { return is_damaged_; }

 private:
  bool read_number(std::size_t& number);

  std::string_view rest_;
  std::string text_;
  bool is_damaged_ = false;
};

}  // namespace coppice
