// From sentences to a Dataset: attributes and labels get numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chain/dataset.h"
#include "coppice/base/symbols.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/tag/encode.h"
#include "coppice/text/extractor.h"
#include "coppice/text/sentence.h"
#include "score/design_builder.h"

namespace coppice::tag {

// Collects training sentences. Attributes that the sentences bring along (JSON lines, CRFsuite
// files) join those of the templates.
class DatasetBuilder {
 public:
  // The extractor is copied. Throws as Extractor does.
  DatasetBuilder(const text::Extractor& extractor, EncoderOptions options);

  // Gives a label the next number before any sentence has it.
  void add_label_name(std::string_view label) { labels_.add(label); }

  // Throws ParseError (E210) with file and line for an empty label, InvalidArgument past 65535
  // labels.
  void add(const text::Sentence& sentence);
  // Every label is possible at every token.
  void add_unlabelled(const text::Sentence& sentence);

  // Where a sentence was read.
  struct Origin {
    std::uint32_t file = 0;  // number among `files`
    std::uint32_t line = 0;
  };

  // Ends the collection. Attributes are numbered in the order of their first occurrence; `keys`
  // has the key of each, `groups` the template that gives it (kNoGroup: the data brought it).
  struct Result {
    chain::Dataset data;
    Symbols labels;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> groups;
    std::vector<std::uint64_t> pair_keys;  // of Dataset::pair_design
    std::vector<std::string> files;
    std::vector<Origin> origins;  // by sentence
  };
  Result build() &&;

 private:
  void add_attributes(const text::Sentence& sentence);
  void add_end(const text::Sentence& sentence);
  void add_labels(const text::Sentence& sentence, std::size_t row);
  void add_origin(const text::Sentence& sentence);
  void add_label(std::string_view label, const text::Sentence& sentence, std::size_t row);

  text::Extractor extractor_;
  EncoderOptions options_;
  FeatureCells cells_;
  text::Attributes attributes_;
  DesignBuilder states_, pairs_;
  Symbols labels_;
  chain::Dataset data_;
  std::vector<std::string> files_;
  std::vector<Origin> origins_;
};

}  // namespace coppice::tag
