#include "coppice/text/sentence_builder.h"

#include <algorithm>
#include <optional>

#include "coppice/base/assert.h"

namespace coppice::text {

void SentenceBuilder::start(Sentence& sentence) {
  sentence_ = &sentence;
  num_tokens_ = 0;
  cells_.clear();
  tags_.clear();
  tag_labels_.clear();
  attributes_.clear();
  attribute_begin_.clear();
}

void SentenceBuilder::add_tag(std::string_view label) {
  tags_.push_back({tag_labels_.size(), TagKind::kOne});
  tag_labels_.push_back(sentence_->append(label));
}

void SentenceBuilder::add_attribute(std::string_view name, std::string_view text) {
  joined_.assign(name).append("=").append(text);
  add_attribute(joined_, 1.0);
}

void SentenceBuilder::finish(const Ending& ending) {
  const std::size_t columns = ending.num_columns;
  COPPICE_ASSERT(cells_.size() == columns * num_tokens_);
  sentence_->set_columns(columns + (ending.has_tags ? 1 : 0),
                         columns > 0 ? std::optional<std::size_t>(0) : std::nullopt, '\t');
  sentence_->set_first_line(ending.line);
  for (std::size_t row = 0; row < num_tokens_; ++row) {
    for (std::size_t c = 0; c < columns; ++c) sentence_->add_cell(cells_[row * columns + c]);
    if (ending.has_tags) sentence_->add_cell(spell_tag(row));
    sentence_->end_token(ending.line);
    if (ending.has_attributes) add_attributes_of(row);
  }
  if (ending.has_tags) add_label_sets();
}

// The label; or "?" or "A|B", for the cell.
TextRange SentenceBuilder::spell_tag(std::size_t row) {
  const Tag& tag = tags_[row];
  if (tag.kind == TagKind::kOne) return tag_labels_[tag.first];
  if (tag.kind == TagKind::kUnknown) return sentence_->append("?");
  joined_.clear();
  for (std::size_t i = tag.first; i < tag_end(row); ++i) {
    if (!joined_.empty()) joined_ += '|';
    joined_ += sentence_->view(tag_labels_[i]);
  }
  return sentence_->append(joined_);
}

void SentenceBuilder::add_attributes_of(std::size_t row) {
  const bool is_last = row + 1 == num_tokens_;
  const std::size_t end = is_last ? attributes_.size() : attribute_begin_[row + 1];
  for (std::size_t i = attribute_begin_[row]; i < end; ++i) {
    sentence_->add_attribute(attributes_[i].name, attributes_[i].value);
  }
  sentence_->end_attributes();
}

void SentenceBuilder::add_label_sets() {
  const bool is_partial = std::any_of(tags_.begin(), tags_.end(),
                                      [](const Tag& tag) { return tag.kind != TagKind::kOne; });
  if (!is_partial) return;
  for (std::size_t row = 0; row < tags_.size(); ++row) {
    for (std::size_t i = tags_[row].first; i < tag_end(row); ++i) {
      sentence_->add_label(tag_labels_[i]);
    }
    sentence_->end_labels();
  }
}

}  // namespace coppice::text
