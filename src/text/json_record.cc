#include "text/json_record.h"

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"
#include "coppice/text/spans.h"
#include "text/lines.h"

namespace coppice::text {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxIgnoredKeys = 100;

}  // namespace

std::optional<JsonFault> JsonRecordHandler::parse(std::string_view line, std::size_t line_number,
                                                  Sentence& sentence) {
  clear();
  sentence_ = &sentence;
  builder_.start(sentence);
  line_number_ = line_number;
  const bool is_fine = nlohmann::json::sax_parse(line, this) && finish();
  if (is_fine) return std::nullopt;
  if (fault_.column > line.size()) fault_.message = "the JSON object does not end on its line";
  return fault_;
}

void JsonRecordHandler::clear() {
  fault_ = {};
  depth_ = 0;
  skipped_ = 0;
  field_ = Field::kOther;
  fields_seen_ = 0;
  spans_.clear();
  brackets_.clear();
  tree_ = {};
  has_tags_ = false;
  has_spans_ = false;
  has_attributes_ = false;
}

bool JsonRecordHandler::fail(const char* code, std::string message) {
  fault_ = {code, std::move(message), 0};
  return false;
}

JsonRecordHandler::Field JsonRecordHandler::field_of(std::string_view name) noexcept {
  if (name == "v") return Field::kVersion;
  if (name == "id") return Field::kId;
  if (name == "tokens") return Field::kTokens;
  if (name == "tags") return Field::kTags;
  if (name == "spans") return Field::kSpans;
  if (name == "attributes") return Field::kAttributes;
  if (name == "weight") return Field::kWeight;
  if (name == "tree") return Field::kTree;
  return Field::kOther;
}

// What the innermost place, where a value was found, wanted instead.
bool JsonRecordHandler::wrong_type(const char* found) {
  const char* wanted = "an object";
  if (depth_ > 0) {
    switch (field_) {
      case Field::kVersion:
        wanted = "\"v\" to be 1";
        break;
      case Field::kId:
        wanted = "\"id\" to be a string or a whole number";
        break;
      case Field::kTokens:
        wanted = "\"tokens\" to be a list of strings";
        break;
      case Field::kTags:
        wanted = "\"tags\" to be a list of strings, nulls and lists of strings";
        break;
      case Field::kSpans:
        wanted = "\"spans\" to be a list of {\"start\":0,\"end\":1,\"label\":\"X\"}";
        break;
      case Field::kAttributes:
        wanted =
            "\"attributes\" to be a list of objects of numbers, strings, true, false and lists of "
            "strings";
        break;
      case Field::kTree:
        wanted = "\"tree\" to be a string of brackets";
        break;
      default:
        wanted = "\"weight\" to be a number from 0 up";
    }
  }
  return fail("E241", concat("expected ", wanted, ", found ", found));
}

bool JsonRecordHandler::null() {
  if (skipped_ > 0) return true;
  if (depth_ == 2 && field_ == Field::kTags) {
    builder_.add_unknown_tag();
    return true;
  }
  const bool is_absent = depth_ == 1 && field_ != Field::kTokens;
  if (is_absent || is_unread_span_key()) return true;
  return wrong_type("null");
}

bool JsonRecordHandler::boolean(bool value) {
  if (skipped_ > 0 || (depth_ == 1 && field_ == Field::kOther)) return true;
  if (depth_ == 3 && field_ == Field::kSpans) return span_value({}, {});
  if (depth_ == 3 && field_ == Field::kAttributes) {
    builder_.add_flag(name_, value);
    return true;
  }
  return wrong_type(value ? "true" : "false");
}

bool JsonRecordHandler::number(double value, std::optional<std::size_t> whole) {
  if (skipped_ > 0) return true;
  if (depth_ == 1) {
    switch (field_) {
      case Field::kOther:
        return true;
      case Field::kVersion:
        if (value == 1) return true;
        return fail("E244", concat("expected version 1 of the schema, found ", value));
      case Field::kId:
        if (!whole) return wrong_type("another number");
        sentence_->set_id(sentence_->append(std::to_string(*whole)));
        return true;
      case Field::kWeight:
        if (!std::isfinite(value) || value < 0) return wrong_type("a negative number");
        sentence_->set_weight(value);
        return true;
      default:
        return wrong_type("a number");
    }
  }
  if (depth_ == 3 && field_ == Field::kSpans) return span_value(whole, {});
  if (depth_ == 3 && field_ == Field::kAttributes) {
    builder_.add_attribute(name_, value);
    return true;
  }
  return wrong_type("a number");
}

bool JsonRecordHandler::number_integer(number_integer_t value) {
  return number(static_cast<double>(value), std::nullopt);  // only negative ones come here
}

bool JsonRecordHandler::number_unsigned(number_unsigned_t value) {
  return number(static_cast<double>(value), value);
}

bool JsonRecordHandler::number_float(number_float_t value, const string_t&) {
  return number(value, std::nullopt);
}

