// The content of one binary record, without its length and checksum.
#pragma once

#include <string>

#include "coppice/forest/record.h"
#include "forest/bytes.h"

namespace coppice::detail {

// Requires a record that holds its invariants.
std::string encode(const ForestRecord& record);

// Throws ParseError (E225), or InvalidArgument when the bytes spell a record that breaks an
// invariant of ForestRecord.
ForestRecord decode(ByteCursor bytes);

}  // namespace coppice::detail
