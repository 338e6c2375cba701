// What an evaluation scores: the gold and the predicted labels of a corpus.
//
//     LabelPairs pairs(LabelPairs::Keep::kContext);
//     while (...) pairs.add(sentence, gold_labels, predicted_labels);
//
// The prediction may come from a file (read_pairs) or from a model. Labels are kept as numbers, so
// a token takes 8 bytes; words and lines are kept only for sentences with an error, and only when
// errors are to be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/context.h"
#include "cli/paired_readers.h"
#include "coppice/text/sentence.h"

namespace coppice::cli {

class LabelPairs {
 public:
  enum class Keep { kLabels, kContext };

  // A sentence with an error, for people. Words are "#1", "#2", ... where the data has none.
  struct Words {
    std::vector<std::string> forms;
    std::vector<std::size_t> lines;
  };

  explicit LabelPairs(Keep keep = Keep::kLabels) : keep_(keep) {}
  LabelPairs(LabelPairs&&) noexcept = default;  // no copies: ids_ has views of names_
  LabelPairs& operator=(LabelPairs&&) noexcept = default;

  // Throws InvalidArgument unless there are as many labels of either kind as tokens.
  void add(const text::Sentence& sentence, std::span<const std::string_view> gold,
           std::span<const std::string_view> predicted);

  std::size_t size() const noexcept { return begin_.size() - 1; }
  std::size_t num_tokens() const noexcept { return gold_.size(); }
  // The labels of a sentence; views that live as long as the pairs.
  std::vector<std::string_view> gold(std::size_t sentence) const;
  std::vector<std::string_view> predicted(std::size_t sentence) const;

  // The words of a sentence whose labels differ. Requires Keep::kContext.
  const Words& words(std::size_t sentence) const { return words_.at(sentence); }
  // The name of the gold data.
  const std::string& file() const noexcept { return file_; }
  // Identifies words and gold labels, whatever the format they were read from.
  const std::string& data_digest() const noexcept { return digest_; }

 private:
  std::uint32_t intern(std::string_view label);
  void keep_words(const text::Sentence& sentence);
  void update_digest(const text::Sentence& sentence, std::span<const std::string_view> gold);

  Keep keep_;
  std::deque<std::string> names_;  // never move
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<std::uint32_t> gold_;
  std::vector<std::uint32_t> predicted_;
  std::vector<std::size_t> begin_ = {0};
  std::map<std::size_t, Words> words_;
  std::string file_;
  std::string digest_;
};

struct PairsRead {
  std::vector<LabelPairs> systems;  // as the readers have them
  bool skipped = false;             // whether sentences were left out
};

// Reads the labels of gold data and of the output of one system or several. A sentence that is
// skipped in one file is left out of all. Throws ParseError: E140 when files have other sentences
// or words than the gold data, E145 without labels, E204 without sentences.
PairsRead read_pairs(PairedReaders& readers, LabelPairs::Keep keep, Context& context);

}  // namespace coppice::cli
