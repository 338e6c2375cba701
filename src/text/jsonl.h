// JSON lines: one object a line, one line a sentence.
//
//     {"v":1,"id":"s1","tokens":["Peter","visits","New","York"],"tags":["B-PER","O","B-LOC","I-LOC"]}
//
//   v           the version of the schema: 1, also when it is left out
//   id          a string or a whole number
//   tokens      strings; the only key that must be there
//   tags        for each token a label; or null, unknown; or a list of the labels it may have
//   spans       {"start":0,"end":1,"label":"PER"}: tokens [start, end). Without tags they become
//               IOB2 labels; beside tags they are only checked
//   attributes  for each token an object of names with values: a number; a string or a list of
//               strings, "ing" under "suffix" being the attribute "suffix=ing"; true, the name
//               alone, or false, nothing (text/sentence_builder.h)
//   weight      of the sentence, a number from 0 up
//   tree        a string of brackets (brackets.h), whose words without empty elements are the
//               tokens: "(S (NP (PRP they)) (VP (VBP sleep)))"
//
// null is the same as a key left out. Keys of our own output (unit, text, tag_p, logp, ms,
// kbest, samples) are passed over, and others are too, but listed by ignored_keys(). Empty lines
// are passed over.
//
// A sentence has the columns "form" and, when it has labels, "label".
//
// Faults: E240 not JSON (or not UTF-8), E241 a value of the wrong type or range, E242 no tokens,
// E243 lists of different lengths, E244 another version, E245 a key that comes twice, E246 nested
// deeper than 64, E253 a tree that is none or has other words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coppice/text/reader.h"

namespace coppice::text {

class JsonlReader final : public SentenceReader {
 public:
  explicit JsonlReader(LineReader lines, const ReadPolicy& policy = {});
  explicit JsonlReader(const std::string& path, const ReadPolicy& policy = {})
      : JsonlReader(LineReader(path), policy) {}
  ~JsonlReader() override;

  std::string description() const override { return "jsonl"; }
  const Tree* tree() const noexcept override;
  // Keys that nobody knows, in the order of their first use; the first hundred.
  const std::vector<std::string>& ignored_keys() const noexcept;

 private:
  struct Record;
  bool read(Sentence& sentence) override;
  std::unique_ptr<Record> record_;
};

}  // namespace coppice::text