bool JsonRecordHandler::string(string_t& value) {
  if (skipped_ > 0 || (depth_ == 1 && field_ == Field::kOther)) return true;
  if (depth_ == 1 && field_ == Field::kId) {
    sentence_->set_id(sentence_->append(value));
    return true;
  }
  if (depth_ == 1 && field_ == Field::kTree) {
    brackets_ = value;
    return true;
  }
  if (depth_ == 2 && field_ == Field::kTokens) {
    builder_.add_cell(value);
    builder_.end_token();
    return true;
  }
  if (depth_ == 2 && field_ == Field::kTags) {
    builder_.add_tag(value);
    return true;
  }
  if (depth_ == 3 && field_ == Field::kTags) {
    builder_.add_to_tag_set(value);
    return true;
  }
  if (depth_ == 3 && field_ == Field::kSpans) return span_value({}, sentence_->append(value));
  if (field_ == Field::kAttributes && (depth_ == 3 || depth_ == 4)) {
    builder_.add_attribute(name_, value);
    return true;
  }
  return wrong_type("a string");
}

bool JsonRecordHandler::is_unread_span_key() const noexcept {
  return depth_ == 3 && field_ == Field::kSpans && name_ != "start" && name_ != "end" &&
         name_ != "label";
}

bool JsonRecordHandler::span_value(std::optional<std::size_t> whole,
                                   std::optional<TextRange> text) {
  if (is_unread_span_key()) return true;
  Span& span = spans_.back();
  if (name_ == "label") {
    span.label = text;
    return text ? true : wrong_type("a label that is not a string");
  }
  (name_ == "start" ? span.start : span.end) = whole;
  return whole ? true : wrong_type("an offset that is not a whole number from 0 up");
}

bool JsonRecordHandler::binary(binary_t&) { return wrong_type("binary data"); }

bool JsonRecordHandler::key(string_t& name) {
  if (skipped_ > 0) return true;
  if (depth_ > 1) {
    name_ = name;
    return true;
  }
  field_ = field_of(name);
  if (field_ == Field::kOther) {
    note_ignored(name);
    return true;
  }
  const std::uint32_t bit = 1U << static_cast<unsigned>(field_);
  if ((fields_seen_ & bit) != 0) return fail("E245", concat("the key \"", name, "\" comes twice"));
  fields_seen_ |= bit;
  return true;
}

void JsonRecordHandler::note_ignored(std::string_view name) {
  for (const std::string_view ours : {"unit", "text", "tag_p", "logp", "ms", "kbest", "samples"}) {
    if (name == ours) return;
  }
  const bool is_known =
      std::find(ignored_keys_.begin(), ignored_keys_.end(), name) != ignored_keys_.end();
  if (!is_known && ignored_keys_.size() < kMaxIgnoredKeys) ignored_keys_.emplace_back(name);
}

bool JsonRecordHandler::open(bool is_object) {
  if (depth_ + skipped_ >= kMaxDepth) {
    return fail("E246", concat("lists and objects are nested deeper than ", kMaxDepth));
  }
  if (skipped_ > 0 || (depth_ == 1 && field_ == Field::kOther) || is_unread_span_key()) {
    ++skipped_;
    return true;
  }
  const char* found = is_object ? "an object" : "a list";
  if (depth_ == 0) {
    if (!is_object) return wrong_type(found);
  } else if (depth_ == 1) {
    const bool is_list = field_ == Field::kTokens || field_ == Field::kTags ||
                         field_ == Field::kSpans || field_ == Field::kAttributes;
    if (is_object || !is_list) return wrong_type(found);
    has_tags_ |= field_ == Field::kTags;
    has_spans_ |= field_ == Field::kSpans;
    has_attributes_ |= field_ == Field::kAttributes;
  } else if (depth_ == 2 && is_object && field_ == Field::kSpans) {
    spans_.emplace_back();
  } else if (depth_ == 2 && is_object && field_ == Field::kAttributes) {
    builder_.begin_attributes();
  } else if (depth_ == 2 && !is_object && field_ == Field::kTags) {
    builder_.begin_tag_set();
  } else if (depth_ != 3 || is_object || field_ != Field::kAttributes) {
    return wrong_type(found);
  }
  ++depth_;
  return true;
}

bool JsonRecordHandler::close() {
  if (skipped_ > 0) {
    --skipped_;
    return true;
  }
  --depth_;
  const bool ends_set = depth_ == 2 && field_ == Field::kTags;
  if (ends_set && builder_.ends_in_empty_set()) return wrong_type("an empty list");
  return true;
}

bool JsonRecordHandler::start_object(std::size_t) { return open(true); }
bool JsonRecordHandler::end_object() { return close(); }
bool JsonRecordHandler::start_array(std::size_t) { return open(false); }
bool JsonRecordHandler::end_array() { return close(); }

bool JsonRecordHandler::parse_error(std::size_t position, const std::string&,
                                    const nlohmann::detail::exception&) {
  fault_ = {"E240", "this is not JSON", position};
  return false;
}

}  // namespace coppice::text
