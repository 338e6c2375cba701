// The second half of reading a JSON line: the lists, complete now, become a sentence.
#include "coppice/base/error.h"
#include "coppice/text/spans.h"
#include "text/json_record.h"
#include "text/lines.h"

namespace coppice::text {

bool JsonRecordHandler::check_lengths() {
  const std::size_t tokens = tokens_.size();
  const auto differs = [&](const char* key, std::size_t size) {
    return fail("E243", concat("\"", key, "\" has ", size, " members for ", tokens, " tokens"));
  };
  if (has_tags_ && tags_.size() != tokens) return differs("tags", tags_.size());
  if (has_attributes_ && attribute_begin_.size() != tokens) {
    return differs("attributes", attribute_begin_.size());
  }
  for (const Span& span : spans_) {
    if (!span.start || !span.end || !span.label) {
      return fail("E241", "a span lacks its start, its end or its label");
    }
    if (*span.start >= *span.end || *span.end > tokens) {
      return fail("E241",
                  concat("span [", *span.start, ", ", *span.end,
                         ") is empty or passes the end of a sentence of ", tokens, " tokens"));
    }
  }
  return true;
}

bool JsonRecordHandler::finish() {
  const bool has_tokens = (fields_seen_ & (1U << static_cast<unsigned>(Field::kTokens))) != 0;
  if (!has_tokens) return fail("E242", "the record has no \"tokens\"");
  if (!check_lengths()) return false;
  std::vector<TextRange> from_spans;
  if (!has_tags_ && has_spans_ && !labels_from_spans(from_spans)) return false;

  const bool has_labels = has_tags_ || has_spans_;
  sentence_->set_columns(has_labels ? 2 : 1, 0, '\t');
  sentence_->set_first_line(line_number_);
  for (std::size_t row = 0; row < tokens_.size(); ++row) {
    std::optional<TextRange> label;
    if (has_tags_) {
      label =
          tags_[row].kind == TagKind::kOne ? tag_labels_[tags_[row].first] : spell_label_set(row);
    } else if (has_spans_) {
      label = from_spans[row];
    }
    add_token(row, label);
  }
  if (has_tags_) add_label_sets();
  return true;
}

void JsonRecordHandler::add_token(std::size_t row, std::optional<TextRange> label) {
  sentence_->add_cell(tokens_[row]);
  if (label) sentence_->add_cell(*label);
  sentence_->end_token(line_number_);
  if (!has_attributes_) return;
  const bool is_last = row + 1 == tokens_.size();
  const std::size_t end = is_last ? attributes_.size() : attribute_begin_[row + 1];
  for (std::size_t i = attribute_begin_[row]; i < end; ++i) {
    sentence_->add_attribute(attributes_[i].name, attributes_[i].value);
  }
  sentence_->end_attributes();
}

// "?" or "A|B", for the cell.
TextRange JsonRecordHandler::spell_label_set(std::size_t row) {
  if (tags_[row].kind == TagKind::kUnknown) return sentence_->append("?");
  const bool is_last = row + 1 == tags_.size();
  const std::size_t end = is_last ? tag_labels_.size() : tags_[row + 1].first;
  joined_.clear();
  for (std::size_t i = tags_[row].first; i < end; ++i) {
    if (!joined_.empty()) joined_ += '|';
    joined_ += sentence_->view(tag_labels_[i]);
  }
  return sentence_->append(joined_);
}

void JsonRecordHandler::add_label_sets() {
  bool is_partial = false;
  for (const Tag& tag : tags_) is_partial |= tag.kind != TagKind::kOne;
  if (!is_partial) return;
  for (std::size_t row = 0; row < tags_.size(); ++row) {
    const bool is_last = row + 1 == tags_.size();
    const std::size_t end = is_last ? tag_labels_.size() : tags_[row + 1].first;
    for (std::size_t i = tags_[row].first; i < end; ++i) sentence_->add_label(tag_labels_[i]);
    sentence_->end_labels();
  }
}

bool JsonRecordHandler::labels_from_spans(std::vector<TextRange>& labels) {
  std::vector<LabelledSpan> spans;
  spans.reserve(spans_.size());
  for (const Span& span : spans_) {
    spans.push_back({*span.start, *span.end, sentence_->view(*span.label)});
  }
  try {
    for (const std::string& label : labels_of(spans, Scheme::kIob2, tokens_.size())) {
      labels.push_back(sentence_->append(label));
    }
  } catch (const InvalidArgument& error) {  // they overlap
    return fail("E241", error.what());
  }
  return true;
}

}  // namespace coppice::text
