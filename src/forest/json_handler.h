// The events of a JSON parser, turned into a RawRecord. Holds no tree of the document, and its
// depth is that of the schema, so hostile nesting costs nothing.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "forest/json_text.h"
#include "forest/raw_record.h"

namespace coppice::detail {

// What a value in a record is: the keys of its objects, and the elements of its arrays.
enum class Slot : unsigned char {
  kRecord,
  kVersion,
  kId,
  kTokens,
  kToken,
  kNodes,
  kNode,
  kNodeLabel,
  kSpan,
  kBound,
  kEdges,
  kEdge,
  kHead,
  kTails,
  kTail,
  kScore,
  kEdgeLabel,
  kValues,
  kValue,
  kRoot,
  kMeta,
};

// Throws ParseError without a location, whose message begins with the path of the value.
class RecordHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  // The record read; requires that the parser has come to its end.
  RawRecord take() { return std::move(raw_); }

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(std::int64_t value) override;
  bool number_unsigned(std::uint64_t value) override;
  bool number_float(double value, const std::string& text) override;
  bool string(std::string& text) override;
  bool binary(nlohmann::json::binary_t& bytes) override;
  bool key(std::string& text) override;
  bool start_object(std::size_t size) override;
  bool end_object() override;
  bool start_array(std::size_t size) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& error) override;

 private:
  // The slot of the value that comes next, given the container we are in.
  Slot next_slot() const noexcept;
  bool in_meta() const noexcept { return open_ == Slot::kMeta && depth_ > 0; }

  [[noreturn]] void fail(const char* code, const std::string& message) const;
  [[noreturn]] void refuse(const std::string& found) const;
  std::string path() const;         // of the value that comes next
  std::string object_path() const;  // of the object that is open, with ": "; empty for the record

  void open_meta(char bracket);
  void close_meta(char bracket);
  void number(double value, const std::string& found);
  void value_name(std::string_view name);
  void begin_edge();
  void end_edge();
  void end_record() const;
  void end_span();

  RawRecord raw_;
  Slot open_ = Slot::kRecord;  // the innermost open container, once depth_ > 0
  Slot key_ = Slot::kRecord;   // the key read last in it
  std::size_t depth_ = 0;
  std::uint32_t seen_ = 0;         // bits of the slots that the record has
  std::uint32_t seen_inside_ = 0;  // the same for the node or edge that is open
  std::vector<std::uint32_t> bounds_;
  std::vector<std::size_t> last_edge_;  // per value name, the edge + 1 that had it last
  SymbolId value_name_{};
  JsonTranscript meta_;
};

}  // namespace coppice::detail
