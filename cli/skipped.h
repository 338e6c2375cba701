// What is said of records that were left out (--on-error skip).
#pragma once

#include "cli/context.h"
#include "coppice/text/reader.h"

namespace coppice::cli {

// Lists the problems of the records that were skipped, says how many there were, and returns
// whether there were any: the status is then kSkippedRecords.
bool report_skipped(const text::SentenceReader& reader, Context& context);

}  // namespace coppice::cli
