// What `coppice check` finds out about one file of data, in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/derivations.h"
#include "cli/tree_check.h"
#include "coppice/text/data_options.h"
#include "coppice/text/spans.h"

namespace coppice::cli {

struct DataCheck {
  std::string name;         // as messages give it
  std::string description;  // "columns form label (tab)"
  text::ReadCounts counts;
  std::string label_column;  // its name; empty without labels
  std::map<std::string, std::uint64_t> labels;
  text::Scheme scheme = text::Scheme::kRaw;
  std::uint64_t broken_labels = 0;  // labels that break the scheme
  std::size_t longest = 0;          // sentence, in tokens
  std::size_t longest_line = 0;
  std::uint64_t odd_characters = 0;  // U+FFFD and control characters in words
  std::size_t odd_line = 0;          // of the first
  TreeCheck trees;                   // none in data without trees
  std::uint64_t num_problems = 0;
  std::vector<ParseError> problems;  // the first ones, by line
};

// Where a sentence was first seen, over all files that are checked together. Two sentences are the
// same when their words are; a sentence takes about 100 bytes.
class SentenceRegister {
 public:
  struct Shared {
    std::uint64_t count = 0;
    std::size_t line_in_first = 0;  // of the first sentence that both have
    std::size_t line_in_second = 0;
  };

  // Sentences without words are passed over.
  void add(std::size_t file, const text::Sentence& sentence);
  // By the numbers of two files, the lower first; a file with itself has the repetitions within.
  const std::map<std::pair<std::size_t, std::size_t>, Shared>& shared() const { return shared_; }

 private:
  std::map<std::string, std::pair<std::size_t, std::size_t>> first_;  // digest to file and line
  std::map<std::pair<std::size_t, std::size_t>, Shared> shared_;
};

// How the file is to be read, what derives it when it has derivations, and what trees lose first.
struct CheckedData {
  const text::DataOptions& data;
  const DerivationOptions& derivations;
  text::TreeEdits edits{};
};

// Reads everything. Problems: what the reader finds, labels that break the scheme they are in
// (E141), and no sentences at all (E204). At most `max_problems` are kept. Trees are described as
// the edits leave them.
DataCheck check_data(const std::string& path, const CheckedData& options, std::size_t max_problems,
                     std::size_t file_number, SentenceRegister& sentences);

}  // namespace coppice::cli
