// One line of JSON on its way into a Sentence: the handler that nlohmann's parser calls. It keeps
// strings in the sentence's buffer and ranges in vectors that are used again, so that a line costs
// no allocation a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/sentence.h"

namespace coppice::text {

struct JsonFault {
  const char* code = nullptr;
  std::string message;
  std::size_t column = 0;  // byte in the line, from 1; 0 when unknown
};

class JsonRecordHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  // Parses `line` into the empty sentence. Returns the fault, if any.
  std::optional<JsonFault> parse(std::string_view line, std::size_t line_number,
                                 Sentence& sentence);
  const std::vector<std::string>& ignored_keys() const noexcept { return ignored_keys_; }

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(number_integer_t value) override;
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t& text) override;
  bool string(string_t& value) override;
  bool binary(binary_t& value) override;
  bool start_object(std::size_t elements) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t elements) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& error) override;

 private:
  enum class Field { kVersion, kId, kTokens, kTags, kSpans, kAttributes, kWeight, kOther };
  enum class TagKind : unsigned char { kOne, kUnknown, kSet };
  struct Span {
    std::optional<std::size_t> start;
    std::optional<std::size_t> end;
    std::optional<TextRange> label;
  };
  struct Tag {
    std::size_t first = 0;  // in tag_labels_; it ends where the next one begins
    TagKind kind = TagKind::kOne;
  };

  void clear();
  bool fail(const char* code, std::string message);
  bool wrong_type(const char* found);
  bool number(double value, std::optional<std::size_t> whole);
  bool is_unread_span_key() const noexcept;  // "p" and others
  bool span_value(std::optional<std::size_t> whole, std::optional<TextRange> text);
  bool open(bool is_object);
  bool close();
  static Field field_of(std::string_view name) noexcept;
  void note_ignored(std::string_view name);

  bool check_lengths();
  bool finish();
  void add_token(std::size_t row, std::optional<TextRange> label);
  TextRange spell_label_set(std::size_t row);
  void add_label_sets();
  bool labels_from_spans(std::vector<TextRange>& labels);

  Sentence* sentence_ = nullptr;
  std::size_t line_number_ = 0;
  JsonFault fault_;
  std::size_t depth_ = 0;    // open containers
  std::size_t skipped_ = 0;  // open containers of a value that is passed over
  Field field_ = Field::kOther;
  std::uint32_t fields_seen_ = 0;  // a bit a field
  std::string name_;               // the key inside an object of attributes or spans
  std::string joined_;

  std::vector<TextRange> tokens_;
  std::vector<Tag> tags_;
  std::vector<TextRange> tag_labels_;
  std::vector<Span> spans_;
  struct NamedValue {
    TextRange name;
    double value;
  };
  std::vector<NamedValue> attributes_;
  std::vector<std::size_t> attribute_begin_;
  bool has_tags_ = false;
  bool has_spans_ = false;
  bool has_attributes_ = false;
  std::vector<std::string> ignored_keys_;
};

}  // namespace coppice::text
