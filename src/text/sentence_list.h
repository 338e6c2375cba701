// Sentences that a program has already, where a reader is wanted.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "coppice/text/reader.h"

namespace coppice::text {

class SentenceList final : public SentenceReader {
 public:
  // `columns` are the names of the sentences' columns; `name` takes the place of a file's.
  SentenceList(std::vector<Sentence> sentences, ColumnNames columns, std::string name)
      : SentenceReader(LineReader::over({}, std::move(name)), {}, Format::kColumns),
        sentences_(std::move(sentences)) {
    set_column_names(std::move(columns));
  }

  std::string description() const override {
    return "given sentences of " + column_names().to_string();
  }

 private:
  bool read(Sentence& sentence) override {
    if (next_ == sentences_.size()) return false;
    sentence = std::move(sentences_[next_++]);
    return true;
  }

  std::vector<Sentence> sentences_;
  std::size_t next_ = 0;
};

}  // namespace coppice::text
