// A sentence from lists that come in any order: cells of tokens, tags, attributes. What readers of
// JSON lines and Python's lists share.
//
//     SentenceBuilder builder;
//     builder.start(sentence);
//     builder.add_cell("Bern"), builder.end_token();
//     builder.begin_attributes(), builder.add_attribute("suffix", "ern");
//     builder.add_tag("B-LOC");
//     if (builder.num_tags() == builder.num_tokens()) builder.finish({.line = 1});
//
// An attribute has a name and a value:
//
//     a number   the attribute of that name with that value
//     a text     the attribute "name=text" with the value 1; several texts give several attributes
//     a flag     the attribute of that name with the value 1, or none at all
//
// A tag is a label, nothing (unknown), or a set of labels that the token may have.
// Characters go into the sentence's buffer at once, ranges into vectors that are used again, so
// that a sentence costs no allocation a token.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/sentence.h"

namespace coppice::text {

class SentenceBuilder {
 public:
  // Forgets what was added before. The sentence, which is empty, must outlive finish().
  void start(Sentence& sentence);

  void add_cell(std::string_view text) { cells_.push_back(sentence_->append(text)); }
  // Ends a token that has got its cells, as many as every other: one, several, or none.
  void end_token() { ++num_tokens_; }

  // The cell that was added as number `i`.
  TextRange cell(std::size_t i) const noexcept { return cells_[i]; }

  void add_tag(std::string_view label);
  void add_unknown_tag() { tags_.push_back({tag_labels_.size(), TagKind::kUnknown}); }
  // A set of labels, to which add_to_tag_set adds.
  void begin_tag_set() { tags_.push_back({tag_labels_.size(), TagKind::kSet}); }
  void add_to_tag_set(std::string_view label) { tag_labels_.push_back(sentence_->append(label)); }
  // Whether the last tag is a set without members.
  bool ends_in_empty_set() const noexcept {
    return !tags_.empty() && tags_.back().kind == TagKind::kSet &&
           tags_.back().first == tag_labels_.size();
  }

  // Those that follow are of the next token.
  void begin_attributes() { attribute_begin_.push_back(attributes_.size()); }
  void add_attribute(std::string_view name, double value) {
    attributes_.push_back({sentence_->append(name), value});
  }
  void add_attribute(std::string_view name, std::string_view text);
  void add_flag(std::string_view name, bool flag) {
    if (flag) add_attribute(name, 1.0);
  }

  std::size_t num_tokens() const noexcept { return num_tokens_; }
  std::size_t num_tags() const noexcept { return tags_.size(); }
  std::size_t num_attribute_lists() const noexcept { return attribute_begin_.size(); }

  // What the lists do not say of themselves.
  struct Ending {
    std::size_t line = 0;         // of all tokens
    std::size_t num_columns = 1;  // cells of each token
    bool has_tags = false;        // adds a column, after those of the cells
    bool has_attributes = false;
  };
  // Makes the sentence of the lists. Requires as many tags and lists of attributes as tokens, where
  // there are any, and num_columns cells for each token.
  void finish(const Ending& ending);

 private:
  enum class TagKind : unsigned char { kOne, kUnknown, kSet };
  struct Tag {
    std::size_t first = 0;  // in tag_labels_; it ends where the next one begins
    TagKind kind = TagKind::kOne;
  };
  struct NamedValue {
    TextRange name;
    double value;
  };

  std::size_t tag_end(std::size_t row) const noexcept {
    return row + 1 == tags_.size() ? tag_labels_.size() : tags_[row + 1].first;
  }
  TextRange spell_tag(std::size_t row);
  void add_attributes_of(std::size_t row);
  void add_label_sets();

  Sentence* sentence_ = nullptr;
  std::size_t num_tokens_ = 0;
  std::vector<TextRange> cells_;
  std::vector<Tag> tags_;
  std::vector<TextRange> tag_labels_;
  std::vector<NamedValue> attributes_;
  std::vector<std::size_t> attribute_begin_;
  std::string joined_;
};

}  // namespace coppice::text
