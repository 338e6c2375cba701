// Plain text: one sentence a line, tokens separated by ASCII white space. Lines without tokens are
// no sentences; they are kept in Sentence::raw() of the next, so that writers can answer line by
// line. One column, "form". Faults: E202 not UTF-8, E205 NUL byte.
#pragma once

#include <string>

#include "coppice/text/reader.h"

namespace coppice::text {

class PlainTextReader final : public SentenceReader {
 public:
  explicit PlainTextReader(LineReader lines, const ReadPolicy& policy = {});
  explicit PlainTextReader(const std::string& path, const ReadPolicy& policy = {})
      : PlainTextReader(LineReader(path), policy) {}

  std::string description() const override { return "text, one sentence a line"; }

 private:
  bool read(Sentence& sentence) override;
};

}  // namespace coppice::text
