// CRFsuite's data files: a token a line, its label and then its attributes, separated by tabs.
//
//     B-NP<TAB>w[0]=the<TAB>length:3
//
// A ':' begins the attribute's value, a number (1 without it); in labels and names, "\:" and "\\"
// stand for ':' and '\'. A blank line ends a sequence. A line "@weight:2.5" before the first token
// weighs the sequence. http://www.chokkan.org/software/crfsuite/manual.html
//
// A sentence has one column, "label", no forms, and attributes. Faults: E202 not UTF-8, E205 NUL
// byte, E208 weight, E209 attribute.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "coppice/text/reader.h"

namespace coppice::text {

class CrfsuiteReader final : public SentenceReader {
 public:
  explicit CrfsuiteReader(LineReader lines, const ReadPolicy& policy = {});
  explicit CrfsuiteReader(const std::string& path, const ReadPolicy& policy = {})
      : CrfsuiteReader(LineReader(path), policy) {}

  std::string description() const override { return "crfsuite"; }

 private:
  bool read(Sentence& sentence) override;
  bool take_line(Sentence& sentence, std::string_view line);
  void take_attribute(Sentence& sentence, std::string_view field, std::string_view line);

  std::string decoded_;
};

// Writes such files item by item, e.g. to give another program the same features.
class CrfsuiteWriter {
 public:
  // The stream must outlive the writer.
  explicit CrfsuiteWriter(std::ostream& out) : out_(&out) {}

  // Throws InvalidArgument when a label or a name has a tab or an end of line in it.
  void begin_item(std::string_view label);
  void add_attribute(std::string_view name, double value = 1.0);
  void end_item();
  // `@weight` must come before the items of its sequence.
  void set_weight(double weight);
  void end_sequence();

 private:
  void write_escaped(std::string_view text);
  std::ostream* out_;
};

}  // namespace coppice::text
