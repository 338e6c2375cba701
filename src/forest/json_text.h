// JSON as text: appending strings and numbers, and bringing an object into compact form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::detail {

// How deep arrays and objects may nest in what we read.
inline constexpr std::size_t kMaxJsonDepth = 64;

// Quoted, with the escapes that JSON demands; other text stays as it is. Requires UTF-8.
void append_json_string(std::string& out, std::string_view text);

// The shortest form that reads back as the same double; -infinity as the string "-inf".
// Requires a finite number or -infinity.
void append_json_number(std::string& out, double value);

// The object in `text` without white space, its strings and numbers in one spelling. Throws
// InvalidArgument when `text` is not one JSON object, or nests deeper than kMaxJsonDepth.
std::string compact_json_object(std::string_view text);

// Writes the events of a JSON reader down again as compact text.
class JsonTranscript {
 public:
  void null() { value("null"); }
  void boolean(bool value_) { value(value_ ? "true" : "false"); }
  void integer(std::int64_t value_) { value(std::to_string(value_)); }
  void unsigned_integer(std::uint64_t value_) { value(std::to_string(value_)); }
  void number(std::string_view as_read) { value(as_read); }
  void string(std::string_view text);
  void key(std::string_view text);
  void open(char bracket);
  void close(char bracket);

  std::size_t depth() const noexcept { return has_items_.size(); }
  std::string take() { return std::move(text_); }

 private:
  void separate();
  void value(std::string_view text);

  std::string text_;
  std::vector<unsigned char> has_items_;  // for each open bracket, whether a comma is due
  bool after_key_ = false;
};

}  // namespace coppice::detail
