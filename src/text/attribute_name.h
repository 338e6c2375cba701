// Attributes' names, and the texts in them that come from no cell. Private to the extractor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/extraction_program.h"

namespace coppice::text {

// "_BOS1_" for a distance of -1, "_EOS2_" for one of 2.
std::string boundary_text(int distance);
// What position() gives at token t.
std::string_view position_text(std::size_t t, std::size_t tokens) noexcept;
// What first(), last() and bias() say at token t.
bool holds_at(Function function, std::size_t t, std::size_t tokens) noexcept;

// See Extractor::name.
std::optional<std::string> attribute_name(const ExtractionProgram& program, std::size_t index,
                                          const Cells& cells, std::size_t row);

// See Extractor::key.
std::optional<std::uint64_t> attribute_key(const ExtractionProgram& program, std::string_view name);

}  // namespace coppice::text
