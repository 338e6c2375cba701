#include "forest/json_text.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "coppice/base/error.h"

namespace coppice::detail {

namespace {

constexpr char kHex[] = "0123456789abcdef";

// Hands every event to a transcript, and stops at what is not one object of bounded depth.
class ObjectReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string take() { return transcript_.take(); }

  bool null() override { return inside() && (transcript_.null(), true); }
  bool boolean(bool value) override { return inside() && (transcript_.boolean(value), true); }
  bool number_integer(std::int64_t value) override {
    return inside() && (transcript_.integer(value), true);
  }
  bool number_unsigned(std::uint64_t value) override {
    return inside() && (transcript_.unsigned_integer(value), true);
  }
  bool number_float(double, const std::string& text) override {
    return inside() && (transcript_.number(text), true);
  }
  bool string(std::string& text) override { return inside() && (transcript_.string(text), true); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool key(std::string& text) override { return transcript_.key(text), true; }
  bool start_object(std::size_t) override { return open('{'); }
  bool start_array(std::size_t) override { return inside() && open('['); }
  bool end_object() override { return transcript_.close('}'), true; }
  bool end_array() override { return transcript_.close(']'), true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  bool inside() const { return transcript_.depth() > 0; }
  bool open(char bracket) {
    if (transcript_.depth() == kMaxJsonDepth) return false;
    transcript_.open(bracket);
    return true;
  }

  JsonTranscript transcript_;
};

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      if (static_cast<unsigned char>(c) >= 0x20) {
        out += c;
        return;
      }
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) append_escaped(out, c);
  out += '"';
}

void append_json_number(std::string& out, double value) {
  if (std::isinf(value)) {
    out += "\"-inf\"";
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
  // Readers take "-0" for the integer zero and drop its sign.
  if (value == 0 && std::signbit(value)) out += ".0";
}

std::string compact_json_object(std::string_view text) {
  ObjectReader reader;
  require(nlohmann::json::sax_parse(text, &reader), "not one JSON object of at most ",
          kMaxJsonDepth, " levels");
  return reader.take();
}

void JsonTranscript::separate() {
  if (after_key_) {
    after_key_ = false;
  } else if (!has_items_.empty()) {
    if (has_items_.back() != 0) text_ += ',';
    has_items_.back() = 1;
  }
}

void JsonTranscript::value(std::string_view text) {
  separate();
  text_ += text;
}

void JsonTranscript::string(std::string_view text) {
  separate();
  append_json_string(text_, text);
}

void JsonTranscript::key(std::string_view text) {
  string(text);
  text_ += ':';
  after_key_ = true;
}

void JsonTranscript::open(char bracket) {
  separate();
  text_ += bracket;
  has_items_.push_back(0);
}

void JsonTranscript::close(char bracket) {
  text_ += bracket;
  has_items_.pop_back();
}

}  // namespace coppice::detail
