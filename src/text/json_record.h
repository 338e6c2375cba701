// One line of JSON on its way into a Sentence: the handler that nlohmann's parser calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/sentence.h"
#include "coppice/text/sentence_builder.h"
#include "coppice/text/tree.h"

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
  // The tree of the record that was parsed; empty when it has none.
  const Tree& tree() const noexcept { return tree_; }
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
  enum class Field { kVersion, kId, kTokens, kTags, kSpans, kAttributes, kWeight, kTree, kOther };
  struct Span {
    std::optional<std::size_t> start;
    std::optional<std::size_t> end;
    std::optional<TextRange> label;
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
  bool tags_from_spans();
  bool take_tree();

  Sentence* sentence_ = nullptr;
  std::size_t line_number_ = 0;
  JsonFault fault_;
  std::size_t depth_ = 0;    // open containers
  std::size_t skipped_ = 0;  // open containers of a value that is passed over
  Field field_ = Field::kOther;
  std::uint32_t fields_seen_ = 0;  // a bit a field
  std::string name_;               // the key inside an object of attributes or spans

  SentenceBuilder builder_;
  std::vector<Span> spans_;
  std::string brackets_;
  Tree tree_;
  bool has_tags_ = false;
  bool has_spans_ = false;
  bool has_attributes_ = false;
  std::vector<std::string> ignored_keys_;
};

}  // namespace coppice::text
