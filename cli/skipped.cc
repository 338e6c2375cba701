#include "cli/skipped.h"

#include "cli/human.h"

namespace coppice::cli {

bool report_skipped(const text::SentenceReader& reader, Context& context) {
  const text::ReadCounts& counts = reader.counts();
  if (counts.skipped == 0) return false;
  for (const ParseError& problem : reader.problems()) context.report(problem);
  context.talk("skipped {} of {} for {}", counted(counts.skipped, "sentence"), reader.name(),
               counted(counts.problems, "problem"));
  return true;
}

}  // namespace coppice::cli
