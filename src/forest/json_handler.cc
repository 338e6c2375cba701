#include "forest/json_handler.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/unicode.h"
#include "coppice/base/error.h"

namespace coppice::detail {

namespace {

constexpr std::size_t kMaxQuoted = 40;
constexpr int kNumberOverflow = 406;  // the parser's id of that error

struct Key {
  std::string_view name;
  Slot slot;
};

constexpr std::array kRecordKeys{Key{"v", Slot::kVersion},     Key{"id", Slot::kId},
                                 Key{"tokens", Slot::kTokens}, Key{"nodes", Slot::kNodes},
                                 Key{"edges", Slot::kEdges},   Key{"root", Slot::kRoot},
                                 Key{"meta", Slot::kMeta}};
constexpr std::array kNodeKeys{Key{"label", Slot::kNodeLabel}, Key{"span", Slot::kSpan}};
constexpr std::array kEdgeKeys{Key{"head", Slot::kHead}, Key{"tails", Slot::kTails},
                               Key{"score", Slot::kScore}, Key{"label", Slot::kEdgeLabel},
                               Key{"values", Slot::kValues}};

std::span<const Key> keys_of(Slot object) {
  if (object == Slot::kNode) return kNodeKeys;
  if (object == Slot::kEdge) return kEdgeKeys;
  return kRecordKeys;
}

std::string_view name_of(Slot slot) {
  for (auto keys : {keys_of(Slot::kRecord), keys_of(Slot::kNode), keys_of(Slot::kEdge)}) {
    const auto found = std::ranges::find(keys, slot, &Key::slot);
    if (found != keys.end()) return found->name;
  }
  return "";
}

constexpr std::uint32_t bit(Slot slot) { return 1u << static_cast<unsigned>(slot); }

constexpr std::uint32_t kStrings =
    bit(Slot::kId) | bit(Slot::kToken) | bit(Slot::kNodeLabel) | bit(Slot::kEdgeLabel);
constexpr std::uint32_t kNodeNumbers = bit(Slot::kHead) | bit(Slot::kTail) | bit(Slot::kRoot);
constexpr std::uint32_t kNumbers = bit(Slot::kScore) | bit(Slot::kValue);
constexpr std::uint32_t kArrays = bit(Slot::kTokens) | bit(Slot::kNodes) | bit(Slot::kEdges) |
                                  bit(Slot::kTails) | bit(Slot::kSpan);

bool is_in(Slot slot, std::uint32_t set) { return (bit(slot) & set) != 0; }

const char* expected(Slot slot) {
  if (is_in(slot, kStrings)) return "a string";
  if (is_in(slot, kNodeNumbers)) return "the number of a node";
  if (is_in(slot, kNumbers)) return "a number or \"-inf\"";
  if (slot == Slot::kBound) return "the number of a token";
  if (slot == Slot::kSpan) return "two numbers of tokens, [begin, end]";
  if (is_in(slot, kArrays)) return "an array";
  if (slot == Slot::kVersion) return "the version 1";
  return "an object";
}

std::string in_quotes(std::string_view text) {
  const std::string_view shown = utf8_prefix(text, kMaxQuoted);
  return concat('"', shown, shown.size() < text.size() ? "...\"" : "\"");
}

// The container that holds this one.
Slot parent(Slot slot) {
  switch (slot) {
    case Slot::kNode:
      return Slot::kNodes;
    case Slot::kEdge:
      return Slot::kEdges;
    case Slot::kSpan:
      return Slot::kNode;
    case Slot::kTails:
    case Slot::kValues:
      return Slot::kEdge;
    default:
      return Slot::kRecord;
  }
}

// The parser's own words without its prefix and without the text it read.
std::string syntax_message(std::string_view message) {
  const auto column = message.find("column ");
  const auto begin = column == message.npos ? 0 : message.find(": ", column) + 2;
  const auto last_read = message.find("; last read", begin);
  std::string text(message.substr(begin, last_read - begin));
  if (last_read != message.npos) {
    const auto wanted = message.rfind("; expected ");
    if (wanted != message.npos && wanted > last_read) text += message.substr(wanted);
  }
  return text;
}

}  // namespace

Slot RecordHandler::next_slot() const noexcept {
  if (depth_ == 0) return Slot::kRecord;
  switch (open_) {
    case Slot::kTokens:
      return Slot::kToken;
    case Slot::kNodes:
      return Slot::kNode;
    case Slot::kSpan:
      return Slot::kBound;
    case Slot::kEdges:
      return Slot::kEdge;
    case Slot::kTails:
      return Slot::kTail;
    case Slot::kValues:
      return Slot::kValue;
    default:
      return key_;
  }
}

std::string RecordHandler::path() const {
  if (depth_ == 0) return "record";
  std::string text;
  if (open_ == Slot::kTokens) text = concat("tokens[", raw_.tokens->size(), "]");
  if (open_ == Slot::kNodes) text = concat("nodes[", raw_.num_nodes(), "]");
  if (open_ == Slot::kEdges) text = concat("edges[", raw_.num_edges(), "]");
  if (open_ == Slot::kNode) text = concat("nodes[", raw_.num_nodes() - 1, "].", name_of(key_));
  if (open_ == Slot::kSpan) text = concat("nodes[", raw_.num_nodes() - 1, "].span");
  if (is_in(open_, bit(Slot::kEdge) | bit(Slot::kTails) | bit(Slot::kValues))) {
    text = concat("edges[", raw_.num_edges() - 1, "].", name_of(key_));
  }
  if (open_ == Slot::kTails) {
    text += concat("[", raw_.tails.size() - raw_.tails_begin[raw_.num_edges() - 1], "]");
  }
  if (open_ == Slot::kValues) text += concat("[", in_quotes(raw_.values.names[value_name_]), "]");
  return text.empty() ? std::string(name_of(key_)) : text;
}

std::string RecordHandler::object_path() const {
  if (open_ == Slot::kRecord) return "";
  const std::string text = path();
  return text.substr(0, text.find('.')) + ": ";
}

void RecordHandler::fail(const char* code, const std::string& message) const {
  throw ParseError(message, {.code = code});
}

void RecordHandler::refuse(const std::string& found) const {
  const Slot slot = next_slot();
  const char* code = is_in(slot, kNumbers)                         ? "E223"
                     : slot == Slot::kBound || slot == Slot::kSpan ? "E224"
                                                                   : "E220";
  fail(code, concat(path(), ": expected ", expected(slot), ", found ", found));
}

bool RecordHandler::null() {
  if (!in_meta()) refuse("null");
  meta_.null();
  return true;
}

bool RecordHandler::boolean(bool value) {
  if (!in_meta()) refuse(value ? "true" : "false");
  meta_.boolean(value);
  return true;
}

bool RecordHandler::number_integer(std::int64_t value) {
  if (in_meta()) {
    meta_.integer(value);
  } else {
    number(static_cast<double>(value), std::to_string(value));
  }
  return true;
}

bool RecordHandler::number_unsigned(std::uint64_t value) {
  if (in_meta()) {
    meta_.unsigned_integer(value);
    return true;
  }
  const Slot slot = next_slot();
  if (slot == Slot::kVersion) {
    if (value != 1) refuse(std::to_string(value));
    return true;
  }
  if (slot != Slot::kBound && !is_in(slot, kNodeNumbers)) {
    number(static_cast<double>(value), std::to_string(value));
    return true;
  }
  if (value >= std::numeric_limits<std::uint32_t>::max()) {
    fail(slot == Slot::kBound ? "E224" : "E222",
         concat(path(), ": ", value, " is too large for ", expected(slot)));
  }
  const auto id = static_cast<std::uint32_t>(value);
  if (slot == Slot::kBound) bounds_.push_back(id);
  if (slot == Slot::kHead) raw_.heads.back() = id;
  if (slot == Slot::kTail) raw_.tails.push_back(id);
  if (slot == Slot::kRoot) raw_.root = id;
  return true;
}

bool RecordHandler::number_float(double value, const std::string& text) {
  if (in_meta()) {
    meta_.number(text);
  } else {
    number(value, std::string(utf8_prefix(text, kMaxQuoted)));
  }
  return true;
}

void RecordHandler::number(double value, const std::string& found) {
  const Slot slot = next_slot();
  if (slot == Slot::kScore) {
    raw_.scores.back() = value;
  } else if (slot == Slot::kValue) {
    raw_.values.add(value_name_, value);
  } else {
    refuse(found);
  }
}

bool RecordHandler::string(std::string& text) {
  if (in_meta()) {
    meta_.string(text);
    return true;
  }
  const Slot slot = next_slot();
  if (is_in(slot, kNumbers) && text == "-inf") {
    number(-std::numeric_limits<double>::infinity(), text);
    return true;
  }
  if (!is_in(slot, kStrings)) refuse("the string " + in_quotes(text));
  if (slot == Slot::kId) raw_.id = text;
  if (slot == Slot::kToken) raw_.tokens->push_back(text);
  if (slot == Slot::kNodeLabel) raw_.node_labels.back() = raw_.symbols.add(text);
  if (slot == Slot::kEdgeLabel) raw_.edge_labels.back() = raw_.symbols.add(text);
  return true;
}

bool RecordHandler::binary(nlohmann::json::binary_t&) { return false; }

bool RecordHandler::key(std::string& text) {
  if (in_meta()) {
    meta_.key(text);
    return true;
  }
  if (open_ == Slot::kValues) {
    value_name(text);
    return true;
  }
  const auto keys = keys_of(open_);
  const auto found = std::ranges::find(keys, std::string_view(text), &Key::name);
  if (found == keys.end()) {
    std::string known;
    for (const Key& key : keys) known += concat(known.empty() ? "" : ", ", key.name);
    fail("E220", concat(object_path(), "unknown key ", in_quotes(text), "; known: ", known));
  }
  key_ = found->slot;
  std::uint32_t& seen = open_ == Slot::kRecord ? seen_ : seen_inside_;
  if (is_in(key_, seen))
    fail("E220", concat(object_path(), "key ", in_quotes(text), " is given twice"));
  seen |= bit(key_);
  return true;
}

void RecordHandler::value_name(std::string_view name) {
  value_name_ = raw_.values.names.add(name);
  if (index(value_name_) >= last_edge_.size()) last_edge_.resize(index(value_name_) + 1, 0);
  std::size_t& last = last_edge_[index(value_name_)];
  if (last == raw_.num_edges()) {
    fail("E220", concat("edges[", raw_.num_edges() - 1, "].values: key ", in_quotes(name),
                        " is given twice"));
  }
  last = raw_.num_edges();
}

bool RecordHandler::start_object(std::size_t) {
  const Slot slot = next_slot();
  if (in_meta() || slot == Slot::kMeta) {
    open_meta('{');
    return true;
  }
  if (slot == Slot::kNode) {
    raw_.node_labels.push_back(raw_.symbols.add(""));
    raw_.spans.emplace_back();
  } else if (slot == Slot::kEdge) {
    begin_edge();
  } else if (slot != Slot::kRecord && slot != Slot::kValues) {
    refuse("an object");
  }
  if (slot == Slot::kNode || slot == Slot::kEdge) seen_inside_ = 0;
  open_ = slot;
  ++depth_;
  return true;
}

void RecordHandler::begin_edge() {
  raw_.heads.push_back(0);
  raw_.tails_begin.push_back(raw_.tails.size());
  raw_.scores.push_back(0);
  raw_.edge_labels.push_back(raw_.symbols.add(""));
  raw_.values.begin_edge();
}

bool RecordHandler::end_object() {
  if (in_meta()) {
    close_meta('}');
    return true;
  }
  if (open_ == Slot::kEdge) end_edge();
  if (open_ == Slot::kRecord) end_record();
  open_ = parent(open_);
  --depth_;
  return true;
}

void RecordHandler::end_edge() {
  if (!is_in(Slot::kHead, seen_inside_)) {
    fail("E220", concat("edges[", raw_.num_edges() - 1, "]: \"head\" is missing"));
  }
  raw_.tails_begin.back() = raw_.tails.size();
}

void RecordHandler::end_record() const {
  for (Slot slot : {Slot::kVersion, Slot::kNodes, Slot::kEdges}) {
    if (!is_in(slot, seen_)) fail("E220", concat('"', name_of(slot), "\" is missing"));
  }
}

bool RecordHandler::start_array(std::size_t) {
  const Slot slot = next_slot();
  if (in_meta()) {
    open_meta('[');
    return true;
  }
  if (!is_in(slot, kArrays)) refuse("an array");
  if (slot == Slot::kTokens) raw_.tokens.emplace();
  if (slot == Slot::kSpan) bounds_.clear();
  open_ = slot;
  ++depth_;
  return true;
}

bool RecordHandler::end_array() {
  if (in_meta()) {
    close_meta(']');
    return true;
  }
  if (open_ == Slot::kSpan) end_span();
  open_ = parent(open_);
  --depth_;
  return true;
}

void RecordHandler::end_span() {
  const std::string name = concat("nodes[", raw_.num_nodes() - 1, "].span");
  if (bounds_.size() != 2) {
    fail("E224", concat(name, ": expected ", expected(Slot::kSpan), ", found ", bounds_.size(),
                        " numbers"));
  }
  if (bounds_[1] < bounds_[0]) {
    fail("E224", concat(name, " ends at ", bounds_[1], " before it begins at ", bounds_[0]));
  }
  raw_.spans.back() = TokenSpan{bounds_[0], bounds_[1]};
}

void RecordHandler::open_meta(char bracket) {
  if (meta_.depth() == kMaxJsonDepth) {
    fail("E246", concat("meta nests deeper than ", kMaxJsonDepth, " levels"));
  }
  meta_.open(bracket);
  open_ = Slot::kMeta;
}

void RecordHandler::close_meta(char bracket) {
  meta_.close(bracket);
  if (meta_.depth() > 0) return;
  raw_.meta = meta_.take();
  open_ = Slot::kRecord;
}

bool RecordHandler::parse_error(std::size_t position, const std::string&,
                                const nlohmann::json::exception& error) {
  if (error.id == kNumberOverflow) fail("E223", "a number is too large for a double");
  throw ParseError("not JSON: " + syntax_message(error.what()),
                   {.code = "E240", .where = {.file = "", .line = 1, .column = position}});
}

}  // namespace coppice::detail
